// Reads the feed of a webhook from a service, and hands its events to a program on the same machine, for a developer who has no public address.
import type { Static } from '@sinclair/typebox'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import { FEED_WAIT_SECONDS_MAX, WebhookFeed } from '../../modules/webhooks/feed/webhook-feed.schema.ts'
import { WebhookCreated } from '../../modules/webhooks/webhooks.schema.ts'

export type FeedAnswer =
  | { kind: 'feed'; feed: Static<typeof WebhookFeed> }
  /** The position is too old. */
  | { kind: 'gone' }
  /** The service cannot answer now. */
  | { kind: 'unavailable'; problem: string }

/** What the program answered; `problem`: why it did not. */
export type ForwardAnswer = { durationMs: number } & ({ status: number } | { problem: string })

export type FeedClient = {
  /** A webhook without an endpoint. @throws StartupProblem if the service refuses it or is not there. */
  create(events: readonly string[]): Promise<{ id: string; secret: string }>
  /** Waits for events. @throws StartupProblem if the service refuses it. */
  read(webhookId: string, after: string | null, stop: AbortSignal): Promise<FeedAnswer>
  /** @throws StartupProblem if the service refuses it or is not there. */
  remove(webhookId: string): Promise<void>
  forward(request: { url: string; headers: Record<string, string>; body: string }): Promise<ForwardAnswer>
}

/** More than a feed is made to wait. */
const ANSWER_MS_MAX = 60_000
/** The service gives an endpoint this long. */
const FORWARD_MS_MAX = 15_000

const readCreated = createBodyReader(WebhookCreated)
const readFeed = createBodyReader(WebhookFeed)

/** @param url of the service; @param key with full access, or a token of a person, which may be another one at each request */
export function createFeedClient({ url, key }: { url: string; key: string | (() => Promise<string>) }): FeedClient {
  async function call(method: string, path: string, { body, stop }: { body?: object; stop?: AbortSignal } = {}): Promise<Response> {
    const timeout = AbortSignal.timeout(ANSWER_MS_MAX)
    return fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${typeof key === 'string' ? key : await key()}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      signal: stop ? AbortSignal.any([stop, timeout]) : timeout,
      ...(body && { body: JSON.stringify(body) }),
    })
  }

  return {
    async create(events) {
      const response = await call('POST', '/webhooks', { body: { endpoint: null, events } }).catch((error: Error) => {
        throw new StartupProblem(`There is no service at ${url}: ${networkErrorReason(error)}.`)
      })
      if (!response.ok) throw await refusal(response)
      const { id, signing_secret: secret } = readCreated(await response.json())
      return { id, secret }
    },

    async read(webhookId, after, stop) {
      const query = new URLSearchParams({ wait: String(FEED_WAIT_SECONDS_MAX), ...(after !== null && { after }) })
      try {
        const response = await call('GET', `/webhooks/${webhookId}/feed?${query}`, { stop })
        if (response.ok) return { kind: 'feed', feed: readFeed(await response.json()) }
        if (response.status === 410) return { kind: 'gone' }
        if (response.status !== 429 && response.status < 500) throw await refusal(response)
        return { kind: 'unavailable', problem: `it answered ${response.status}` }
      } catch (error) {
        if (error instanceof StartupProblem || !(error instanceof Error)) throw error
        return { kind: 'unavailable', problem: networkErrorReason(error) }
      }
    },

    async remove(webhookId) {
      const response = await call('DELETE', `/webhooks/${webhookId}`).catch((error: Error) => {
        throw new StartupProblem(`Webhook ${webhookId} was not deleted: ${networkErrorReason(error)}. Delete it once the service is back.`)
      })
      if (!response.ok && response.status !== 404) throw await refusal(response)
    },

    async forward({ url: target, headers, body }) {
      const startedMs = performance.now()
      const durationMs = () => Math.round(performance.now() - startedMs)
      try {
        const signal = AbortSignal.timeout(FORWARD_MS_MAX)
        const response = await fetch(target, { method: 'POST', headers, body, redirect: 'manual', signal })
        await response.body?.cancel()
        return { status: response.status, durationMs: durationMs() }
      } catch (error) {
        return { problem: error instanceof Error ? networkErrorReason(error) : String(error), durationMs: durationMs() }
      }
    },
  }
}

/** `fetch` says only that it failed; the cause says why. */
const networkErrorReason = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message || String(cause) : message)

async function refusal(response: Response): Promise<StartupProblem> {
  const body: unknown = await response.json().catch(() => null)
  const message = typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : response.statusText
  return new StartupProblem(`The service answered ${response.status}: ${message}`)
}
