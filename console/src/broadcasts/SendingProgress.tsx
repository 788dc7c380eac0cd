import { Alert, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { type RecordOf, useRecord } from '../api/queries'
import { countOf } from '../parts/numbers'
import { PROGRESS_TEXTS as TEXTS } from '../texts/sending'
import { durationOf, secondsAt } from './durations'

type Broadcast = RecordOf<'/broadcasts/{broadcast_id}'>

/** How many there are changes with what is still to be made of them. */
const COUNTED_EVERY_MS = 15_000

/** How much of a broadcast was sent, how fast it goes, and how long it still takes. */
export function SendingProgress({ broadcast, readAt }: { broadcast: Broadcast; readAt: number }) {
  const { counts, status, rate_per_hour } = broadcast
  const isPaused = status === 'paused'
  const { data: audience } = useRecord(
    '/broadcasts/{broadcast_id}/audience',
    { path: { broadcast_id: broadcast.id } },
    { everyMs: () => (isPaused ? null : COUNTED_EVERY_MS) },
  )
  const perHour = useRate(counts.sent, readAt, isPaused)
  const total = Math.max(audience?.recipients ?? 0, counts.recipients - counts.suppressed, counts.sent)
  const waiting = Math.max(0, total - counts.sent)
  const slowest = perHour ?? rate_per_hour
  const shownTotal = audience?.is_exact === false ? TEXTS.ofAtLeast(countOf(total)) : countOf(total)
  return (
    <Stack gap="sm">
      <Text fw={600}>{TEXTS.sentOf(countOf(counts.sent), shownTotal)}</Text>
      <Progress.Root size="xl">
        <Progress.Section
          value={total === 0 ? 0 : (counts.sent / total) * 100}
          color={isPaused ? 'orange' : 'indigo'}
          animated={!isPaused}
          aria-label={TEXTS.sentOf(countOf(counts.sent), shownTotal)}
        />
      </Progress.Root>
      {isPaused ? (
        <Alert color="orange">{TEXTS.paused(countOf(counts.sent), countOf(waiting))}</Alert>
      ) : (
        <>
          <SimpleGrid cols={{ base: 1, xs: 3 }} component="dl" m={0}>
            <Fact name={TEXTS.rate}>
              <span>{perHour === null ? TEXTS.measuring : rateText(perHour)}</span>
              {rate_per_hour !== null && (
                <Text span size="sm" c="dimmed">
                  {TEXTS.atMost(countOf(rate_per_hour))}
                </Text>
              )}
            </Fact>
            <Fact name={TEXTS.left}>{slowest !== null && slowest > 0 ? durationOf(secondsAt(waiting, slowest)) : '–'}</Fact>
            <Fact name={TEXTS.waiting}>{TEXTS.emailsWaiting(countOf(waiting))}</Fact>
          </SimpleGrid>
          <Text size="sm" c="dimmed">
            {TEXTS.pauseHint}
          </Text>
        </>
      )}
      {counts.suppressed > 0 && (
        <Text size="sm" c="dimmed">
          {TEXTS.suppressedToo(countOf(counts.suppressed), counts.suppressed)}
        </Text>
      )}
    </Stack>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <Text component="dt" size="sm" c="dimmed">
      {name}
    </Text>
    <Group component="dd" m={0} gap={6} fw={600}>
      {children}
    </Group>
  </div>
)

const MINUTES_OF_HOUR = 60
/** Faster than that, a minute is easier to imagine. */
const BY_MINUTE_FROM = 6_000

const rateText = (perHour: number): string =>
  perHour >= BY_MINUTE_FROM ? TEXTS.perMinute(countOf(Math.round(perHour / MINUTES_OF_HOUR))) : TEXTS.perHour(countOf(Math.round(perHour)))

type Sample = { at: number; sent: number }

/** The rate is that of the last minute, as far as the page saw it. */
const MEASURED_MS = 60_000
const HOUR_MS = 3_600_000

/** Emails an hour, by what the page has seen since it was opened or resumed; null before the second look. */
function useRate(sent: number, at: number, isPaused: boolean): number | null {
  const [samples, setSamples] = useState<Sample[]>([])
  useEffect(() => {
    setSamples((known) => (isPaused ? [] : [...known.filter((sample) => sample.at >= at - MEASURED_MS && sample.at !== at), { at, sent }]))
  }, [sent, at, isPaused])
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last || last.at === first.at) return null
  return ((last.sent - first.sent) / (last.at - first.at)) * HOUR_MS
}
