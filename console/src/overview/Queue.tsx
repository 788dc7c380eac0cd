import { Group, Stack, Text } from '@mantine/core'
import type { RecordOf } from '../api/queries'
import { countOf } from '../parts/numbers'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { OVERVIEW_TEXTS as TEXTS } from '../texts/overview'

type QueueOfTeam = RecordOf<'/overview'>['queue']

const STATES = ['ready', 'sending', 'waiting', 'paused'] as const

/** What of the team waits to be sent, and where to. */
export function Queue({ queue }: { queue: QueueOfTeam }) {
  const { destinations, oldest_due_at: oldest, is_bounded: isBounded } = queue
  const count = STATES.reduce((sum, state) => sum + queue[state], 0)
  return (
    <Section title={TEXTS.queue}>
      {count === 0 ? (
        <Text c="dimmed">{isBounded ? TEXTS.notAmongNext : TEXTS.emptyQueue}</Text>
      ) : (
        <Stack gap="xs">
          <Text>
            {TEXTS.deliveries(count, isBounded)}{' '}
            {STATES.filter((state) => queue[state] > 0)
              .map((state) => TEXTS.inState[state](queue[state]))
              .join(', ')}
          </Text>
          {oldest && (
            <Text size="sm" c="dimmed">
              {Date.parse(oldest) <= Date.now() ? TEXTS.oldest : TEXTS.next} <Time at={oldest} form="ago" />
            </Text>
          )}
          {destinations.map(({ destination, count: waiting }) => (
            <Group key={destination} justify="space-between" wrap="nowrap">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                <bdi>{destination}</bdi>
              </Text>
              <Text size="sm">{countOf(waiting)}</Text>
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  )
}
