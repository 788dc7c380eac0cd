import { Badge, Code, Group, Stack, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { RecordOf } from '../api/queries'
import { Copyable } from '../parts/Copyable'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { DOMAIN_TEXTS as TEXTS } from '../texts/domains'

type DnsRecord = RecordOf<'/domains/{domain_id}'>['records'][number]

type DnsRecordsProps = { title: string; hint: ReactNode; records: readonly DnsRecord[]; acts?: ReactNode }

/** What has to be published, record by record, and what was found. */
export const DnsRecords = ({ title, hint, records, acts }: DnsRecordsProps) => (
  <Section title={title} acts={acts}>
    <Text size="sm" c="dimmed" component="div">
      {hint}
    </Text>
    <Stack gap="lg">
      {records.map((record) => (
        <OneRecord key={`${record.type} ${record.name} ${record.value}`} record={record} />
      ))}
    </Stack>
  </Section>
)

function OneRecord({ record: { record, type, name, value, priority, status, found } }: { record: DnsRecord }) {
  const [title, purpose] = record === 'SPF' && type === 'MX' ? TEXTS.returnPathRecord : TEXTS.kinds[record]
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
      {found.length > 0 && (
        <Text size="sm" c="dimmed" component="div">
          {TEXTS.found}{' '}
          {found.map((other) => (
            <Code key={other} style={{ overflowWrap: 'anywhere' }}>
              {other}
            </Code>
          ))}
        </Text>
      )}
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
