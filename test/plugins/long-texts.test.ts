import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import Fastify, { type FastifyInstance } from 'fastify'
import { expect, it } from 'vitest'
import { closingConnections } from '../../src/plugins/connections.ts'
import { longTexts } from '../../src/plugins/serialization.ts'

const HTML = '<p>😀 "é" \\ \u0000</p>\r\n'.repeat(50_000)
const TEXT = '日本語\n'.repeat(400_000)

function app(): FastifyInstance {
  const made = Fastify()
  longTexts(made)
  return made
}

it('writes a reply with long texts like all others, also for HEAD', async () => {
  const reply = { object: 'email', html: HTML, empty: '', text: TEXT, list: [TEXT], null: null }
  const served = app().get('/', async () => reply)
  const answer = await served.inject('/')
  expect(answer.body === JSON.stringify(reply)).toBe(true)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(Buffer.byteLength(JSON.stringify(reply))) }
  expect(answer.headers).toMatchObject(headers)
  expect(await served.inject({ method: 'HEAD', url: '/' })).toMatchObject({ statusCode: 200, body: '', headers })
})

it('writes each text into its own field where the schema has another order', async () => {
  const string = { type: 'string' }
  const served = app().get(
    '/',
    { schema: { response: { 200: { type: 'object', properties: { text: string, html: string } } } } },
    async () => ({
      html: HTML,
      text: TEXT,
    }),
  )
  expect((await served.inject('/')).body === JSON.stringify({ text: TEXT, html: HTML })).toBe(true)
})

it('others get a turn while a long text is written', async () => {
  let turns = 0
  const count = () => {
    turns += 1
    counting = setImmediate(count)
  }
  let counting: NodeJS.Immediate | undefined
  const served = app().get('/', async () => {
    count()
    return { text: TEXT }
  })
  await served.inject('/')
  clearImmediate(counting)
  expect(turns).toBeGreaterThan(TEXT.length / 300_000)
})

it('leaves out a long text that the schema does not have', async () => {
  const schema = { response: { 200: { type: 'object', properties: { html: { type: 'string' } } } } }
  const served = app().get('/', { schema }, async () => ({ text: TEXT, html: HTML, more: TEXT }))
  expect((await served.inject('/')).body === JSON.stringify({ html: HTML })).toBe(true)
})

it.each([
  ['a list', [TEXT]],
  ['an object with a form of its own', { text: TEXT, toJSON: () => ({ short: 'x' }) }],
  ['a date with a long text', Object.assign(new Date(0), { text: TEXT })],
])('writes %s like all others', async (_, reply) => {
  const served = app().get('/', async () => reply)
  expect((await served.inject('/')).body === JSON.stringify(reply)).toBe(true)
})

it('answers with an error like all others where a reply cannot be written', async () => {
  const served = app()
  const sent: unknown[] = []
  served.addHook('onSend', async (_request, _reply, payload) => {
    sent.push(payload)
  })
  served.get('/', async () => ({ text: TEXT, circle: 1n }))
  const answer = await served.inject('/')
  expect(answer.statusCode).toBe(500)
  expect(answer.json()).toEqual({ statusCode: 500, error: 'Internal Server Error', message: expect.any(String) })
  expect(sent).toEqual([answer.body])
})

it('ends the connection of a long reply if the service begins to stop while it is written', async () => {
  const served = app()
  closingConnections(served, { isDraining: () => false })
  let closing: Promise<void> | undefined
  served.addHook('preSerialization', async (_request, _reply, payload) => {
    closing = served.close()
    return payload
  })
  served.get('/', async () => ({ text: TEXT }))
  const url = await served.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true })
  const [answer] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  expect(answer.headers.connection).toBe('close')
  expect((await text(answer)) === JSON.stringify({ text: TEXT })).toBe(true)
  await closing
  agent.destroy()
})
