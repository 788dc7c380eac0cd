import { Group, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useRecord } from '../api/queries'
import { NotLoaded } from '../parts/ErrorAlert'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { useMay } from '../session/me'
import { OVERVIEW_TEXTS as TEXTS } from '../texts/overview'
import { Attention } from './Attention'
import { LatestEmails } from './LatestEmails'
import { Limits } from './Limits'
import { Numbers } from './Numbers'
import { Queue } from './Queue'

/** Only new teams have it, and its form takes time to load. */
const FirstSteps = lazy(() => import('./FirstSteps'))

const EVERY_MS = 30_000

/** Today and the last days at a glance, and what someone has to do. */
export default function OverviewPage() {
  const may = useMay()
  const { data: overview, error, refetch } = useRecord('/overview', {}, { everyMs: EVERY_MS })
  if (error && !overview) return <NotLoaded error={error} onRetry={() => void refetch()} />
  if (!overview)
    return (
      <Page title={TEXTS.title}>
        <Skeleton h={240} />
      </Page>
    )
  const { first_steps: steps, attention, limits } = overview
  // First what someone has to do, and the numbers first while there is nothing.
  const needsSomeone = attention.length > 0
  return (
    <Page title={TEXTS.title}>
      {steps && !steps.is_complete && may('emails:send') && (
        <Suspense fallback={<Skeleton h={240} />}>
          <FirstSteps steps={steps} />
        </Suspense>
      )}
      {needsSomeone && <Attention overview={overview} />}
      <Numbers overview={overview} />
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {TEXTS.days}
        </Text>
        <PageLink to="/metrics" size="sm">
          {TEXTS.allMetrics}
        </PageLink>
      </Group>
      <SimpleGrid cols={{ base: 1, md: needsSomeone && limits.length === 0 ? 1 : 2 }}>
        {!needsSomeone && <Attention overview={overview} />}
        <Queue queue={overview.queue} />
        <Limits limits={limits} />
      </SimpleGrid>
      {may('emails:read') && <LatestEmails />}
    </Page>
  )
}
