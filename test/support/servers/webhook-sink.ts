// An endpoint for webhooks that verifies all it gets, with each of the libraries that its users have.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Resend } from 'resend'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { vi } from 'vitest'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'

export type Hooked = {
  path: string
  id: string
  /** Its subject, as the data says. */
  data: Record<string, unknown>
  type: string
  test: boolean
  body: string
  headers: Record<string, string>
  atMs: number
}

type Respond = (request: IncomingMessage, response: ServerResponse, hooked: Hooked) => void

export type WebhookSink = {
  /** `http://127.0.0.1:<port>` */
  url: string
  hooks: Hooked[]
  /** Requests that were not answered yet, by path, and the most there were. */
  atOnce(path: string): { now: number; most: number }
  /** What a path answers; 200 unless it is said. */
  answer(path: string, respond: Respond): void
  /** From now on, what comes to this path must be signed with this secret. */
  expectSecret(path: string, secret: string): void
  /** What could not be verified. */
  faults: string[]
  close(): Promise<void>
}

/** `clock`: that of the service. */
export async function startWebhookSink(clock: Clock = systemClock): Promise<WebhookSink> {
  const hooks: Hooked[] = []
  const faults: string[] = []
  const routes = new Map<string, Respond>()
  const secrets = new Map<string, string>()
  const counts = new Map<string, { now: number; most: number }>()

  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const count = counts.get(path) ?? { now: 0, most: 0 }
    counts.set(path, count)
    count.now += 1
    count.most = Math.max(count.most, count.now)
    response.once('close', () => {
      count.now -= 1
    })
    response.on('error', () => {})
    const body = await text(request).catch(() => null)
    if (body === null) return
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const hooked = { path, ...parsed(body), id: headers['svix-id'] ?? '', body, headers, atMs: performance.now() }
    const secret = secrets.get(path)
    if (secret !== undefined) faults.push(...faultsOf({ body, headers }, secret, clock))
    hooks.push(hooked)
    const respond = routes.get(path)
    if (respond) respond(request, response, hooked)
    else response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    hooks,
    atOnce: (path) => counts.get(path) ?? { now: 0, most: 0 },
    answer: (path, respond) => void routes.set(path, respond),
    expectSecret: (path, secret) => void secrets.set(path, secret),
    faults,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Why the libraries do not accept it at the time of this clock. They ask the system for its time. */
export function faultsOf({ body, headers }: Pick<Hooked, 'body' | 'headers'>, secret: string, clock: Clock = systemClock): string[] {
  const time = vi.spyOn(Date, 'now').mockReturnValue(clock.now().getTime())
  try {
    const { webhooks } = new Resend('re_not_asked_for_here')
    const named = (name: string) => headers[`svix-${name}`] ?? ''
    const sdkHeaders = { id: named('id'), timestamp: named('timestamp'), signature: named('signature') }
    return [
      () => new SvixWebhook(secret).verify(body, headers),
      () => new StandardWebhook(secret).verify(body, headers),
      () => webhooks.verify({ payload: body, headers: sdkHeaders, webhookSecret: secret }),
    ].flatMap((verify) => faultsOfOne(verify, headers))
  } finally {
    time.mockRestore()
  }
}

function faultsOfOne(verify: () => unknown, headers: Hooked['headers']): string[] {
  try {
    verify()
    return []
  } catch (error) {
    return [`${headers['svix-id']}: ${String(error)}`]
  }
}

function parsed(body: string): Pick<Hooked, 'type' | 'data' | 'test'> {
  const { type, data, test = false } = JSON.parse(body)
  return { type, data, test }
}
