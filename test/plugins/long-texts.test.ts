import Fastify, { type FastifyInstance } from 'fastify'
import { expect, it } from 'vitest'
import { longTexts } from '../../src/plugins/long-texts.ts'

const HTML = '<p>😀 "é" \\ \u0000</p>\r\n'.repeat(50_000)
const TEXT = '日本語\n'.repeat(400_000)

function app(): FastifyInstance {
  const made = Fastify()
  longTexts(made)
  return made
}

it('a reply with long texts is written as any other, also to a head', async () => {
  const reply = { object: 'email', html: HTML, empty: '', text: TEXT, list: [TEXT], null: null }
  const served = app().get('/', async () => reply)
  const answer = await served.inject('/')
  expect(answer.body === JSON.stringify(reply)).toBe(true)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(Buffer.byteLength(JSON.stringify(reply))) }
  expect(answer.headers).toMatchObject(headers)
  expect(await served.inject({ method: 'HEAD', url: '/' })).toMatchObject({ statusCode: 200, body: '', headers })
})

it('a reply in another order than its fields are written in', async () => {
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

it('a reply that cannot be written is an error, without the texts', async () => {
  const served = app().get('/', async () => ({ text: TEXT, circle: 1n }))
  const answer = await served.inject('/')
  expect(answer.statusCode).toBe(500)
  expect(answer.json()).toEqual({ statusCode: 500, error: 'Internal Server Error', message: expect.any(String) })
})
