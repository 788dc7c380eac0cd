import { beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { problemIn, type Seen, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const ADDRESS = '/console/logs'

let cookie: string

const service = shared(() => startTestService())
beforeAll(async () => {
  cookie = await signIn(service)
})

const read = (query = '', path = ADDRESS) => visit(service, 'GET', `${path}${query}`, { cookie })
const flush = () => service.service.context.repositories.requestLogs.flush()
/** `METHOD path status` of each line. */
const linesOf = ({ text }: Seen): string[] =>
  [...text.matchAll(/<span class="method">(\w+)<\/span> <bdi class="code">([^<]*)<\/bdi>[\s\S]*?<span class="state \w+">(\d+)</g)].map(
    (line) => line.slice(1).join(' '),
  )
const logIdsIn = ({ text }: Seen): string[] => [...text.matchAll(/href="\/console\/logs\/([0-9a-f-]{36})"/g)].map(([, id = '']) => id)

describe('the list', () => {
  it('says what appears there while nothing has', async () => {
    expect((await read()).text).toContain('No requests yet')
    expect((await read('?status=5xx')).text).toContain('No request found.')
  })

  it('finds requests by path, method, status, key and time', async () => {
    const { body } = await service.call('POST', '/api-keys', { body: { name: 'Second key' } })
    const { id: keyId, token } = body as { id: string; token: string }
    await service.call('GET', '/domains', { token })
    await service.call('GET', `/domains/${UNKNOWN_ID}`, { token })
    await service.call('POST', '/events', { body: { name: '' } })
    await flush()
    expect(linesOf(await read())).toEqual(['POST /events 422', `GET /domains/${UNKNOWN_ID} 404`, 'GET /domains 200', 'POST /api-keys 201'])
    expect(linesOf(await read('?path=/domains'))).toEqual([`GET /domains/${UNKNOWN_ID} 404`, 'GET /domains 200'])
    expect(linesOf(await read('?path=omains'))).toEqual([])
    expect(linesOf(await read('?path=%25'))).toEqual([])
    expect(linesOf(await read('?method=POST'))).toEqual(['POST /events 422', 'POST /api-keys 201'])
    expect(linesOf(await read('?status=4xx'))).toEqual(['POST /events 422', `GET /domains/${UNKNOWN_ID} 404`])
    expect(linesOf(await read('?status=404'))).toEqual([`GET /domains/${UNKNOWN_ID} 404`])
    expect(linesOf(await read('?status=2XX&method=GET'))).toEqual(['GET /domains 200'])
    expect(linesOf(await read(`?key=${keyId.toUpperCase()}`))).toEqual([`GET /domains/${UNKNOWN_ID} 404`, 'GET /domains 200'])
    expect(linesOf(await read(`?key=${keyId}&status=404`))).toEqual([`GET /domains/${UNKNOWN_ID} 404`])
    expect(linesOf(await read('?until=2001-01-01T00:00'))).toEqual([])
    expect(linesOf(await read('?from=2001-01-01T00:00&until=9999-01-01T00:00'))).toHaveLength(4)
    expect(linesOf(await read('?from=9999-01-01T00:00'))).toEqual([])
    expect((await read(`?key=${keyId}`)).text).toContain(`<option value="${keyId}" selected>Second key</option>`)
    expect((await read(`?key=${UNKNOWN_ID}`)).text).toContain('selected>a key that was deleted</option>')
  })

  it.each([
    ['status=abc', 'The `status` field must be a status, such as 404, or 4xx for all that begin with 4.'],
    ['status=4xx0', 'The `status` field must be a status, such as 404, or 4xx for all that begin with 4.'],
    ['key=me', 'The `key` field must be the id of a key.'],
    ['from=yesterday', 'The `from` field must be a date and a time, such as 2001-05-01T14:30.'],
    ['until=2001-13-01T00:00', 'The `until` field must be a date and a time, such as 2001-05-01T14:30.'],
  ])('refuses %s, and keeps what was typed', async (query, problem) => {
    const seen = await read(`?path=/kept&${query}`)
    expect(problemIn(seen)).toEqual({ status: 422, problem })
    expect(seen.text).toContain('value="/kept"')
  })

  it('refuses what no address can say', async () => {
    expect((await read('?path=%00')).status).toBe(422)
    expect((await read(`?path=${'p'.repeat(2_000)}`)).status).toBe(422)
    expect((await read('?after=1')).status).toBe(422)
  })

  it("shows nothing of another team's requests", async () => {
    const { token } = service.other
    await service.call('GET', '/templates', { token })
    await flush()
    const { teamId } = service.other
    const [theirs] = (await service.service.context.repositories.requestLogs.list(teamId, { limit: 1, after: null, before: null })).rows
    expect(theirs?.endpoint).toBe('/templates')
    expect(linesOf(await read('?path=/templates'))).toEqual([])
    expect((await read('', `${ADDRESS}/${theirs?.id}`)).status).toBe(404)
    for (const id of [UNKNOWN_ID, 'x']) expect((await read('', `${ADDRESS}/${id}`)).status).toBe(404)
  })
})

describe('a page of many', () => {
  const many = async (count: number): Promise<string> => {
    const { id } = (await service.call('POST', '/api-keys', { body: { name: 'Many' } })).body as { id: string }
    for (let number = 0; number < count; number += 1)
      service.service.context.repositories.requestLogs.append(
        {
          ...{ id: createId(), teamId: service.teamId, apiKeyId: id, method: 'GET', endpoint: `/many/${number}`, responseStatus: 200 },
          ...{
            personId: null,
            userAgent: null,
            requestBody: null,
            responseBody: null,
            requestBodyTruncated: false,
            responseBodyTruncated: false,
          },
          createdAt: new Date(),
        },
        1,
      )
    await flush()
    return id
  }

  it('leads to the next, without losing or repeating any', async () => {
    const key = await many(120)
    const seen: string[] = []
    let address: string | undefined = `?key=${key}`
    for (let pages = 0; address !== undefined; pages += 1) {
      expect(pages).toBeLessThan(4)
      const page: Seen = await read(address)
      seen.push(...linesOf(page))
      address = /<a href="\/console\/logs([^"]*)" rel="next">/.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, place) => `GET /many/${119 - place} 200`))
  })
})

describe('one log', () => {
  it('has both bodies without secrets, its key, and what it was about', async () => {
    const { body } = await service.call('POST', '/api-keys', { body: { name: '<b>Sender</b>', permission: 'sending_access' } })
    const { id: keyId, token } = body as { id: string; token: string }
    const email = { from: 'a@example.com', to: 'delivered@simulator.test', subject: '<i>hi</i>', text: 't' }
    const sent = (await service.call('POST', '/emails', { token, body: email })).body as { id: string }
    await flush()
    const [id = ''] = logIdsIn(await read(`?key=${keyId}`))
    const { text } = await read('', `${ADDRESS}/${id}`)
    expect(text).toContain('&quot;subject&quot;: &quot;&lt;i&gt;hi&lt;/i&gt;&quot;')
    expect(text).toContain(`<a href="/console/emails/${sent.id}">email …${sent.id.slice(-8)}</a>`)
    expect(text).toContain(`the key <a href="/console/api-keys/${keyId}"><bdi>&lt;b&gt;Sender&lt;/b&gt;</bdi></a>`)
    const [creation = ''] = logIdsIn(await read('?path=/api-keys'))
    const made = await read('', `${ADDRESS}/${creation}`)
    expect(made.text).toContain('&quot;token&quot;: &quot;[redacted]&quot;')
    expect(made.text).not.toContain(token)
    await service.call('DELETE', `/api-keys/${keyId}`)
    expect((await read('', `${ADDRESS}/${id}`)).text).toContain('a key that was deleted')
  })

  it('of a batch leads to each of its emails', async () => {
    const one = { from: 'a@example.com', to: 'delivered@simulator.test', subject: 's', text: 't' }
    const { data } = (await service.call('POST', '/emails/batch', { body: [one, one] })).body as { data: { id: string }[] }
    await flush()
    const [id = ''] = logIdsIn(await read('?path=/emails/batch'))
    const { text } = await read('', `${ADDRESS}/${id}`)
    for (const email of data) expect(text).toContain(`href="/console/emails/${email.id}"`)
  })

  it('shows the beginning of a body that was cut', async () => {
    await service.call('POST', '/events', { body: { name: 'n'.repeat(100_000) } })
    await flush()
    const [id = ''] = logIdsIn(await read('?path=/events'))
    expect((await read('', `${ADDRESS}/${id}`)).text).toContain('This is its beginning: longer bodies are cut.')
  })
})
