import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { createResendClient, type TheirRecord } from '../../../src/cli/import-resend/resend-client.ts'
import { type HttpSink, startHttpSink } from '../../support/servers/http-sink.ts'

const KEY = 're_of_the_test'

let sink: HttpSink
afterEach(() => sink.close())

type Answer = (response: ServerResponse) => void

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
  }
/** Promises more than it sends. */
const cut: Answer = (response) => {
  response.writeHead(200, { 'content-length': '100' }).write('{"id":')
  setImmediate(() => response.destroy())
}

/** A client of a server that gives these answers in turn, the last again and again. */
async function clientOf(...answers: Answer[]) {
  const seen: { authorization: string | undefined; url: string | undefined }[] = []
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    seen.push({ url: request.url, authorization: request.headers.authorization })
    answers[Math.min(seen.length, answers.length) - 1]?.(response)
  }
  sink = await startHttpSink({ '/things': listener, '/elsewhere': listener })
  const pauses: number[] = []
  const pause = async (ms: number) => void pauses.push(ms)
  return { client: createResendClient({ url: sink.url, key: KEY, pause }), pauses, seen }
}

const all = async (records: AsyncIterable<TheirRecord>) => {
  const ids: unknown[] = []
  for await (const { id } of records) ids.push(id)
  return ids
}

describe('the API of Resend is read', () => {
  it('page by page, with the key in a header only', async () => {
    const { client, seen, pauses } = await clientOf(
      json(200, { has_more: true, data: [{ id: 'a' }, 'nothing', { id: 'b&c' }] }),
      json(200, { has_more: false, data: [{ id: 'd' }] }),
    )
    expect(await all(client.list('/things?of=1'))).toEqual(['a', 'b&c', 'd'])
    expect(seen).toEqual([
      { url: '/things?of=1&limit=100', authorization: `Bearer ${KEY}` },
      { url: '/things?of=1&limit=100&after=b%26c', authorization: `Bearer ${KEY}` },
    ])
    expect(pauses).toEqual([])
  })

  it('again after what passes, as late as it is asked to, and not before its limit allows more', async () => {
    const { client, pauses } = await clientOf(
      json(429, {}, { 'retry-after': '7' }),
      json(503, 'away', { 'retry-after': '86400' }),
      json(500, {}, { 'retry-after': 'soon' }),
      cut,
      json(200, { id: 'a' }, { 'ratelimit-remaining': '0', 'ratelimit-reset': '2' }),
    )
    expect(await client.find('/things')).toEqual({ id: 'a' })
    expect(pauses).toEqual([7_000, 60_000, 4_000, 8_000, 2_000])
  })

  it.each<[string, Answer, string]>([
    ['429', json(429, {}), 'could not be read in 6 tries: it answered 429.'],
    ['cut answers', cut, 'could not be read in 6 tries: '],
    ['no JSON', json(200, '<html>'), 'could not be read in 6 tries: the answer is not JSON, or was cut.'],
    ['a list for a record', json(200, []), 'could not be read in 6 tries: the answer is not JSON, or was cut.'],
  ])('six times at most: %s', async (_what, answer, problem) => {
    const { client, seen } = await clientOf(answer)
    await expect(client.find('/things')).rejects.toThrow(problem)
    expect(seen).toHaveLength(6)
  })

  it.each<[string, Answer, string]>([
    ['a key that is refused', json(401, { message: 'API key is\u001b[31m invalid' }), 'refuses the key in RESEND_API_KEY (401).'],
    ['a key that may only send', json(403, { message: 'restricted' }), 'Importing needs a key with full access. It is "restricted".'],
    ['a request that is refused', json(422, { message: 'x'.repeat(500) }), `answered 422. It is "${'x'.repeat(80)}"..., which is longer.`],
    ['an answer that is too long', json(200, { id: 'x'.repeat(17 * 1024 * 1024) }), 'is longer than 16777216 bytes.'],
  ])('once: %s', async (_what, answer, problem) => {
    const { client, seen } = await clientOf(answer)
    const error: unknown = await client.find('/things').catch((reason: unknown) => reason)
    const { message } = error as Error
    expect(message).toContain(problem)
    // Nothing that a terminal acts on, and never the key.
    expect(message).not.toMatch(/\p{Cc}/u)
    expect(message).not.toContain(KEY)
    expect(seen).toHaveLength(1)
  })

  it('without following it elsewhere with the key', async () => {
    const { client, seen } = await clientOf((response) => void response.writeHead(302, { location: '/elsewhere' }).end())
    await expect(client.find('/things')).rejects.toThrow('could not be read')
    expect(new Set(seen.map(({ url }) => url))).toEqual(new Set(['/things']))
  })

  it('until its pages do not move on', async () => {
    const { client, seen } = await clientOf(json(200, { has_more: true, data: [{ id: 'a' }] }))
    await expect(all(client.list('/things'))).rejects.toThrow('do not end')
    expect(seen).toHaveLength(2)
  })

  it('as nothing where there is none, and as text that can be stored', async () => {
    const { client } = await clientOf(json(404, {}), json(404, {}), json(200, '{"id":"a\\u0000b\\ud800"}'))
    expect(await client.find('/things')).toBeNull()
    expect(await all(client.list('/things'))).toEqual([])
    expect(await client.find('/things')).toEqual({ id: 'ab\ufffd' })
  })
})
