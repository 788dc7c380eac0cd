import { Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { isUntracked, type Tracked } from '../domains/tracked'
import { countOf, shareOf } from '../parts/numbers'
import { CHART_TEXTS, METRIC_TEXTS as TEXTS } from '../texts/metrics'
import { textOf } from '../theme'
import type { EmailMetrics } from './MetricsPage'

type Totals = EmailMetrics['totals']
type Name = keyof typeof TEXTS.names
type Tile = { name: Name; of?: 'sent' | 'delivered'; isBad?: boolean; isRare?: boolean }

const TILES: readonly Tile[] = [
  { name: 'received' },
  { name: 'sent' },
  { name: 'delivered', of: 'sent' },
  { name: 'unique_opened', of: 'delivered' },
  { name: 'unique_clicked', of: 'delivered' },
  { name: 'bounced', of: 'sent', isBad: true },
  { name: 'complained', of: 'delivered', isBad: true },
  { name: 'unsubscribed', of: 'delivered', isBad: true },
  { name: 'delivery_delayed', isBad: true, isRare: true },
  { name: 'suppressed', isBad: true, isRare: true },
  { name: 'failed', isBad: true, isRare: true },
]

/** The sums of the time, with how they differ from the same time before. What is rare is left out while it is zero. */
export function Tiles({ totals, before, tracked }: { totals: Totals; before: Totals | null; tracked: Tracked | null }) {
  const isUnknown = (name: Name): boolean => isUntracked(name, totals[name] ?? 0, tracked)
  const shown = TILES.filter(({ name, isRare }) => !isRare || (totals[name] ?? 0) > 0)
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 2, xs: 3, md: 5 }} component="dl" m={0}>
        {shown.map(({ name, of, isBad }) => (
          <Paper withBorder p="sm" key={name} component="div">
            <Text component="dt" size="sm" c="dimmed">
              {TEXTS.names[name]}
            </Text>
            <Text component="dd" m={0} fz={22} fw={600} lh={1.2}>
              {isUnknown(name) ? '–' : countOf(totals[name] ?? 0)}
            </Text>
            {of && (
              <Text component="dd" m={0} size="sm">
                {isUnknown(name) ? CHART_TEXTS.notTracked : rateWords(totals[name] ?? 0, totals[of] ?? 0, of)}
              </Text>
            )}
            {before && !isUnknown(name) && (
              <Change
                now={amountOf(totals, name, of)}
                then={amountOf(before, name, of)}
                digits={of === undefined ? 0 : name === 'complained' ? 2 : 1}
                isRate={of !== undefined}
                isBad={isBad}
              />
            )}
          </Paper>
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {before ? TEXTS.comparable : TEXTS.notComparable} {TEXTS.earlierMail}
      </Text>
    </Stack>
  )
}

/** Opens and clicks count when they happen: after a large mailing, there may be more of them than was delivered since. */
const rateWords = (part: number, whole: number, of: 'sent' | 'delivered'): string =>
  part > whole ? TEXTS.ofEarlierMail : `${shareOf(part, whole)} ${TEXTS.of[of]}`

/** What is compared: the rate, where there is one. */
function amountOf(totals: Totals, name: Name, of: Tile['of']): number {
  const count = totals[name] ?? 0
  if (of === undefined) return count
  const whole = totals[of] ?? 0
  return whole === 0 ? 0 : (count / whole) * 100
}

type ChangeProps = { now: number; then: number; digits: number; isRate: boolean; isBad?: boolean | undefined }

function Change({ now, then, digits, isRate, isBad = false }: ChangeProps) {
  const change = Number((now - then).toFixed(digits))
  if (change === 0)
    return (
      <Text component="dd" m={0} size="xs" c="dimmed">
        {TEXTS.same}
      </Text>
    )
  const amount = Math.abs(change).toLocaleString('en', { maximumFractionDigits: digits })
  const words = isRate ? TEXTS.points(amount) : amount
  const color = isRate ? (change > 0 === isBad ? 'red' : 'green') : undefined
  return (
    <Text component="dd" m={0} size="xs" c={color ? textOf(color) : 'dimmed'}>
      {change > 0 ? TEXTS.more(words) : TEXTS.less(words)}
    </Text>
  )
}
