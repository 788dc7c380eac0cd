// Clients that send emails one after another, whatever happens to the service.
import { setTimeout as wait } from 'node:timers/promises'

export type Load = {
  /** Ids of the emails that were answered with 200. */
  accepted: string[]
  /** How many answers had each status; `none` if the connection ended without one. */
  statuses: Record<string, number>
  /** Resolves when all emails are accepted. */
  done: Promise<void>
  /** Sends no further email. */
  stop(): void
}

export type LoadOptions = {
  /** The current address of the service, read before every request. */
  url: () => string
  token: string
  count: number
  clients?: number
  /** How long each client waits after an email was accepted; 0 if absent. */
  pauseMs?: number
  /** Fields of the request number `index`, and its idempotency key if it has one. */
  request?: (index: number) => { fields?: Record<string, unknown>; key?: string }
}

const RETRY_MS = 50

/** Sends `count` emails and retries each until it is accepted. */
export function startLoad({ url, token, count, clients = 16, pauseMs = 0, request = () => ({}) }: LoadOptions): Load {
  const accepted: string[] = []
  const statuses: Record<string, number> = {}
  let next = 0

  async function send(index: number): Promise<void> {
    const { fields, key } = request(index)
    for (;;) {
      const answer = await post(index, fields, key).catch(() => null)
      const status = answer === null ? 'none' : String(answer.status)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (answer?.status === 200) {
        accepted[index] = answer.id
        if (pauseMs > 0) await wait(pauseMs)
        return
      }
      await wait(RETRY_MS)
    }
  }

  async function post(index: number, fields: Record<string, unknown> = {}, key?: string): Promise<{ status: number; id: string }> {
    const response = await fetch(`${url()}/emails`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: JSON.stringify({ from: 'a@example.com', to: `r${index}@example.org`, subject: `Number ${index}`, text: 'Hello.', ...fields }),
      signal: AbortSignal.timeout(80_000),
    })
    const body = (await response.json()) as { id?: string }
    return { status: response.status, id: body.id ?? '' }
  }

  async function client(): Promise<void> {
    while (next < count) await send(next++)
  }

  return {
    accepted,
    statuses,
    done: Promise.all(Array.from({ length: clients }, client)).then(() => {}),
    stop() {
      next = count
    },
  }
}

/** Ids of the emails that arrived, from their Message-IDs; one for each message. */
export const arrivedIds = (messages: { raw: string }[]): string[] =>
  messages.map(({ raw }) => /^Message-ID: <([0-9a-f-]{36})@/im.exec(raw)?.[1] ?? 'unknown')
