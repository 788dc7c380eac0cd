import { Group, Progress, Stack, Text } from '@mantine/core'
import type { RecordOf } from '../api/queries'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { OVERVIEW_TEXTS as TEXTS } from '../texts/overview'

type Limit = RecordOf<'/overview'>['limits'][number]

/** From here on, a limit wants someone. */
const NEAR_PERCENT = 80

/** How much may still be sent today and this month, if there are limits. */
export function Limits({ limits }: { limits: readonly Limit[] }) {
  if (limits.length === 0) return null
  return (
    <Section title={TEXTS.limits} acts={<PageLink to="/usage">{TEXTS.usage}</PageLink>}>
      <Stack>
        {limits.map((limit) => (
          <One key={limit.period} limit={limit} />
        ))}
      </Stack>
    </Section>
  )
}

function One({ limit: { period, used, limit, left } }: { limit: Limit }) {
  const percent = limit === 0 ? 100 : Math.min(100, Math.floor((used * 100) / limit))
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {TEXTS.period[period]}
        </Text>
        <Text size="sm">{TEXTS.used(used, limit)}</Text>
      </Group>
      <Progress
        value={percent}
        color={left === 0 ? 'red' : percent >= NEAR_PERCENT ? 'orange' : 'indigo'}
        aria-label={TEXTS.period[period]}
      />
      {left === 0 && (
        <Text size="sm" c="dimmed">
          {TEXTS.full}
        </Text>
      )}
    </Stack>
  )
}
