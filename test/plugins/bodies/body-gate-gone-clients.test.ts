import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import { createKeyRecognition } from '../../../src/modules/accounts/api-keys.service.ts'
import { openRawSocket } from '../../support/clients/raw-requests.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const MIB = 1024 * 1024

let app: FastifyInstance
let url: string
/** Releases the requests whose key is being looked up. */
let holdingBack: PromiseWithResolvers<void>
let lookedUp = 0
/** Requests whose key was recognized. The gate is the next step for them. */
let recognized = 0

const service = shared(() => startTestService())
afterEach(async () => {
  holdingBack.resolve()
  await app.close()
})

/** A service that finds the first keys only when it is told to. */
async function listen(heldBack: number): Promise<void> {
  const { context } = service.service
  const { apiKeys } = context.repositories
  holdingBack = Promise.withResolvers()
  lookedUp = 0
  recognized = 0
  const recognizeAcrossTeams = async (digest: string) => {
    lookedUp += 1
    if (lookedUp <= heldBack) await holdingBack.promise
    return apiKeys.recognizeAcrossTeams(digest)
  }
  const used = (id: string) => {
    recognized += 1
    apiKeys.used(id)
  }
  const repositories = { ...context.repositories, apiKeys: { ...apiKeys, recognizeAcrossTeams, used } }
  app = await buildApp({ ...context, repositories, keyRecognition: createKeyRecognition({ ...context, repositories }) })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

const beginBody = (bytes: number) =>
  `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n{`

const connectionsLeft = () => new Promise<number>((done) => app.server.getConnections((_error, count) => done(count)))

async function statusOf(bytes: number): Promise<number> {
  const { status } = await fetch(`${url}/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    body: `{"subject":"${'x'.repeat(bytes - 14)}"}`,
  })
  return status
}

describe('clients that go away while their key is looked up leave no place occupied', () => {
  it.each([
    // The number that a team may have.
    { of: 'large bodies', bytes: 8 * MIB, clients: 15 },
    { of: 'small bodies', bytes: MIB, clients: 32 },
  ])('of $of', async ({ bytes, clients }) => {
    await listen(clients)
    const raws = await Promise.all(Array.from({ length: clients }, () => openRawSocket(url)))
    for (const raw of raws) raw.write(beginBody(bytes))
    await until(() => expect(lookedUp).toBe(clients))
    for (const raw of raws) raw.close()
    await until(async () => expect(await connectionsLeft()).toBe(0))
    holdingBack.resolve()
    await until(() => expect(recognized).toBe(clients))
    await new Promise(setImmediate)
    expect(await statusOf(bytes)).toBe(422)
  })
})
