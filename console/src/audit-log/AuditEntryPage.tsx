import { Code, Table, Text } from '@mantine/core'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { useAddressPart } from '../shell/address'
import { AUDIT_TEXTS as TEXTS } from '../texts/audit-log'
import { actWords, fieldWords, recordWords } from './words'

type Entry = RecordOf<'/audit-log/{audit_log_entry_id}'>

export default function AuditEntryPage() {
  const id = useAddressPart('entryId')
  const { data: entry, error, refetch } = useRecord('/audit-log/{audit_log_entry_id}', { path: { audit_log_entry_id: id } })
  if (!entry) return <Awaited read={{ error, refetch }} />
  const { actor, target } = entry
  return (
    <Page title={actWords(entry.action)} back={{ to: '/audit-log', name: TEXTS.title }}>
      <Section title={TEXTS.details}>
        <Facts
          facts={[
            [TEXTS.who, <Actor key="who" actor={actor} />],
            [TEXTS.from, actor.ip_address],
            [TEXTS.program, actor.user_agent],
            [TEXTS.when, <Time key="when" at={entry.created_at} />],
            [TEXTS.target, target && recordWords(target.type)],
            [
              TEXTS.filters.target_id,
              target?.id && (
                <PageLink key="target" to="/audit-log" search={{ target_id: target.id }}>
                  {target.id}
                </PageLink>
              ),
            ],
            [TEXTS.count, entry.count?.toLocaleString('en')],
            [
              TEXTS.action,
              // What commands did is found from here: the filter names operations.
              <PageLink key="action" to="/audit-log" search={{ action: entry.action }}>
                <Code fz="sm">{entry.action}</Code>
              </PageLink>,
            ],
            [TEXTS.position, entry.chain_position?.toLocaleString('en')],
            [TEXTS.id, <Copyable key="id" text={entry.id} />],
          ]}
        />
      </Section>
      <Section title={TEXTS.changed}>
        <Changes entry={entry} />
      </Section>
    </Page>
  )
}

const Actor = ({ actor: { type, id, name } }: Pick<Entry, 'actor'>) => {
  const words = `${TEXTS.actors[type]}${name === null ? '' : `: ${name}`}`
  return id === null ? (
    <bdi>{words}</bdi>
  ) : (
    <PageLink to="/audit-log" search={{ actor_id: id }}>
      <bdi>{words}</bdi>
    </PageLink>
  )
}

type Values = Readonly<Record<string, unknown>>

/** Field by field, what it was and what it is. */
function Changes({ entry: { before, after, is_erased } }: { entry: Entry }) {
  if (is_erased) return <Text c="dimmed">{TEXTS.erased}</Text>
  if (before === null && after === null) return <Text c="dimmed">{TEXTS.noValues}</Text>
  const [was, is] = [(before ?? {}) as Values, (after ?? {}) as Values]
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  return (
    <>
      {before === null && <Text>{TEXTS.isNew}</Text>}
      {after === null && <Text>{TEXTS.isGone}</Text>}
      <Table layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={{ base: 100, sm: 200 }}>{TEXTS.field}</Table.Th>
            {before !== null && <Table.Th>{TEXTS.before}</Table.Th>}
            {after !== null && <Table.Th>{TEXTS.after}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map((field) => (
            <Table.Tr key={field}>
              <Table.Th scope="row" title={field} style={{ overflowWrap: 'anywhere' }}>
                {fieldWords(field)}
              </Table.Th>
              {before !== null && <Value value={was[field]} />}
              {after !== null && <Value value={is[field]} />}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  )
}

const Value = ({ value }: { value: unknown }) => (
  <Table.Td>
    {value !== undefined && (
      <Code style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
      </Code>
    )}
  </Table.Td>
)
