import { Alert, Text } from '@mantine/core'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart } from '../shell/address'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'
import { WebhookActs } from './WebhookActs'
import { WebhookEvents } from './WebhookEvents'
import { WebhookFeed } from './WebhookFeed'
import { WebhookMetrics } from './WebhookMetrics'
import { WebhookSecret } from './WebhookSecret'

type Webhook = RecordOf<'/webhooks/{webhook_id}'>

export default function WebhookPage() {
  const id = useAddressPart('webhookId')
  const may = useMay()
  const { data: webhook, error, refetch } = useRecord('/webhooks/{webhook_id}', { path: { webhook_id: id } })
  if (!webhook) return <Awaited read={{ error, refetch }} />
  return (
    <Page
      title={webhook.endpoint ?? TEXTS.feedOnly}
      back={{ to: '/webhooks', name: TEXTS.title }}
      state={<StateBadge state={webhook.status === 'enabled' && webhook.failing_since !== null ? 'failing' : webhook.status} />}
      acts={may('webhooks:write') && <WebhookActs webhook={webhook} />}
    >
      <Standing webhook={webhook} />
      <WebhookEvents webhook={webhook} />
      {webhook.endpoint !== null && <WebhookMetrics webhookId={webhook.id} />}
      {webhook.endpoint === null && <WebhookFeed webhookId={webhook.id} />}
      <Section title={TEXTS.details}>
        <Facts
          facts={[
            [TEXTS.whichEvents, webhook.events.join(', ')],
            [TEXTS.sending, webhook.endpoint !== null && TEXTS.sendingWords(webhook.concurrency, webhook.ordered)],
            [TEXTS.lastSuccess, webhook.last_success_at && <Time key="success" at={webhook.last_success_at} />],
            [TEXTS.lastFailure, webhook.last_failure_at && <Time key="failure" at={webhook.last_failure_at} />],
            [TEXTS.created, <Time key="created" at={webhook.created_at} />],
            [TEXTS.id, <Copyable key="id" text={webhook.id} />],
          ]}
        />
      </Section>
      {may('webhooks:write') && <WebhookSecret key={webhook.id} webhook={webhook} />}
    </Page>
  )
}

/** Since when, and by whom, as far as the audit log says it to the reader. */
function DisabledByTeam({ webhookId }: { webhookId: string }) {
  const may = useMay()
  const { data } = useRecord('/audit-log', { query: { target_id: webhookId, limit: ACTS_MAX } }, { isEnabled: may('audit-log:read') })
  const act = data?.data.find(({ after }) => (after as { status?: unknown } | null)?.status === 'disabled')
  return (
    <Alert color="orange">
      {act ? (
        <>
          {TEXTS.disabledBy(act.actor.name ?? TEXTS.someone)}: <Time at={act.created_at} />.
        </>
      ) : (
        TEXTS.disabledByTeam
      )}{' '}
      {TEXTS.disabledMeans}
    </Alert>
  )
}
const ACTS_MAX = 100

/** What is not as it should be, and what to do. */
function Standing({ webhook }: { webhook: Webhook }) {
  if (webhook.disabled_reason !== null)
    return (
      <Alert color="red">
        {TEXTS.disabledByService} <bdi>{webhook.disabled_reason}</bdi>{' '}
        {webhook.failing_since !== null && (
          <>
            {TEXTS.failedSince} <Time at={webhook.failing_since} />.{' '}
          </>
        )}
        {TEXTS.disabledByServiceThen}
      </Alert>
    )
  if (webhook.status === 'disabled') return <DisabledByTeam webhookId={webhook.id} />
  if (webhook.endpoint === null) return <Text c="dimmed">{TEXTS.isFeed}</Text>
  if (webhook.failing_since !== null)
    return (
      <Alert color="orange">
        {TEXTS.failingSince} <Time at={webhook.failing_since} />. {TEXTS.failing}
      </Alert>
    )
  return null
}
