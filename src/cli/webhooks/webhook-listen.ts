// Brings what happens to a team to a program on a developer's machine, signed like the requests of the service, without a public address.
import { setTimeout as wait } from 'node:timers/promises'
import { payloadText } from '../../modules/webhooks/payloads/webhook-payloads.ts'
import { secretOfShown, signedHeaders } from '../../modules/webhooks/webhook-secrets.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../modules/webhooks/webhooks.schema.ts'
import type { FeedClient, ForwardAnswer } from './feed-client.ts'

export type Listening = {
  client: FeedClient
  forwardTo: string
  /** All of them if none is named. */
  events: readonly WebhookEventType[]
  /** A line for each event. */
  print(line: string): void
  /** Everything else. */
  say(line: string): void
  stop: AbortSignal
}

/** Before the service is asked again after it could not answer. */
const PAUSE_MS = 2_000

/** Until it is stopped: makes a webhook, forwards its events one after the other, and deletes it. */
export async function listen({ client, forwardTo, events, print, say, stop }: Listening): Promise<void> {
  const { id, secret } = await client.create(events.length > 0 ? events : WEBHOOK_EVENT_TYPES)
  try {
    say(`Webhook ${id} forwards to ${forwardTo} until Ctrl-C. Its secret:`)
    say(secret)
    await follow(id, secret)
  } finally {
    await client.remove(id)
    say(`Webhook ${id} is deleted.`)
  }

  async function follow(webhookId: string, shown: string): Promise<void> {
    let position: string | null = null
    let isAway = false
    while (!stop.aborted) {
      const answer = await client.read(webhookId, position, stop)
      if (stop.aborted) return
      if (answer.kind === 'unavailable') {
        if (!isAway) say(`The service cannot be reached (${answer.problem}). Trying again until it can.`)
        isAway = true
        await wait(PAUSE_MS, undefined, { signal: stop }).catch(() => {})
        continue
      }
      if (isAway) say('The service is back.')
      isAway = false
      if (answer.kind === 'gone') {
        say('Older events are no longer kept.')
        position = null
        continue
      }
      for (const event of answer.feed.data) {
        if (stop.aborted) return
        if (event.payload) print(formatAnswer(event, await forward(event.id, payloadText(event.payload), shown)))
      }
      position = answer.feed.next
    }
  }

  function forward(eventId: string, body: string, shown: string): Promise<ForwardAnswer> {
    const seconds = Math.floor(Date.now() / 1_000)
    const headers = signedHeaders([secretOfShown(shown)], { id: eventId, seconds, body })
    return client.forward({ url: forwardTo, headers: { ...headers, 'content-type': 'application/json' }, body })
  }
}

function formatAnswer({ id, type }: { id: string; type: string }, answer: ForwardAnswer): string {
  const outcome = 'status' in answer ? String(answer.status) : `no answer: ${answer.problem}`
  return `${type}  ${id}  ${outcome}  ${answer.durationMs} ms`
}
