import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import { openRawSocket, type RawSocket } from '../../support/clients/raw-requests.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let app: FastifyInstance
let raw: RawSocket

const service = shared(() => startTestService())
beforeAll(async () => {
  app = await buildApp(service.service.context, { silentConnectionMs: 300 })
  raw = await openRawSocket(await app.listen({ host: '127.0.0.1', port: 0 }))
})
afterAll(async () => {
  raw.close()
  await app.close()
})

const connections = () => new Promise<number>((done) => app.server.getConnections((_error, count) => done(count)))

it('a client that asks for much and reads nothing loses its connection', async () => {
  raw.socket.pause()
  // More than the system buffers for it.
  raw.write('GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(30))
  await until(async () => expect(await connections()).toBe(0))
})
