import { Alert, Badge, Code, Group, Stack, Table, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import type { RecordOf } from '../api/queries'
import { Copyable } from '../parts/Copyable'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { withCode } from '../parts/with-code'
import { DOMAIN_TEXTS as TEXTS } from '../texts/domains'

type DnsRecord = RecordOf<'/domains/{domain_id}'>['records'][number]

type DnsRecordsProps = { title: string; hint: ReactNode; records: readonly DnsRecord[]; acts?: ReactNode }

const keyOf = ({ type, name, value }: DnsRecord): string => `${type} ${name} ${value}`

/** A key of DKIM has 400 characters, which a narrow column would spread over the page. */
const WIDE = '(min-width: 75em)'

/** What has to be published, record by record, and what was found. */
export function DnsRecords({ title, hint, records, acts }: DnsRecordsProps) {
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false })
  return (
    <Section title={title} acts={acts}>
      {leadsToLocalhost(records) && <Alert color="orange">{withCode(TEXTS.localhost)}</Alert>}
      <Text size="sm" c="dimmed" component="div">
        {hint}
      </Text>
      {isWide ? (
        <RecordTable title={title} records={records} />
      ) : (
        <Stack gap="lg">
          {records.map((record) => (
            <OneRecord key={keyOf(record)} record={record} />
          ))}
        </Stack>
      )}
    </Section>
  )
}

/** MAIL_HOSTNAME is not set: no server of another would find this one. */
const leadsToLocalhost = (records: readonly DnsRecord[]): boolean =>
  records.some(({ type, value }) => type === 'MX' && value === 'localhost')

const wordsOfKind = ({ record, type }: DnsRecord) => (record === 'SPF' && type === 'MX' ? TEXTS.returnPathRecord : TEXTS.kinds[record])

/** As the forms of DNS providers have it: one line a record. */
function RecordTable({ title, records }: { title: string; records: readonly DnsRecord[] }) {
  const hasPriority = records.some(({ priority }) => priority !== undefined)
  return (
    <Table aria-label={title} highlightOnHover={false} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="20%">{TEXTS.recordPurpose}</Table.Th>
          <Table.Th w={64}>{TEXTS.recordType}</Table.Th>
          <Table.Th w="17%">{TEXTS.recordName}</Table.Th>
          <Table.Th>{TEXTS.recordValue}</Table.Th>
          {hasPriority && <Table.Th w={84}>{TEXTS.priority}</Table.Th>}
          <Table.Th w={130}>{TEXTS.recordState}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {records.map((record) => {
          const [kind, purpose] = wordsOfKind(record)
          return (
            <Table.Tr key={keyOf(record)} style={TOP}>
              <Table.Td>
                <Text fw={600}>{kind}</Text>
                <Text size="xs" c="dimmed">
                  {purpose}
                </Text>
              </Table.Td>
              <Table.Td>{record.type}</Table.Td>
              <Table.Td>
                <Copyable text={record.name} />
              </Table.Td>
              <Table.Td>
                <Copyable text={record.value} />
                <Found found={record.found} />
              </Table.Td>
              {hasPriority && <Table.Td>{record.priority !== undefined && <Copyable text={String(record.priority)} />}</Table.Td>}
              <Table.Td>
                <StateBadge state={record.status} />
              </Table.Td>
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Table>
  )
}

const TOP = { verticalAlign: 'top' } as const

const Found = ({ found }: Pick<DnsRecord, 'found'>) =>
  found.length === 0 ? null : (
    <Text size="sm" c="dimmed" component="div">
      {TEXTS.found}{' '}
      {found.map((other) => (
        <Code key={other} style={{ overflowWrap: 'anywhere' }}>
          {other}
        </Code>
      ))}
    </Text>
  )

function OneRecord({ record }: { record: DnsRecord }) {
  const { type, name, value, priority, status, found } = record
  const [title, purpose] = wordsOfKind(record)
  return (
    <Stack gap={4} role="group" aria-label={`${title} ${type}`}>
      <Group gap="xs">
        <Text fw={600}>{title}</Text>
        <Badge variant="default">{type}</Badge>
        <StateBadge state={status} />
        <Text size="sm" c="dimmed">
          {purpose}
        </Text>
      </Group>
      <Table variant="vertical" layout="fixed" highlightOnHover={false} withTableBorder>
        <Table.Tbody>
          <Row name={TEXTS.recordName} value={name} />
          <Row name={TEXTS.recordValue} value={value} />
          {priority !== undefined && <Row name={TEXTS.priority} value={String(priority)} />}
        </Table.Tbody>
      </Table>
      <Found found={found} />
    </Stack>
  )
}

const Row = ({ name, value }: { name: string; value: string }) => (
  <Table.Tr>
    <Table.Th w={{ base: 80, sm: 110 }} scope="row">
      {name}
    </Table.Th>
    <Table.Td>
      <Copyable text={value} />
    </Table.Td>
  </Table.Tr>
)
