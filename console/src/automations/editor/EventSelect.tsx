import { Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { EDITOR_TEXTS, SENTENCES, STEP_FORM_TEXTS as TEXTS } from '../../texts/automation-editor'
import { CONTACT_CREATED } from '../graph'
import type { Known } from './known'

type EventSelectProps = {
  label: string
  value: string
  onChange: (value: string) => void
  known: Known
  /** What happens to the emails of the run can be waited for too; a trigger can be that a contact is created. */
  hasMailEvents?: boolean
}

/** One of the team's events, or a new name: events need no definition. */
export function EventSelect({ label, value, onChange, known, hasMailEvents = false }: EventSelectProps) {
  const [typed, setTyped] = useState('')
  const ours = hasMailEvents
    ? Object.entries(SENTENCES.mail).map(([name, words]) => ({ value: name, label: capital(words) }))
    : [{ value: CONTACT_CREATED, label: SENTENCES.contactCreated }]
  const own = known.events.map(({ name }) => name)
  const isOwn = value === '' || ours.some((event) => event.value === value)
  const names = isOwn || own.includes(value) ? own : [value, ...own]
  const name = typed.trim()
  const isShown = name === '' || names.includes(name) || ours.some((event) => event.label === name)
  return (
    <Stack gap={4}>
      <Select
        label={label}
        description={hasMailEvents ? undefined : TEXTS.eventHint}
        data={[
          ...(hasMailEvents ? [] : [{ group: TEXTS.contactEvents, items: ours }]),
          { group: TEXTS.ownEvents, items: [...names, ...(isShown ? [] : [{ value: name, label: TEXTS.newName(name) }])] },
          ...(hasMailEvents ? [{ group: TEXTS.mailEvents, items: ours }] : []),
        ]}
        value={value === '' ? null : value}
        onChange={(chosen) => chosen !== null && onChange(chosen)}
        searchable
        searchValue={typed}
        onSearchChange={setTyped}
        allowDeselect={false}
        nothingFoundMessage={EDITOR_TEXTS.typeName}
        autoCapitalize="off"
        spellCheck={false}
        data-first
      />
      {value === CONTACT_CREATED && (
        <Text size="sm" c="dimmed">
          {TEXTS.contactCreatedHint}
        </Text>
      )}
      {!isOwn && !own.includes(value) && (
        <Text size="sm" c="dimmed">
          {TEXTS.eventUnknown}
        </Text>
      )}
    </Stack>
  )
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
