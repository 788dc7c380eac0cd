import { useRecord, useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { LoadingMark } from '../parts/Loading'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'
import { CreateWebhook } from './CreateWebhook'

export default function WebhooksPage() {
  const may = useMay()
  const list = useRows('/webhooks')
  return (
    <Page title={TEXTS.title} acts={may('webhooks:write') && <CreateWebhook />}>
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/webhooks/${id}`}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.endpoint, cell: ({ endpoint }) => endpoint ?? TEXTS.feedOnly },
          { name: TEXTS.state, cell: ({ status }) => <StateBadge state={status} /> },
          { name: TEXTS.health, cell: ({ id }) => <Health id={id} /> },
          { name: TEXTS.events, cell: ({ events }) => <Dimmed>{eventsOf(events)}</Dimmed>, isWide: true },
          { name: TEXTS.created, cell: ({ created_at }) => <Time at={created_at} form="day" />, isWide: true },
        ]}
      />
    </Page>
  )
}

/** More of them are counted. */
const EVENTS_NAMED_MAX = 2

const eventsOf = (events: readonly string[]): string => (events.length > EVENTS_NAMED_MAX ? TEXTS.types(events.length) : events.join(', '))

/** A team has at most fifty, so each is asked for its own. */
function Health({ id }: { id: string }) {
  const { data: webhook, isPending } = useRecord('/webhooks/{webhook_id}', { path: { webhook_id: id } })
  if (isPending) return <LoadingMark size="xs" label={TEXTS.health} />
  if (!webhook) return null
  if (webhook.failing_since !== null)
    return (
      <Dimmed>
        <StateBadge state="failing" /> {TEXTS.since} <Time at={webhook.failing_since} />
      </Dimmed>
    )
  if (webhook.last_success_at === null) return <Dimmed>{TEXTS.never}</Dimmed>
  return (
    <Dimmed>
      {TEXTS.lastSuccess} <Time at={webhook.last_success_at} form="ago" />
    </Dimmed>
  )
}
