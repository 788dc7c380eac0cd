import { Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useRecord } from '../api/queries'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { useMay } from '../session/me'
import { Problem } from '../shell/problems'
import { OVERVIEW_TEXTS as TEXTS } from '../texts/overview'
import { Attention } from './Attention'
import { FirstSteps } from './FirstSteps'
import { LatestEmails } from './LatestEmails'
import { Limits } from './Limits'
import { Numbers } from './Numbers'
import { Queue } from './Queue'

const EVERY_MS = 30_000

/** Today and the last days at a glance, and what someone has to do. */
export default function OverviewPage() {
  const may = useMay()
  const { data: overview, error, refetch } = useRecord('/overview', {}, { everyMs: EVERY_MS })
  if (error && !overview) return <Problem error={error} onRetry={() => void refetch()} />
  if (!overview)
    return (
      <Page title={TEXTS.title}>
        <Skeleton h={240} />
      </Page>
    )
  const { first_steps: steps } = overview
  return (
    <Page title={TEXTS.title}>
      {steps && !steps.is_complete && may('emails:send') && <FirstSteps steps={steps} />}
      <Numbers overview={overview} />
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {TEXTS.days}
        </Text>
        <PageLink to="/metrics" size="sm">
          {TEXTS.allMetrics}
        </PageLink>
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Attention overview={overview} />
        <Stack>
          <Queue queue={overview.queue} />
          <Limits limits={overview.limits} />
        </Stack>
      </SimpleGrid>
      {may('emails:read') && <LatestEmails />}
    </Page>
  )
}
