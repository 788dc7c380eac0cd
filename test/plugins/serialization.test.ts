import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { bodySchema } from '../../src/http/operation.ts'
import { serialization } from '../../src/plugins/serialization.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const service = shared(() => startTestService())

it('writes the example of every operation whole', async () => {
  const operations = (service.service.app?.operations ?? []).filter(({ isStream, file }) => !isStream && !file)
  const app = Fastify()
  serialization(app)
  for (const { id, reply, example } of operations) {
    app.get(`/${id}`, { schema: { response: { 200: bodySchema(reply) } } }, async () => example.reply)
  }
  const written = await Promise.all(operations.map(async ({ id }) => (await app.inject(`/${id}`)).json()))
  expect(operations.length).toBeGreaterThan(60)
  expect(written).toEqual(operations.map(({ example }) => example.reply))
  await app.close()
})
