import { Accordion, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Json } from '../parts/Json'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'

type FeedEvent = RecordOf<'/webhooks/{webhook_id}/feed'>['data'][number]

/** As a program reads it: from the beginning, and on from where the answer before ended. */
export function WebhookFeed({ webhookId }: { webhookId: string }) {
  const [after, setAfter] = useState<string | null>(null)
  const read = useRecord('/webhooks/{webhook_id}/feed', {
    path: { webhook_id: webhookId },
    query: { limit: 20, ...(after !== null && { after }) },
  })
  const feed = read.data
  return (
    <Section title={TEXTS.feed}>
      <Text size="sm" c="dimmed">
        {TEXTS.feedHint}
      </Text>
      {!feed && <Awaited read={read} />}
      {feed && feed.data.length === 0 && <Text>{TEXTS.feedEnd}</Text>}
      {feed && feed.data.length > 0 && <Events events={feed.data} />}
      {feed?.has_more && (
        <Group>
          <Button variant="default" onClick={() => setAfter(feed.next)}>
            {TEXTS.feedMore}
          </Button>
        </Group>
      )}
    </Section>
  )
}

const Events = ({ events }: { events: readonly FeedEvent[] }) => (
  <Accordion chevronPosition="left" variant="contained">
    {events.map(({ id, type, created_at, payload }) => (
      <Accordion.Item key={id} value={id}>
        <Accordion.Control>
          <Group justify="space-between">
            {type} <Time at={created_at} />
          </Group>
        </Accordion.Control>
        <Accordion.Panel>{payload === null ? TEXTS.noPayload : <Json value={payload} label={`${TEXTS.payload} ${id}`} />}</Accordion.Panel>
      </Accordion.Item>
    ))}
  </Accordion>
)
