import { Box, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import type { RecordOf } from '../api/queries'
import { countOf, shareOf } from '../parts/numbers'
import { PageLink } from '../parts/PageLink'
import { useMay } from '../session/me'
import { BROADCAST_TEXTS as TEXTS } from '../texts/broadcasts'

type Counts = RecordOf<'/broadcasts/{broadcast_id}'>['counts']
type Kind = keyof Counts

/** Each is a part of the one before it. */
const STAGES: readonly Kind[] = ['recipients', 'sent', 'delivered', 'opened', 'clicked']
/** Of whom the share is: opens and clicks are of those who have it. */
const WHOLES: Readonly<Partial<Record<Kind, Kind>>> = {
  opened: 'delivered',
  clicked: 'delivered',
  unsubscribed: 'delivered',
  complained: 'delivered',
}
const COLORS: Readonly<Partial<Record<Kind, string>>> = {
  recipients: 'gray',
  sent: 'blue',
  delivered: 'teal',
  opened: 'indigo',
  clicked: 'violet',
}
/** What one does not want; those that never happened are left out, but for the first three. */
const TROUBLE: readonly Kind[] = ['bounced', 'complained', 'unsubscribed', 'suppressed', 'failed', 'canceled']
const ALWAYS_SHOWN = 3

/** What became of a broadcast: how many are left at each stage, and who was lost. Each number leads to the people behind it. */
export function Funnel({ broadcastId, counts }: { broadcastId: string; counts: Counts }) {
  const lost = TROUBLE.filter((kind, index) => index < ALWAYS_SHOWN || counts[kind] > 0)
  return (
    <Stack gap="md">
      <Stack gap="xs" component="dl" m={0}>
        {STAGES.map((kind) => (
          <Group key={kind} gap="sm" wrap="nowrap" component="div">
            <Text component="dt" w={{ base: 84, sm: 110 }} size="sm">
              {TEXTS.funnelOf[kind]}
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
                <Text w={70} ta="right" fw={600} component="span">
                  <People broadcastId={broadcastId} kind={kind} count={counts[kind]} />
                </Text>
                <Text w={64} ta="right" c="dimmed" size="sm" component="span">
                  {kind === 'recipients' ? '' : shareOf(counts[kind], counts[WHOLES[kind] ?? 'recipients'])}
                </Text>
              </Group>
            </Box>
          </Group>
        ))}
      </Stack>
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
    </Stack>
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
