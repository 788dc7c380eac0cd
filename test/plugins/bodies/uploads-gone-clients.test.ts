import type { FastifyInstance } from 'fastify'
import { afterEach, expect, it, vi } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import type { Context } from '../../../src/context.ts'
import { sendImport, storedFiles } from '../../support/builders/contact-imports.ts'
import { openRawSocket } from '../../support/clients/raw-requests.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

/** The number of places for all teams together. */
const CLIENTS = 4

let app: FastifyInstance
let url: string

const service = shared(() => startTestService())
afterEach(() => app.close())

async function listen(changes: Partial<Context>): Promise<void> {
  app = await buildApp({ ...service.service.context, ...changes })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

const upload = () =>
  `POST /contacts/imports HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n`

const connectionsLeft = () => new Promise<number>((done) => app.server.getConnections((_error, count) => done(count)))

it('a client that disconnects before its upload has a place leaves none occupied', async () => {
  const { gateways } = service.service.context
  const isLow = vi.fn(async () => false)
  await listen({ gateways: { ...gateways, diskSpace: { ...gateways.diskSpace, isLow } } })
  for (let client = 1; client <= CLIENTS; client++) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    isLow.mockReturnValueOnce(promise)
    const raw = await openRawSocket(url)
    raw.write(upload())
    await until(() => expect(isLow).toHaveBeenCalledTimes(client))
    raw.close()
    await until(async () => expect(await connectionsLeft()).toBe(0))
    resolve(false)
  }
  expect(await sendImport({ ...service, url }, { file: 'email\n' })).toMatchObject({ status: 201 })
  // Nothing of theirs is waited for.
  await app.close()
  expect(await storedFiles(service)).toHaveLength(1)
})
