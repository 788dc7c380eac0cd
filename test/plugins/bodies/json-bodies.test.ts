import type { FastifyInstance } from 'fastify'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import type { JsonBodyOptions } from '../../../src/plugins/bodies/json-bodies.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const MIB = 1024 * 1024
const BUSY = {
  statusCode: 503,
  name: 'service_unavailable',
  message: 'Other large request bodies are being read already. Please try again in a few seconds.',
}
/** Parsed, and refused by the validation. */
const LARGE = JSON.stringify({ subject: 'x'.repeat(MIB) })

const service = shared(() => startTestService())
let app: FastifyInstance
let url: string
let tokens: string[] = []

beforeAll(async () => {
  const third = await service.service.context.repositories.teams.create('Third team')
  tokens = [service.token, service.other.token, await service.createKey(third.id)]
})
afterEach(() => app.close())

/** Bodies that are being parsed wait here, each before its next step. */
const waiting: (() => void)[] = []
const turn = () => new Promise<void>((resolve) => waiting.push(resolve))
const goOn = () => {
  for (const step of waiting.splice(0)) step()
}

async function start(options: JsonBodyOptions = {}): Promise<void> {
  app = await buildApp(service.service.context, { jsonBodies: { turn, ...options } })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

async function send(token: string | undefined, body = LARGE) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/emails`, { method: 'POST', headers, body })
  return { status: answer.status, body: await answer.json(), retryAfter: answer.headers.get('retry-after') }
}

/** Lets all that is being parsed go on until these are answered. @returns how many were being parsed at once, at most */
async function finish(requests: Promise<{ status: number }>[]): Promise<number> {
  const statuses: number[] = []
  for (const request of requests) request.then(({ status }) => statuses.push(status))
  let most = 0
  await until(() => {
    most = Math.max(most, waiting.length)
    goOn()
    expect(statuses).toEqual(requests.map(() => 422))
  })
  return most
}

describe('bodies over 1 MB', () => {
  it('are parsed one at a time for a team', async () => {
    await start()
    const requests = [send(tokens[0]), send(tokens[0]), send(tokens[0])]
    await until(() => expect(waiting).toHaveLength(1))
    expect(await finish(requests)).toBe(1)
  })

  it('are parsed two at a time in the process, so that a team with many leaves room for another', async () => {
    await start()
    const requests = [send(tokens[0]), send(tokens[0]), send(tokens[0])]
    await until(() => expect(waiting).toHaveLength(1))
    requests.push(send(tokens[1]))
    await until(() => expect(waiting).toHaveLength(2))
    requests.push(send(tokens[2]), send(tokens[1]))
    expect(await finish(requests)).toBe(2)
  })

  it('are refused with a time to retry after when their turn does not come', async () => {
    await start({ waitMsMax: 1 })
    const first = send(tokens[0])
    await until(() => expect(waiting).toHaveLength(1))
    expect(await send(tokens[0])).toEqual({ status: 503, body: BUSY, retryAfter: '5' })
    expect(await finish([first])).toBe(1)
  })

  it('leave their turn to the next one when they are refused', async () => {
    await start()
    const texts = [`{"a":"${'x'.repeat(MIB)}`, `${'['.repeat(60)}"${'x'.repeat(MIB)}"`, `{"__proto__":"${'x'.repeat(MIB)}"}`, LARGE]
    const statuses: number[] = []
    for (const text of texts) send(tokens[0], text).then(({ status }) => statuses.push(status))
    await until(() => {
      goOn()
      expect(statuses.toSorted()).toEqual([400, 422, 422, 422])
    })
  })

  it('never make smaller ones wait', async () => {
    await start()
    const large = send(tokens[0])
    await until(() => expect(waiting).toHaveLength(1))
    expect((await send(tokens[0], JSON.stringify({ subject: 'x'.repeat(MIB / 2) }))).status).toBe(422)
    await finish([large])
  })
})
