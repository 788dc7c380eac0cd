import { Alert, Group, Progress, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import { type RecordOf, useRecord } from '../api/queries'
import { Facts } from '../parts/Facts'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { Problem } from '../shell/problems'
import { USAGE_TEXTS as TEXTS } from '../texts/usage'

type Usage = RecordOf<'/usage'>

export default function UsagePage() {
  const { data: usage, error, refetch } = useRecord('/usage')
  if (error && !usage) return <Problem error={error} onRetry={() => void refetch()} />
  if (!usage) return <Loading />
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

const number = (value: number): string => value.toLocaleString('en')

/** What is used, with bars where there is a limit. */
export const UsageBars = ({ usage }: { usage: Usage }) => (
  <Stack>
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
      <Bar name={TEXTS.daily} {...usage.emails.daily} resetsAt={usage.emails.daily.resets_at} />
      <Bar name={TEXTS.monthly} {...usage.emails.monthly} resetsAt={usage.emails.monthly.resets_at} />
      <Bar name={TEXTS.contacts} {...usage.contacts} />
      <Bar name={TEXTS.domains} {...usage.domains} />
      <Bar name={TEXTS.webhooks} {...usage.webhooks} />
      <Bar name={TEXTS.bytes} {...usage.stored_bytes} />
    </SimpleGrid>
    <Figures
      figures={[
        [TEXTS.received, `${number(usage.emails.daily.received)} ${TEXTS.today}, ${number(usage.emails.monthly.received)} ${TEXTS.month}`],
        [TEXTS.segments, number(usage.segments.used)],
        [TEXTS.broadcasts, number(usage.broadcasts.used)],
        [TEXTS.runs, number(usage.automation_runs.used)],
        [TEXTS.broadcastRecipients, usage.broadcast_recipients.limit === null ? TEXTS.unlimited : number(usage.broadcast_recipients.limit)],
        [
          TEXTS.rate,
          usage.rate_limit.limit === null ? TEXTS.unlimited : TEXTS.rateWords(number(usage.rate_limit.limit), usage.rate_limit.duration),
        ],
      ]}
    />
  </Stack>
)

/** In the form of the bars, for what has none. */
const Figures = ({ figures }: { figures: readonly (readonly [name: string, words: string])[] }) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="xs">
    {figures.map(([name, words]) => (
      <Group key={name} justify="space-between" gap="xs" role="group" aria-label={name}>
        <Text fw={600}>{name}</Text>
        <Text>{words}</Text>
      </Group>
    ))}
  </SimpleGrid>
)

const NEAR_PERCENT = 80
const FULL_PERCENT = 100

function Bar({ name, used, limit, resetsAt }: { name: string; used: number | null; limit: number | null; resetsAt?: string }) {
  const percent = used !== null && limit !== null ? (limit === 0 ? FULL_PERCENT : (used / limit) * FULL_PERCENT) : null
  const [color, note] =
    percent === null
      ? (['gray', null] as const)
      : percent >= FULL_PERCENT
        ? (['red', TEXTS.full] as const)
        : percent >= NEAR_PERCENT
          ? (['orange', TEXTS.near] as const)
          : (['green', null] as const)
  return (
    <Stack gap={4} role="group" aria-label={name}>
      <Group justify="space-between" gap="xs">
        <Text fw={600}>{name}</Text>
        <Text size="sm">{usedWords(used, limit)}</Text>
      </Group>
      {percent !== null && <Progress value={Math.min(percent, FULL_PERCENT)} color={color} aria-label={name} />}
      <Text size="sm" c="dimmed">
        {note !== null && `${note}. `}
        {resetsAt !== undefined && (
          <>
            {TEXTS.resets} <Time at={resetsAt} />
          </>
        )}
      </Text>
    </Stack>
  )
}

function usedWords(used: number | null, limit: number | null): string {
  if (used === null) return TEXTS.counted
  return limit === null ? `${number(used)}, ${TEXTS.unlimited}` : TEXTS.of(number(used), number(limit))
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
      <Table.ScrollContainer minWidth={0}>
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
                <Table.Td ta="right">{number(counts.sent)}</Table.Td>
                <Table.Td ta="right">{counts.bounce_rate} %</Table.Td>
                <Table.Td ta="right">{counts.complaint_rate} %</Table.Td>
                <Table.Td ta="right" visibleFrom="sm">
                  {counts.unknown_user_rate} %
                </Table.Td>
                <Table.Td ta="right" visibleFrom="sm">
                  {number(counts.spam_traps)}
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
