// Which webhooks are left alone for a moment, and to which endpoints only a little is sent: those that did not answer in time, or asked to wait.

export type WebhookBackoff = {
  /** Nothing is claimed for it so long. */
  leaveAlone(webhookId: string, ms: number): void
  isLeftAlone(webhookId: string): boolean
  /** How long each that is left alone will be. */
  waitsMs(): number[]
  /** What its endpoint may have at once. */
  requestsAtOnce(webhook: { webhookId: string; concurrency: number }): number
  /** `askedMs`: how long the endpoint asked to be left alone; null if it did not. */
  note(webhookId: string, answer: { isTimeout: boolean; askedMs: number | null }): void
}

/** What an endpoint asks for holds back all of its events no longer than this: it may have meant only one of them. */
export const ASKED_MS_MAX = 60_000
/** At once, to an endpoint that did not answer in time or asked to wait. Once it does neither it gets all of its own again. */
const REQUESTS_WHILE_SPARED = 2
/** How many webhooks are remembered as left alone, and how many as spared. */
const REMEMBERED_MAX = 10_000

export function createWebhookBackoff({ monotonicMs }: { monotonicMs(): number }): WebhookBackoff {
  const spared = new Set<string>()
  const untilMs = new Map<string, number>()

  function leaveAlone(webhookId: string, ms: number): void {
    const until = Math.max(untilMs.get(webhookId) ?? 0, monotonicMs() + ms)
    untilMs.delete(webhookId)
    untilMs.set(webhookId, until)
    forgetFirst(untilMs)
  }

  return {
    leaveAlone,
    isLeftAlone(webhookId) {
      const until = untilMs.get(webhookId)
      if (until === undefined) return false
      if (until > monotonicMs()) return true
      untilMs.delete(webhookId)
      return false
    },
    waitsMs() {
      const nowMs = monotonicMs()
      for (const [webhookId, until] of untilMs) if (until <= nowMs) untilMs.delete(webhookId)
      return [...untilMs.values()].map((until) => until - nowMs)
    },
    requestsAtOnce: ({ webhookId, concurrency }) => (spared.has(webhookId) ? Math.min(REQUESTS_WHILE_SPARED, concurrency) : concurrency),
    note(webhookId, { isTimeout, askedMs }) {
      spared.delete(webhookId)
      if (isTimeout || askedMs !== null) spared.add(webhookId)
      forgetFirst(spared)
      if (askedMs !== null) leaveAlone(webhookId, Math.min(askedMs, ASKED_MS_MAX))
    },
  }
}

function forgetFirst(known: Set<string> | Map<string, number>): void {
  for (const webhookId of known.keys()) {
    if (known.size <= REMEMBERED_MAX) return
    known.delete(webhookId)
  }
}
