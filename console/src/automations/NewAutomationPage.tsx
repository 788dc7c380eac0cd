import { Card, Select, SimpleGrid, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client'
import { type RecordOf, useAllRows } from '../api/queries'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { EDITOR_TEXTS as TEXTS } from '../texts/automation-editor'
import { AUTOMATION_TEXTS } from '../texts/automations'
import { Editor } from './editor/Editor'
import { useEditing } from './editor/editing'
import { EXAMPLES, withEventsOf } from './editor/examples'

type Example = keyof typeof EXAMPLES
const BACK = { to: '/automations', name: AUTOMATION_TEXTS.title }
const NAME_LENGTH_MAX = 100
type Kind = RecordOf<'/automations/{automation_id}'>['class']
type Reentry = RecordOf<'/automations/{automation_id}'>['reentry']
const KINDS: readonly Kind[] = ['bulk', 'transactional']
const REENTRIES: readonly Reentry[] = ['once', 'not_while_running', 'always']

/** A new automation: from an empty canvas or an example. It is stored when it is saved first. */
export default function NewAutomationPage() {
  const [{ from }] = useFilters(['from'])
  const names = Object.keys(EXAMPLES) as Example[]
  const example = names.find((name) => name === from)
  if (example) return <FromExample key={example} example={example} />
  return (
    <Page title={TEXTS.newTitle} back={BACK}>
      <Text c="dimmed">{TEXTS.chooseHint}</Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} component="section" aria-label={TEXTS.choose}>
        {names.map((name) => (
          <Card key={name} withBorder>
            <PageLink to="/automations/new" search={{ from: name }} fw={600}>
              {EXAMPLES[name].name}
            </PageLink>
            <Text size="sm" c="dimmed">
              {EXAMPLES[name].about}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
    </Page>
  )
}

/** An event of the example that the team does not have is left to be chosen: an automation that waits for it would never start. */
function FromExample({ example }: { example: Example }) {
  const may = useMay()
  const events = useAllRows('/events', { isEnabled: may('events:read') })
  const [isKnown, setKnown] = useState(!may('events:read'))
  if (!isKnown && !events.isLoading) setKnown(true)
  if (!isKnown) return <Loading />
  return <NewAutomation example={example} events={events.rows.map(({ name }) => name)} />
}

function NewAutomation({ example, events }: { example: Example; events: readonly string[] }) {
  const { graph, name: title, reentry: usual } = EXAMPLES[example]
  const startName = example === 'empty' ? '' : title
  const [name, setName] = useState(startName)
  const [kind, setKind] = useState<Kind>('bulk')
  const [reentry, setReentry] = useState<Reentry>(usual)
  const [isNameMissing, setIsNameMissing] = useState(false)
  const editing = useEditing({
    initial: withEventsOf(graph, events),
    save: async ({ steps, connections }) => {
      setIsNameMissing(name.trim() === '')
      if (name.trim() === '') return null
      // Rules hold rules: the types of bodies cannot say so.
      const body = { name: name.trim(), class: kind, reentry, steps, connections } as never
      const { id } = await answer(api.POST('/automations', { body }))
      return id
    },
    done: TEXTS.created,
  })
  return (
    <Page title={TEXTS.newTitle} back={BACK}>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput
          label={TEXTS.name}
          required
          maxLength={NAME_LENGTH_MAX}
          value={name}
          onChange={({ currentTarget }) => {
            setName(currentTarget.value)
            setIsNameMissing(false)
          }}
          error={isNameMissing && TEXTS.nameMissing}
        />
        <Select
          label={TEXTS.class}
          data={KINDS.map((value) => ({ value, label: TEXTS.classes[value] }))}
          value={kind}
          onChange={(chosen) => setKind(KINDS.find((one) => one === chosen) ?? kind)}
          allowDeselect={false}
        />
        <Select
          label={TEXTS.reentry}
          data={REENTRIES.map((value) => ({ value, label: TEXTS.reentries[value] }))}
          value={reentry}
          onChange={(chosen) => setReentry(REENTRIES.find((one) => one === chosen) ?? reentry)}
          allowDeselect={false}
        />
      </SimpleGrid>
      <Editor editing={editing} isOtherDirty={name !== startName || kind !== 'bulk' || reentry !== usual} />
    </Page>
  )
}
