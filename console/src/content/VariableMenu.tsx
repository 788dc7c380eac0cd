import { Button, Group, Menu, Modal, Stack, TextInput } from '@mantine/core'
import { Braces } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useAllRows } from '../api/queries'
import { useMay } from '../session/me'
import { CONTENT_EDITOR_TEXTS as TEXTS } from '../texts/content'
import type { InsertText } from './content'

/** `linkText`: of an address, which becomes a link. */
type Choice = { name: string; label: string; hasFallback: boolean; linkText?: string }

const CONTACT_FIELDS: readonly Choice[] = [
  { name: 'contact.first_name', label: TEXTS.firstName, hasFallback: true },
  { name: 'contact.last_name', label: TEXTS.lastName, hasFallback: true },
  { name: 'contact.email', label: TEXTS.email, hasFallback: false },
]
const OF_MESSAGE: readonly Choice[] = [
  { name: 'UNSUBSCRIBE_URL', label: TEXTS.unsubscribeLink, hasFallback: false, linkText: TEXTS.unsubscribe },
  { name: 'VIEW_URL', label: TEXTS.viewLink, hasFallback: false, linkText: TEXTS.view },
  { name: 'TEAM_NAME', label: TEXTS.teamName, hasFallback: true },
]

/** Inserts a placeholder at the cursor, and asks first what it says for contacts of whom the value is not known. */
export function VariableMenu({ variables, onInsert }: { variables: readonly string[]; onInsert: InsertText }) {
  const may = useMay()
  const properties = useAllRows('/contact-properties', { isEnabled: may('contact-properties:read') }).rows
  const [asked, setAsked] = useState<Choice | null>(null)
  const [fallback, setFallback] = useState('')
  const choose = (choice: Choice) => {
    if (!choice.hasFallback) return onInsert(`{{{${choice.name}}}}`, choice.linkText)
    setFallback('')
    setAsked(choice)
  }
  const isWrong = /[{}]/.test(fallback)
  const insert = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (isWrong) return
    if (asked) onInsert(`{{{${asked.name}${fallback === '' ? '' : `|${fallback}`}}}}`)
    setAsked(null)
  }
  // Escape leaves people where they write.
  const cancel = () => {
    setAsked(null)
    onInsert(null)
  }
  const items = (choices: readonly Choice[]) =>
    choices.map((choice) => (
      <Menu.Item key={choice.name} onClick={() => choose(choice)}>
        {choice.label}
      </Menu.Item>
    ))
  return (
    <>
      <Menu position="bottom-start" returnFocus={false}>
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<Braces size={16} />}>
            {TEXTS.variables}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
          {variables.length > 0 && (
            <>
              <Menu.Label>{TEXTS.variablesOfTemplate}</Menu.Label>
              {items(variables.map((name) => ({ name, label: name, hasFallback: true })))}
            </>
          )}
          <Menu.Label>{TEXTS.variablesOfContact}</Menu.Label>
          {items(CONTACT_FIELDS)}
          {items(properties.map(({ key }) => ({ name: `contact.${key}`, label: key, hasFallback: true })))}
          <Menu.Label>{TEXTS.variablesOfMessage}</Menu.Label>
          {items(OF_MESSAGE)}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={asked !== null} onClose={cancel} title={asked?.label} returnFocus={false}>
        <form onSubmit={insert}>
          <Stack>
            <TextInput
              label={TEXTS.variableFallback(asked?.label ?? '')}
              error={isWrong && TEXTS.variableFallbackWrong}
              value={fallback}
              onChange={({ currentTarget }) => setFallback(currentTarget.value)}
              data-autofocus
            />
            <Group justify="flex-end">
              <Button type="submit">{TEXTS.variableInsert}</Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
