import { describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

const get = (path: string, headers: Record<string, string> = {}) => service.call('GET', path, { token: null, headers })

const PUBLIC = 'http://localhost:3000'

describe.each([
  ['/openapi.json', 'application/json; charset=utf-8', PUBLIC, (text: string): unknown => JSON.parse(text)],
  ['/openapi.yaml', 'application/yaml; charset=utf-8', PUBLIC, (text: string): unknown => parse(text)],
  ['/docs/json', 'application/json; charset=utf-8', '/', (text: string): unknown => JSON.parse(text)],
  ['/docs/yaml', 'application/yaml; charset=utf-8', '/', (text: string): unknown => parse(text)],
] as const)('%s', (path, type, url, read) => {
  it('is the same document in every encoding, and much shorter in those that compress', async () => {
    const body = { ...((await get('/openapi.json')).body as object), servers: [{ url }] }
    const answers = await Promise.all(['identity', 'gzip', 'br', 'br'].map((accepted) => get(path, { 'accept-encoding': accepted })))
    expect(read(answers[0]?.text ?? '')).toEqual(body)
    for (const { headers, text } of answers) {
      expect(headers.get('content-type')).toBe(type)
      expect(headers.get('vary')).toContain('Accept-Encoding')
      expect(headers.get('etag')).toBe(answers[0]?.headers.get('etag'))
      expect(text === answers[0]?.text).toBe(true)
    }
    const [plain = 0, ...lengths] = answers.map(({ headers }) => Number(headers.get('content-length')))
    expect(answers.map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip', 'br', 'br'])
    for (const length of lengths) expect(length).toBeLessThan(plain / 8)
  })

  it('is not sent again to a client that has it', async () => {
    const { headers } = await get(path)
    const etag = headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/)

    for (const condition of [etag, `"other", ${etag}`, etag.slice(2), '*']) {
      const { status, text, headers: again } = await get(path, { 'if-none-match': condition, 'accept-encoding': 'br' })
      expect({ condition, status, text, etag: again.get('etag') }).toEqual({ condition, status: 304, text: '', etag })
    }
    expect(await get(path, { 'if-none-match': 'W/"other"' })).toMatchObject({ status: 200 })
  })

  it('is written once, however often it is requested', async () => {
    await get(path)
    const { info } = (service.service.app?.servedDocument() ?? {}) as { info: object }
    const writing = vi.fn(() => ({ ...info }))
    Object.defineProperty(info, 'toJSON', { value: writing, configurable: true })
    try {
      for (const accepted of ['identity', 'gzip', 'br']) await get(path, { 'accept-encoding': accepted })
      expect(writing).not.toHaveBeenCalled()
    } finally {
      Reflect.deleteProperty(info, 'toJSON')
    }
  })
})

it('answers HEAD as it answers GET, without the document', async () => {
  const headers = { 'accept-encoding': 'br' }
  const [head, got] = [await service.call('HEAD', '/openapi.json', { token: null, headers }), await get('/openapi.json', headers)]
  expect(head).toMatchObject({ status: 200, text: '' })
  for (const name of ['etag', 'content-type', 'content-encoding', 'content-length'])
    expect(head.headers.get(name)).toBe(got.headers.get(name))
})
