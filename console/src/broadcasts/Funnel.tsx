import { Box, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import type { RecordOf } from '../api/queries'
import { isUntracked, type TrackedDomain } from '../domains/tracked'
import { countOf, shareOf } from '../parts/numbers'
import { PageLink } from '../parts/PageLink'
import { useIsPhone } from '../parts/use-is-phone'
import { useMay } from '../session/me'
import { BROADCAST_TEXTS as TEXTS } from '../texts/broadcasts'
import { CHART_TEXTS } from '../texts/metrics'

type Counts = RecordOf<'/broadcasts/{broadcast_id}'>['counts']
type Kind = keyof Counts

/** Each is a part of the one before it. */
const STAGES: readonly Kind[] = ['recipients', 'sent', 'delivered', 'opened', 'clicked']
/** The total for the share: opens and clicks are shares of those who have the email. */
const WHOLES: Readonly<Partial<Record<Kind, Kind>>> = {
  opened: 'delivered',
  clicked: 'delivered',
  unsubscribed: 'delivered',
  complained: 'delivered',
}
const COLORS: Readonly<Partial<Record<Kind, string>>> = {
  recipients: 'cyan',
  sent: 'blue',
  delivered: 'teal',
  opened: 'indigo',
  clicked: 'violet',
}
/** What one does not want; those that never happened are left out, but for the first three. */
const TROUBLE: readonly Kind[] = ['bounced', 'complained', 'unsubscribed', 'suppressed', 'failed', 'canceled']
const ALWAYS_SHOWN = 3

type FunnelProps = {
  broadcastId: string
  counts: Counts
  /** Not everyone's turn has come. */
  isUnderWay: boolean
  /** The domain of the sender. */
  domain: TrackedDomain
}

/** What became of a broadcast: how many are left at each stage, and who was lost. Each number leads to its people. */
export function Funnel({ broadcastId, counts, isUnderWay, domain }: FunnelProps) {
  const isPhone = useIsPhone()
  const untracked = STAGES.filter((kind) => isUntracked(kind, counts[kind], domain.tracked))
  const lost = TROUBLE.filter((kind, index) => index < ALWAYS_SHOWN || counts[kind] > 0)
  return (
    <Stack gap="md">
      {isUnderWay && <Text c="dimmed">{TEXTS.soFar(countOf(counts.recipients), counts.recipients)}</Text>}
      <Stack gap="xs" component="dl" m={0}>
        {STAGES.map((kind) => (
          <Group key={kind} gap={isPhone ? 2 : 'sm'} wrap={isPhone ? 'wrap' : 'nowrap'} component="div">
            <Text component="dt" w={{ base: '100%', sm: 120 }} size="sm">
              {kind === 'recipients' && isUnderWay ? TEXTS.recipientsSoFar : TEXTS.funnelOf[kind]}
            </Text>
            <Box component="dd" m={0} flex={1}>
              <Group gap="sm" wrap="nowrap">
                <Progress
                  value={counts.recipients === 0 ? 0 : (counts[kind] / counts.recipients) * 100}
                  color={COLORS[kind] ?? 'gray'}
                  size={22}
                  flex={1}
                  aria-hidden
                />
                {untracked.includes(kind) ? (
                  <Text w={BOTH_WIDTH} ta="right" c="dimmed" size="sm" component="span">
                    {CHART_TEXTS.notTracked}
                  </Text>
                ) : (
                  <>
                    <Text w={COUNT_WIDTH} ta="right" fw={600} component="span">
                      <People broadcastId={broadcastId} kind={kind} count={counts[kind]} />
                    </Text>
                    <Text w={SHARE_WIDTH} ta="right" c="dimmed" size="sm" component="span">
                      {kind === 'recipients' ? '' : shareOf(counts[kind], counts[WHOLES[kind] ?? 'recipients'])}
                    </Text>
                  </>
                )}
              </Group>
            </Box>
          </Group>
        ))}
      </Stack>
      {untracked.length > 0 && <Untracked kinds={untracked} domain={domain} />}
      <SimpleGrid cols={{ base: 2, xs: 3, md: 6 }} component="dl" m={0}>
        {lost.map((kind) => (
          <div key={kind}>
            <Text component="dt" size="sm" c="dimmed">
              {TEXTS.funnelOf[kind]}
            </Text>
            <Group component="dd" m={0} gap={6} align="baseline">
              <Text span fw={600}>
                <People broadcastId={broadcastId} kind={kind} count={counts[kind]} />
              </Text>
              <Text span c="dimmed" size="sm">
                {shareOf(counts[kind], counts[WHOLES[kind] ?? 'recipients'])}
              </Text>
            </Group>
          </div>
        ))}
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        {TEXTS.sharesOf}
      </Text>
    </Stack>
  )
}

const COUNT_WIDTH = 70
const SHARE_WIDTH = 64
const BOTH_WIDTH = `calc(${COUNT_WIDTH + SHARE_WIDTH}px + var(--mantine-spacing-sm))`

/** Why there is no number, and where that can be changed for the next broadcast. */
function Untracked({ kinds, domain: { id, name } }: { kinds: readonly Kind[]; domain: TrackedDomain }) {
  const may = useMay()
  const words = kinds.length > 1 ? TEXTS.untracked.both : kinds.includes('opened') ? TEXTS.untracked.opens : TEXTS.untracked.clicks
  return (
    <Text size="sm" c="dimmed">
      {words(name)}{' '}
      {id !== null && may('domains:read') && (
        <PageLink to={`/domains/${id}`} underline="always">
          {TEXTS.trackedIn}
        </PageLink>
      )}
    </Text>
  )
}

function People({ broadcastId, kind, count }: { broadcastId: string; kind: Kind; count: number }) {
  const may = useMay()
  if (count === 0 || kind === 'recipients' || !may('contacts:read')) return <>{countOf(count)}</>
  return (
    <PageLink to={`/broadcasts/${broadcastId}/recipients`} search={{ type: kind }}>
      {countOf(count)}
    </PageLink>
  )
}
