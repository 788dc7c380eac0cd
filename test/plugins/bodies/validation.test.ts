import { gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { validation } from '../../../src/plugins/bodies/validation.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { openRawSocket } from '../../support/clients/raw-requests.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'
const EMAIL = { from: 'a@example.com', to: 'delivered@simulator.test', subject: 's', text: 't' }

const service = shared(() => startTestService())

const invalid = (message: string) => ({ status: 422, body: { statusCode: 422, name: 'validation_error', message } })
const post = (body: unknown, headers: Record<string, string> = {}) => service.call('POST', '/emails', { body, headers })

describe('a body', () => {
  it.each<[what: string, change: object, message: string]>([
    ['a number for addresses', { to: 5 }, 'The `to` field must be a string or an array.'],
    ['null for what must be given', { to: null }, 'Missing `to` field.'],
    ['null for a subject', { subject: null }, 'Missing `subject` field.'],
    ['null in a tag', { tags: [{ name: 'a', value: null }] }, 'Missing `tags[0].value` field.'],
    ['a number among addresses', { to: ['a@example.com', 5] }, 'The `to[1]` field must be a string.'],
    ['too many addresses', { cc: Array(51).fill('a@example.com') }, 'The `cc` field must have at most 50 entries.'],
    ['true for a string', { subject: true }, 'The `subject` field must be a string.'],
    ['a long subject', { subject: 'x'.repeat(999) }, 'The `subject` field must have at most 998 characters.'],
    ['an array for a string', { html: ['x'] }, 'The `html` field must be a string.'],
    ['a number in a header', { headers: { 'X-A': 1 } }, 'The `headers.X-A` field must be a string.'],
    ['an array of headers', { headers: [] }, 'The `headers` field must be an object.'],
    ['a tag without a value', { tags: [{ name: 'a', value: 'b' }, { name: 'a' }] }, 'Missing `tags[1].value` field.'],
    ['an empty tag', { tags: [{ name: '', value: 'b' }] }, 'The `tags[0].name` field must not be empty.'],
    [
      'a tag with a space',
      { tags: [{ name: 'a', value: 'b c' }] },
      'The `tags[0].value` field may hold only ASCII letters, digits, underscores and hyphens.',
    ],
    ['an object for tags', { tags: { a: 'b' } }, 'The `tags` field must be an array.'],
    ['null as an attachment', { attachments: [null] }, 'The `attachments[0]` field must be an object.'],
    ['true as a file', { attachments: [{ content: true }] }, 'The `attachments[0].content` field must be a string, an array or an object.'],
    ['text among bytes', { attachments: [{ content: [1, '2'] }] }, 'The `attachments[0].content[1]` field must be a whole number.'],
    ['half a buffer', { attachments: [{ content: { type: 'Buffer' } }] }, 'Missing `attachments[0].content.data` field.'],
    [
      'another kind of buffer',
      { attachments: [{ content: { type: 'Blob', data: [] } }] },
      'The `attachments[0].content.type` field must be `Buffer`. It is "Blob".',
    ],
    ['a number for a time', { scheduled_at: 1_790_000_000 }, 'The `scheduled_at` field must be a string.'],
    [
      'true as a variable',
      { template: { id: 'a', variables: { x: null } } },
      'The `template.variables.x` field must be a string, a number, true or false, an object or an array.',
    ],
  ])('is refused with the field named as it was written: %s', async (_what, change, message) => {
    expect(await post({ ...EMAIL, ...change })).toMatchObject(invalid(message))
  })

  it.each([
    ['nothing', '', 'Missing `to` field.'],
    ['spaces', ' \n ', 'Missing `to` field.'],
    ['an empty object', '{}', 'Missing `to` field.'],
    ['null', 'null', 'The request body must be an object.'],
    ['an array', '[]', 'The request body must be an object.'],
    ['a string', '"from"', 'The request body must be an object.'],
    ['a number', '5', 'The request body must be an object.'],
  ])('that is %s is a 422', async (_what, text, message) => expect(await post(text)).toMatchObject(invalid(message)))

  it.each([
    ['half an object', '{"from":', 'line 1, column 9'],
    ['two objects', '{}{}', 'line 1, column 3'],
    ['a comma too many', '{"from":"a",}', 'line 1, column 13'],
    ['single quotes', "{'from':'a'}", 'line 1, column 2'],
    ['a raw control character', '{"from":"\u0001"}', 'line 1, column 10'],
    ['no JSON at all', 'from=a&to=b', 'line 1, column 1'],
    ['a line without its comma', '{\n  "from": "a"\n  "to": "b"\n}', 'line 3, column 3'],
    ['the same after a mark of UTF-8', '\ufeff{\n  "from": "a"\n  "to": "b"\n}', 'line 3, column 3'],
    ['half an object with a field called __proto__', '{"__proto__":{"isAdmin":true}', 'line 1, column 30'],
  ])('that is %s is a 400 with its place', async (_what, text, place) => {
    expect(await post(text)).toMatchObject({
      status: 400,
      body: { statusCode: 400, name: 'validation_error', message: `The request body is not valid JSON at ${place}.` },
    })
    expect({}).not.toHaveProperty('isAdmin')
  })

  it.each([
    ['a field called __proto__', '{"__proto__":{"isAdmin":true}}'],
    ['one deep inside', '{"tags":[{"__proto__":{}}]}'],
    ['one that is written with escapes', '{"\\u005f_proto__":{}}'],
    ['a constructor with a prototype', '{"constructor":{"prototype":{}}}'],
  ])('with %s is a 422 that says so', async (_what, text) => {
    expect(await post(text)).toMatchObject(
      invalid('The request body has a field called `__proto__`, or one called `prototype` within `constructor`: these names are refused.'),
    )
    expect({}).not.toHaveProperty('isAdmin')
  })

  it('that is not there has no type, whatever the request says', async () => {
    const { status, body } = await service.call('POST', `/emails/${UNKNOWN_ID}/cancel`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([status, body]).toMatchObject([404, { name: 'not_found' }])
  })

  it('that is compressed is a 415 that names the header', async () => {
    const send = (encoding: string, body: string | Buffer<ArrayBuffer>) =>
      fetch(`${service.url}/emails`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', 'content-encoding': encoding },
        body,
      })
    for (const encoding of ['gzip', 'br', 'gzip, identity']) {
      const response = await send(encoding, gzipSync(JSON.stringify(EMAIL)))
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 415,
        body: {
          statusCode: 415,
          name: 'validation_error',
          message: 'The request body must be sent as it is, not compressed: leave out the header `Content-Encoding`.',
        },
      })
    }
    const plain = await send('identity', JSON.stringify(EMAIL))
    expect(plain.status).toBe(200)
    await plain.text()
    expect((await service.call('GET', '/emails', { headers: { 'content-encoding': 'gzip' } })).status).toBe(200)
  })

  it.each([
    ['objects', '{},', 'has more than 50,000 objects and arrays'],
    ['arrays', '[],', 'has more than 50,000 objects and arrays'],
    ['numbers', '0,', 'has more than 12,582,912 values'],
  ])('of 60 MB of %s is refused, and keeps no one waiting', async (_what, entry, problem) => {
    const bytes = 60 * 1024 * 1024
    const text = `[${entry.repeat(Math.floor((bytes - 2) / entry.length) - 1)}${entry.slice(0, -1)}]`
    const answered: string[] = []
    const big = ['/emails', '/emails/batch'].map(async (path) => {
      const answer = await service.call('POST', path, { body: text })
      answered.push(path)
      return answer
    })
    const live = await service.call('GET', '/health/live', { token: null })
    answered.push('live')
    expect(live.status).toBe(200)
    for (const answer of await Promise.all(big)) {
      expect(answer).toMatchObject(invalid(`The request body ${problem}. Please split it into several requests.`))
    }
    expect(answered[0]).toBe('live')
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'json',
    '',
  ])('announced as %j is a 415', async (type) => {
    expect(await post(JSON.stringify(EMAIL), { 'content-type': type })).toMatchObject({
      status: 415,
      body: { statusCode: 415, name: 'validation_error', message: 'The request body must be sent with `Content-Type: application/json`.' },
    })
  })

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])(
    'announced as %s is taken',
    async (type) => {
      expect((await post(JSON.stringify(EMAIL), { 'content-type': type })).status).toBe(200)
    },
  )

  it('is never coerced', async () => {
    for (const change of [
      { subject: 5 },
      { text: false },
      { html: 1.5 },
      { scheduled_at: 0 },
      { tags: { name: 'a', value: 'b' } },
      { attachments: 'x' },
    ])
      expect((await post({ ...EMAIL, ...change })).status).toBe(422)
    expect(await service.call('POST', '/api-keys', { body: { name: 5 } })).toMatchObject(invalid('The `name` field must be a string.'))
  })

  it('may hold null for everything that need not be given', async () => {
    const names = ['html', 'cc', 'bcc', 'reply_to', 'headers', 'tags', 'attachments', 'scheduled_at', 'template', 'topic_id']
    expect((await post({ ...EMAIL, ...Object.fromEntries(names.map((name) => [name, null])) })).status).toBe(200)
  })

  it('is not wanted, and not minded, on GET and DELETE', async () => {
    for (const body of [undefined, '', '{}'])
      expect(await service.call('DELETE', `/api-keys/${ID}`, { body })).toMatchObject({ status: 404, body: { name: 'not_found' } })
    const raw = await openRawSocket(service.url)
    raw.write(
      `GET /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    )
    expect((await raw.answer()).status).toBe(200)
    raw.close()
  })

  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  it.each([
    ['49 levels deep', nested(49)],
    ['a hundred thousand objects deep', nested(100_000)],
    ['a hundred thousand arrays deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('that is %s is refused', async (_what, text) =>
    expect(await post(text)).toMatchObject(invalid('The request body is nested too deeply.')),
  )

  it('may be 48 levels deep', async () => expect(await post(nested(48))).toMatchObject(invalid('Missing `to` field.')))

  it('may hold a string of a megabyte', async () => {
    expect((await post({ ...EMAIL, text: 'x'.repeat(1024 * 1024) })).status).toBe(200)
  })

  it.each<[what: string, text: string, field: string]>([
    ['a NUL in a string', '{"subject":"a\\u0000b"}', 'subject'],
    ['half a surrogate pair', '{"subject":"\\ud83d"}', 'subject'],
    ['the other half', '{"subject":"\\udc00"}', 'subject'],
    ['a NUL in an entry', '{"to":["a","\\u0000"]}', 'to[1]'],
    ['a NUL in a field that is not known', '{"unknown":{"deep":["\\u0000"]}}', 'unknown.deep[0]'],
    ['a NUL in a name', '{"na\\u0000me":"x"}', 'name'],
    ['a NUL in the name of a number', '{"na\\u0000me":1}', 'name'],
    ['a NUL in the name of a header', '{"headers":{"X\\u0000":"x"}}', 'headers.X'],
  ])('that holds what cannot be stored is refused: %s', async (_what, text, field) => {
    expect(await post(text)).toMatchObject(
      invalid(`The \`${field}\` field holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.`),
    )
  })

  it('may hold escapes and pairs that are whole', async () => {
    expect(
      (await post('{"from":"a@example.com","to":"delivered@simulator.test","subject":"\\ud83d\\ude00 \\u00e9 \\\\u0000","text":"\\t"}'))
        .status,
    ).toBe(200)
  })
})

describe('a query', () => {
  const list = (query: string, path = '/emails') => service.call('GET', `${path}?${query}`)

  it.each([
    'limit=1',
    'limit=100',
    'limit=5&unknown=x',
    `after=${ID}`,
    `before=${ID.toUpperCase()}`,
    `limit=2&after=${ID}`,
    '',
    'unknown',
    '__proto__=x&constructor=y',
  ])('is read from text: %j', async (query) => expect((await list(query)).status).toBe(200))

  it.each([
    ['limit=0', 'The `limit` parameter must be a number from 1 to 100. It is 0.'],
    ['limit=101', 'The `limit` parameter must be a number from 1 to 100. It is 101.'],
    ['limit=-1', 'The `limit` parameter must be a number from 1 to 100. It is -1.'],
    ['limit=1.5', 'The `limit` parameter must be a whole number.'],
    ['limit=ten', 'The `limit` parameter must be a whole number.'],
    ['limit=', 'The `limit` parameter must be a whole number.'],
    ['limit=NaN', 'The `limit` parameter must be a whole number.'],
    ['limit=9007199254740993', 'The `limit` parameter must be a number from 1 to 100. It is 9007199254740992.'],
    ['limit=1&limit=2', 'The `limit` parameter is given 2 times. Give it once.'],
    ['after=1', 'The `after` parameter must be a UUID. It is "1".'],
    [`after=urn:uuid:${ID}`, `The \`after\` parameter must be a UUID. It is "urn:uuid:${ID}".`],
    [`after={${ID}}`, `The \`after\` parameter must be a UUID. It is "{${ID}}".`],
    ['before=', 'The `before` parameter must be a UUID. It is "".'],
    [`after=${ID}&after=${ID}`, 'The `after` parameter is given 2 times. Give it once.'],
    [`after=${ID}&before=${ID}`, 'Give either `after` or `before`, not both.'],
    ['unknown=%00', 'The `unknown` parameter holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.'],
  ])('is refused for %s', async (query, message) => {
    for (const path of ['/emails', '/api-keys', '/logs']) expect(await list(query, path)).toMatchObject(invalid(message))
  })
})

describe('a path', () => {
  it.each([
    'x',
    '1',
    `${ID}0`,
    ID.slice(1),
    `urn:uuid:${ID}`,
    `{${ID}}`,
    '%20',
    encodeURIComponent("' or 1=1 --"),
    '..%2f..',
    'x'.repeat(900),
  ])('is refused with an id that is no UUID: %s', async (id) =>
    expect(await service.call('GET', `/emails/${id}`)).toMatchObject(invalid('The `email_id` parameter must be a UUID.')),
  )

  it('names the parameter of each operation', async () => {
    expect(await service.call('DELETE', '/api-keys/x')).toMatchObject(invalid('The `api_key_id` parameter must be a UUID.'))
    expect(await service.call('GET', '/logs/x')).toMatchObject(invalid('The `log_id` parameter must be a UUID.'))
    expect(await service.call('GET', `/emails/${ID}/attachments/x`)).toMatchObject(invalid('The `attachment_id` parameter must be a UUID.'))
  })

  it.each([ID, ID.toUpperCase(), '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])(
    'takes any UUID: %s',
    async (id) => {
      expect(await service.call('GET', `/emails/${id}`)).toMatchObject({
        status: 404,
        body: { statusCode: 404, name: 'not_found', message: 'Email not found' },
      })
    },
  )

  it('may have a slash too many', async () => {
    expect((await service.call('GET', '//emails')).status).toBe(200)
    expect((await service.call('GET', `//emails//${ID}`)).status).toBe(404)
  })
})

describe('a header', () => {
  it('is refused by its name', async () => {
    const answer = await service.call('POST', '/emails/batch', { body: [EMAIL], headers: { 'x-batch-validation': 'loose' } })
    expect(answer).toMatchObject(invalid('The `x-batch-validation` header must be one of: `strict`, `permissive`. It is "loose".'))
  })
})

describe('x-ignored-fields', () => {
  const ignored = async (body: unknown, path = '/emails') => {
    const answer = await service.call('POST', path, { body })
    return { status: answer.status, names: answer.headers.get('x-ignored-fields') }
  }

  it('is absent when every field is known', async () => expect(await ignored(EMAIL)).toEqual({ status: 200, names: null }))

  it('names the fields that were ignored, with where they are', async () => {
    const body = {
      ...EMAIL,
      color: 'red',
      tags: [{ name: 'a', value: 'b', weight: 1 }],
      attachments: [{ filename: 'a.txt', content: 'aGk=', comment: {} }],
    }
    expect(await ignored(body)).toEqual({ status: 200, names: 'color, tags[0].weight, attachments[0].comment' })
    expect(await ignored([EMAIL, { ...EMAIL, color: 'red' }], '/emails/batch')).toEqual({ status: 200, names: '[1].color' })
  })

  it('names nothing of what the client may call as it likes', async () => {
    expect(await ignored({ ...EMAIL, headers: { 'X-Own': 'a' } })).toEqual({ status: 200, names: null })
  })

  it('encodes what a header cannot hold', async () => {
    expect(await ignored({ ...EMAIL, 'a b': 1, 'é,': 1, 'c\r\nset-cookie: x': 1, '100%': 1 })).toEqual({
      status: 200,
      names: 'a%20b, %C3%A9%2C, c%0D%0Aset-cookie%3A%20x, 100%25',
    })
  })

  it('names ten at most', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, 1]))
    expect(await ignored({ ...EMAIL, ...many })).toEqual({ status: 200, names: 'f0, f1, f2, f3, f4, f5, f6, f7, f8, f9' })
  })

  it('has 512 bytes at most, and leaves out whole names', async () => {
    const long = (letter: string) => letter.repeat(200)
    const body = { ...EMAIL, [long('a')]: 1, [long('b')]: 1, [long('c')]: 1, short: 1, ['é'.repeat(500)]: 1 }
    const { status, names } = await ignored(body)
    expect({ status, names }).toEqual({ status: 200, names: `${long('a')}, ${long('b')}, short` })
  })

  it('is there although no name fits: something was ignored', async () => {
    expect(await ignored({ ...EMAIL, ['x'.repeat(500_000)]: 1 })).toEqual({ status: 200, names: '' })
  })
})

it('compiles the schemas of a route when it is called for the first time, so that no start waits for those of all', async () => {
  const app = Fastify()
  validation(app)
  app.post('/', { schema: { body: { $ref: 'NoSuchSchema' } } }, async () => ({}))
  await app.ready()
  expect((await app.inject({ method: 'POST', url: '/', payload: {} })).statusCode).toBe(500)
  await app.close()
})
