import { Alert, Group, Progress, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Facts } from '../parts/Facts'
import { countOf } from '../parts/numbers'
import { IN_ONE_LINE } from '../parts/one-line'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { USAGE_TEXTS as TEXTS } from '../texts/usage'

type Usage = RecordOf<'/usage'>

export default function UsagePage() {
  const { data: usage, error, refetch } = useRecord('/usage')
  if (!usage) return <Awaited read={{ error, refetch }} />
  return (
    <Page title={TEXTS.title}>
      <Section title={TEXTS.limits}>
        <Text size="sm" c="dimmed">
          {TEXTS.limitsHint}
        </Text>
        <UsageBars usage={usage} />
      </Section>
      <Section title={TEXTS.reputation}>
        <Reputation reputation={usage.reputation} />
      </Section>
    </Page>
  )
}

/** What is used, with bars where there is a limit. */
export const UsageBars = ({ usage }: { usage: Usage }) => (
  <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" verticalSpacing={0}>
    <Used name={TEXTS.daily} {...usage.emails.daily} resetsAt={usage.emails.daily.resets_at} />
    <Used name={TEXTS.monthly} {...usage.emails.monthly} resetsAt={usage.emails.monthly.resets_at} />
    <Used name={TEXTS.contacts} {...usage.contacts} />
    <Used name={TEXTS.domains} {...usage.domains} />
    <Used name={TEXTS.webhooks} {...usage.webhooks} />
    <Used name={TEXTS.bytes} {...usage.stored_bytes} />
    <Row
      name={TEXTS.received}
      words={`${countOf(usage.emails.daily.received)} ${TEXTS.today}, ${countOf(usage.emails.monthly.received)} ${TEXTS.month}`}
    />
    <Row name={TEXTS.segments} words={countOf(usage.segments.used)} />
    <Row name={TEXTS.broadcasts} words={countOf(usage.broadcasts.used)} />
    <Row name={TEXTS.runs} words={countOf(usage.automation_runs.used)} />
    <Row
      name={TEXTS.broadcastRecipients}
      words={usage.broadcast_recipients.limit === null ? TEXTS.unlimited : countOf(usage.broadcast_recipients.limit)}
    />
    <Row
      name={TEXTS.rate}
      words={
        usage.rate_limit.limit === null ? TEXTS.unlimited : TEXTS.rateWords(countOf(usage.rate_limit.limit), usage.rate_limit.duration)
      }
    />
  </SimpleGrid>
)

/** The one form of all: a name and its words in a line, and below them what only some have. */
const Row = ({ name, words, children }: { name: string; words: string; children?: ReactNode }) => (
  <Stack gap={4} py="xs" style={LINE_BELOW} role="group" aria-label={name}>
    <Group justify="space-between" align="baseline" gap="sm" wrap="nowrap">
      <Text fw={600}>{name}</Text>
      <Text ta="right" style={IN_ONE_LINE}>
        {words}
      </Text>
    </Group>
    {children}
  </Stack>
)
const LINE_BELOW = { borderBottom: '1px solid var(--mantine-color-default-border)' } as const

const NEAR_PERCENT = 80
const FULL_PERCENT = 100

/** With a limit, it has a bar, and a line that says how near that is. */
function Used({ name, used, limit, resetsAt }: { name: string; used: number | null; limit: number | null; resetsAt?: string }) {
  const words = usedWords(used, limit)
  if (used === null || limit === null) return <Row name={name} words={words} />
  const percent = limit === 0 ? FULL_PERCENT : (used / limit) * FULL_PERCENT
  const [color, note] =
    percent >= FULL_PERCENT
      ? (['red', TEXTS.full] as const)
      : percent >= NEAR_PERCENT
        ? (['orange', TEXTS.near] as const)
        : (['green', null] as const)
  return (
    <Row name={name} words={words}>
      <Progress value={Math.min(percent, FULL_PERCENT)} color={color} aria-label={name} />
      {(note !== null || resetsAt !== undefined) && (
        <Text size="sm" c="dimmed">
          {note !== null && `${note}. `}
          {resetsAt !== undefined && (
            <>
              {TEXTS.resets} <Time at={resetsAt} />
            </>
          )}
        </Text>
      )}
    </Row>
  )
}

function usedWords(used: number | null, limit: number | null): string {
  if (used === null) return TEXTS.counted
  return limit === null ? `${countOf(used)}, ${TEXTS.unlimited}` : TEXTS.of(countOf(used), countOf(limit))
}

/** What the guard of reputations knows of the team. */
export function Reputation({ reputation }: Pick<Usage, 'reputation'>) {
  const { status, since, reason, throttled_until, day, week } = reputation
  return (
    <Stack>
      <Group gap="xs">
        <StateBadge state={status} />
        <Text>{TEXTS.standing[status]}</Text>
      </Group>
      <Facts
        facts={[
          [TEXTS.reason, reason],
          [TEXTS.since, since && <Time key="since" at={since} />],
          [TEXTS.throttled, throttled_until && <Time key="throttled" at={throttled_until} />],
        ]}
      />
      <Table.ScrollContainer minWidth={0} type="native">
        <Table aria-label={TEXTS.reputation}>
          <Table.Thead>
            <Table.Tr>
              {[TEXTS.period, TEXTS.sent, TEXTS.bounced, TEXTS.complained].map((name, index) => (
                <Table.Th key={name} ta={index > 0 ? 'right' : undefined}>
                  {name}
                </Table.Th>
              ))}
              <Table.Th ta="right" visibleFrom="sm">
                {TEXTS.unknownUsers}
              </Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                {TEXTS.traps}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {Object.entries({ day, week }).map(([period, counts]) => (
              <Table.Tr key={period}>
                <Table.Th scope="row">{TEXTS.periods[period as 'day' | 'week']}</Table.Th>
                <Table.Td ta="right">{countOf(counts.sent)}</Table.Td>
                <Table.Td ta="right">{counts.bounce_rate} %</Table.Td>
                <Table.Td ta="right">{counts.complaint_rate} %</Table.Td>
                <Table.Td ta="right" visibleFrom="sm">
                  {counts.unknown_user_rate} %
                </Table.Td>
                <Table.Td ta="right" visibleFrom="sm">
                  {countOf(counts.spam_traps)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {status !== 'good' && <Alert color="orange">{TEXTS.advice}</Alert>}
    </Stack>
  )
}
