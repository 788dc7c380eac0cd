import { DataTable } from '../parts/DataTable'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { wordsOf } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { EMAIL_TEXTS } from '../texts/emails'
import type { EmailRelations } from './relations'

const TEXTS = EMAIL_TEXTS.relations

/** What webhooks were told of an email; nothing if none was told anything. */
export function WebhookEvents({ events }: { events: EmailRelations['webhook_events'] }) {
  if (events.length === 0) return null
  // Several webhooks know one happening by the same id.
  const rows = events.map(({ id, webhook_id: webhook, ...event }) => ({ ...event, id: `/webhooks/${webhook}/events/${id}` }))
  return (
    <Section title={TEXTS.webhooks}>
      <DataTable
        label={TEXTS.webhooks}
        rows={rows}
        columns={[
          { name: EMAIL_TEXTS.event, cell: ({ id, type }) => <PageLink to={id}>{wordsOf(type.replace('email.', ''))}</PageLink> },
          { name: TEXTS.endpoint, cell: ({ endpoint }) => <bdi>{endpoint ?? TEXTS.feed}</bdi> },
          { name: EMAIL_TEXTS.attempt.at, cell: ({ created_at: at }) => <Time at={at} />, isWide: true },
        ]}
      />
    </Section>
  )
}
