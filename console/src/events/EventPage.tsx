import { Code, Table, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { ContactEvents } from '../contacts/ContactEvents'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { commandOf } from '../parts/command'
import { DeleteMenu } from '../parts/DeleteMenu'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { factsOfUses } from '../parts/use-facts'
import { useMay } from '../session/me'
import { useAddressPart, useFilters, useGo } from '../shell/address'
import { EVENT_TEXTS as TEXTS } from '../texts/events'
import { EditEvent } from './EventForm'
import { examplePayload } from './event-fields'
import { SendEvent } from './SendEvent'

const TYPING_MS = 500

export default function EventPage() {
  const id = useAddressPart('eventId')
  const may = useMay()
  const go = useGo()
  const [{ contact = '' }, setFilters] = useFilters(['contact'])
  const [sent, setSent] = useState(0)
  // Another address than what was typed: the field begins anew.
  const show = (email: string) => {
    setFilters({ contact: email })
    setSent(sent + 1)
  }
  const path = { event_id: id }
  const { data: event, error, refetch } = useRecord('/events/{event_id}', { path })
  const { data: uses } = useRecord('/events/{event_id}/uses', { path })
  if (!event) return <Awaited read={{ error, refetch }} />
  const payload = examplePayload(event.schema)
  return (
    <Page
      title={event.name}
      back={{ to: '/events', name: TEXTS.title }}
      acts={
        may('events:write') && (
          <>
            <EditEvent event={event} />
            <DeleteMenu
              name={TEXTS.remove}
              means={TEXTS.removeMeans}
              run={() => answer(api.DELETE('/events/{event_id}', { params: { path } }))}
              done={TEXTS.removed}
              changes={['events']}
              onDone={() => go('/events')}
            />
            {may('broadcasts:send') && <SendEvent event={event} onSent={show} />}
          </>
        )
      }
    >
      <Section title={TEXTS.facts}>
        <Facts
          facts={[
            [TEXTS.fields, <Fields key="fields" schema={event.schema} />],
            ...factsOfUses(uses?.data),
            [TEXTS.createdAt, <Time key="created" at={event.created_at} />],
            [TEXTS.changedAt, event.updated_at && <Time key="changed" at={event.updated_at} />],
            [TEXTS.id, <Copyable key="id" text={event.id} />],
          ]}
        />
      </Section>
      <Section title={TEXTS.program}>
        <Text size="sm" c="dimmed">
          {TEXTS.programHint}
        </Text>
        <Copyable text={commandOf('/events/send', { event: event.name, email: TEXTS.someone, ...(payload !== null && { payload }) })} />
      </Section>
      {may('contacts:read') && (
        <Section
          title={TEXTS.came}
          acts={
            may('logs:read') && (
              <PageLink onlyLeads to="/logs" search={{ path: '/events/send' }} size="sm">
                {TEXTS.requests}
              </PageLink>
            )
          }
        >
          <Text size="sm" c="dimmed">
            {TEXTS.cameHint}
          </Text>
          <ContactField key={sent} value={contact} onChange={(email) => setFilters({ contact: email })} />
          {contact !== '' && <ContactEvents contactId={contact} />}
        </Section>
      )}
    </Page>
  )
}

function Fields({ schema }: { schema: RecordOf<'/events/{event_id}'>['schema'] }) {
  if (schema === null) return <Text c="dimmed">{TEXTS.notChecked}</Text>
  const fields = Object.entries(schema)
  if (fields.length === 0) return <Text c="dimmed">{TEXTS.noFields}</Text>
  return (
    <Table withRowBorders={false} verticalSpacing={2} aria-label={TEXTS.fields}>
      <Table.Tbody>
        {fields.map(([name, type]) => (
          <Table.Tr key={name}>
            <Table.Td>
              <Code>{name}</Code>
            </Table.Td>
            <Table.Td>{type}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** The address stands in the address of the page, once it was typed. */
function ContactField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value)
  const tell = useDebouncedCallback((text: string) => onChange(text.trim()), TYPING_MS)
  return (
    <TextInput
      label={TEXTS.contact}
      maw={400}
      inputMode="email"
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        tell(currentTarget.value)
      }}
    />
  )
}
