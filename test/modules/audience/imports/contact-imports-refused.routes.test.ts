import { request } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ImportForm, sendImport, storedFiles } from '../../../support/builders/contact-imports.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const MIB = 1024 * 1024

const service = shared(() => startTestService({ environment: { IMPORT_BYTES_MAX: String(2 * MIB) } }))
afterEach(async () => {
  await service.database.execute('truncate contact_imports, contacts, contact_properties')
  await service.database.execute('delete from graphile_worker._private_jobs')
  for (const key of await storedFiles(service)) await service.service.context.gateways.blobs.remove(key)
})

const countImports = async () => (await service.database.execute('select from contact_imports')).length

async function expectNothingKept(): Promise<void> {
  await until(async () => expect(await storedFiles(service)).toEqual([]))
  expect(await countImports()).toBe(0)
  expect(await service.database.execute('select from contact_properties')).toEqual([])
  expect(await service.database.execute('select from graphile_worker._private_jobs')).toEqual([])
}

describe('POST /contacts/imports', () => {
  const ONE = 'email\nada@example.com\n'
  const NO_EMAIL =
    'The `file` field must have a header line with a column `email`: its first line has none. Add the line, or name the column of the addresses in `column_map`.'

  const BAD_HEADER = 'The `file` field has a header line that cannot be read. The row has bytes that are not valid text, from byte offset'
  const OF_THE_FILE = 'of the file: save the file as CSV in UTF-8, and import it again.'

  it.each<[string, ImportForm, string]>([
    ['no file', { on_conflict: 'skip' }, 'Missing `file` field.'],
    ['an empty file', { file: '' }, 'The `file` field is empty: it must have a header line with a column `email`.'],
    ['a file of empty lines', { file: '\n\r\n' }, 'The `file` field is empty: it must have a header line with a column `email`.'],
    ['a file without a column of addresses', { file: 'name\nAda\n' }, NO_EMAIL],
    ['a file without a header', { file: 'ada@example.com,Ada\nbob@example.com,Bob\n' }, NO_EMAIL],
    [
      'two columns of one name',
      { file: 'email,Company,company \nada@example.com,A,B\n' },
      'The `file` field has two columns called `company`: their names must differ, in more than upper and lower case.',
    ],
    [
      'a header line without an end',
      { file: `email,${'x'.repeat(70_000)}` },
      'The `file` field has a first line of more than 64 KB: it must be a header line.',
    ],
    [
      'a column name that is too long',
      { file: `email,${'x'.repeat(257)}\n` },
      'The `file` field may not have a column whose name is longer than 256 characters.',
    ],
    ['too many columns', { file: `email${',x'.repeat(1_000)}\n` }, 'The `file` field may not have more than 1000 columns.'],
    ['a NUL', { file: 'email\nada@example.com\0\n' }, 'The `file` field is not a text file: it holds NUL bytes. Save it as CSV in UTF-8.'],
    ['UTF-32', { file: Buffer.from([0xff, 0xfe, 0, 0, 0x65, 0, 0, 0]) }, `${BAD_HEADER} 2 ${OF_THE_FILE}`],
    [
      'a byte of windows-1252 in a header line of UTF-8',
      { file: Buffer.concat([Buffer.from('\ufeffemail;Stra'), Buffer.from([0xdf]), Buffer.from('e\nada@example.com;x\n')]) },
      `${BAD_HEADER} 13 ${OF_THE_FILE}`,
    ],
    [
      'an unknown conflict',
      { file: ONE, on_conflict: 'merge' },
      'The `on_conflict` field must be one of: `upsert`, `skip`. It is "merge".',
    ],
    ['a map that is no JSON', { file: ONE, column_map: '{' }, 'The `column_map` field is not valid JSON at line 1, column 2.'],
    ['a map that is no object', { file: ONE, column_map: '[]' }, 'The `column_map` field must be an object.'],
    [
      'a column that is not there',
      { file: ONE, column_map: { first_name: 'Name' } },
      'The `file` field has no column called `Name`, which `column_map.first_name` names.',
    ],
    [
      'a column of a property that is not there',
      { file: ONE, column_map: { properties: { age: { column: 'Age' } } } },
      'The `file` field has no column called `Age`, which `column_map.properties.age.column` names.',
    ],
    [
      'a type that is none',
      { file: ONE, column_map: { properties: { age: { column: 'email', type: 'date' } } } },
      'The `column_map.properties.age.type` field must be one of: `string`, `number`, `boolean`. It is "date".',
    ],
    [
      'a reserved key',
      { file: ONE, column_map: { properties: { Email: { column: 'email' } } } },
      'The `column_map.properties.Email` field must not be `Email`: this name is reserved for a field that every contact has.',
    ],
    [
      'a key with a dash',
      { file: ONE, column_map: { properties: { 'a-b': { column: 'email' } } } },
      'The `column_map.properties.a-b` field may hold only letters of A to Z, digits and underscores.',
    ],
    [
      'a key of 51 characters',
      { file: ONE, column_map: { properties: { ['k'.repeat(51)]: { column: 'email' } } } },
      `The \`column_map.properties.${'k'.repeat(50)}\` field has a key of more than 50 characters.`,
    ],
    ['a segment that is none', { file: ONE, segments: '{"id":1}' }, 'The `segments[0].id` field must be a string.'],
    ['topics that are no list', { file: ONE, topics: '1' }, 'The `topics[0]` field must be an object.'],
    ['a segment id that is none', { file: ONE, segments: [{ id: 'x' }] }, 'The `segments[0].id` field must be a UUID. It is "x".'],
    ['an unknown segment', { file: ONE, segments: [{ id: UNKNOWN_ID }] }, 'The `segments[0]` field is not the id of one of your segments.'],
    [
      'too many segments',
      { file: ONE, segments: Array.from({ length: 101 }, () => UNKNOWN_ID) },
      'The `segments` field must have at most 100 entries.',
    ],
    [
      'an unknown topic, beside a property that would be new',
      { file: ONE, topics: [{ id: UNKNOWN_ID, subscription: 'opt_in' }], column_map: { properties: { city: { column: 'email' } } } },
      'The `topics[0].id` field is not the id of one of your topics.',
    ],
    [
      'a topic twice',
      {
        file: ONE,
        topics: [
          { id: UNKNOWN_ID, subscription: 'opt_in' },
          { id: UNKNOWN_ID, subscription: 'opt_out' },
        ],
      },
      'The `topics[1].id` field names a topic more than once.',
    ],
    ['a text of more than 64 KB', { file: ONE, column_map: 'x'.repeat(65_537) }, 'The `column_map` field must have at most 64 KB.'],
    [
      'a NUL in a text',
      { file: ONE, column_map: { email: 'a\0' } },
      'The `column_map.email` field holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.',
    ],
  ])('refuses %s with a 422, and keeps nothing', async (_what, form, message) => {
    const answer = await sendImport(service, form)
    expect(answer).toMatchObject({ status: 422, body: { statusCode: 422, name: 'validation_error', message } })
    await expectNothingKept()
  })

  it('refuses two files, and a field that is there twice', async () => {
    for (const [name, message] of [
      ['file', 'The `file` field is given twice: send one file.'],
      ['on_conflict', 'The `on_conflict` field is given twice. Give it once.'],
    ] as const) {
      const form = new FormData()
      for (let times = 0; times < 2; times++) form.append(name, name === 'file' ? new Blob([ONE]) : 'skip')
      const response = await fetch(`${service.url}/contacts/imports`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}` },
        body: form,
      })
      expect({ status: response.status, body: await response.json() }).toMatchObject({ status: 422, body: { message } })
    }
    await expectNothingKept()
  })

  it("refuses another team's segment as one that is not there", async () => {
    const { body } = await service.call('POST', '/segments', { token: service.other.token, body: { name: 'Theirs' } })
    const answer = await sendImport(service, { file: ONE, segments: [(body as { id: string }).id] })
    expect(answer).toMatchObject({ status: 422, body: { message: 'The `segments[0]` field is not the id of one of your segments.' } })
  })

  it('refuses a type that an existing property has not, and more properties than a team can have', async () => {
    await service.call('POST', '/contact-properties', { body: { key: 'age', type: 'number' } })
    const file = `email,Age,${Array.from({ length: 200 }, (_, index) => `c${index}`).join(',')}\n`
    const wrongType = await sendImport(service, { file, column_map: { properties: { age: { column: 'Age', type: 'boolean' } } } })
    expect(wrongType).toMatchObject({
      status: 422,
      body: {
        message: 'The `file` field cannot be read: `column_map.properties.age.type` is boolean, and the property `age` is a number.',
      },
    })
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, { column: `c${index}` }]))
    const tooMany = await sendImport(service, { file, column_map: { properties: many } })
    expect(tooMany).toMatchObject({
      status: 422,
      body: {
        message:
          'The `column_map.properties` field names more new properties than a team can have: at most 200 in all. Name fewer, or delete others first.',
      },
    })
    expect(await service.database.execute('select key from contact_properties')).toEqual([{ key: 'age' }])
    expect(await storedFiles(service)).toEqual([])
  })

  it.each<[string, Record<string, string>, string | undefined, number, string]>([
    [
      'JSON',
      { 'content-type': 'application/json' },
      '{"file":"x"}',
      415,
      'The request body must be sent with `Content-Type: multipart/form-data`.',
    ],
    ['no body at all', {}, undefined, 415, 'The request body must be sent with `Content-Type: multipart/form-data`.'],
    [
      'a form without a boundary',
      { 'content-type': 'multipart/form-data' },
      'x',
      400,
      'The request body is not valid multipart/form-data.',
    ],
    [
      'a form that is none',
      { 'content-type': 'multipart/form-data; boundary=b' },
      'x',
      400,
      'The request body is not valid multipart/form-data.',
    ],
    [
      'a form that breaks off',
      { 'content-type': 'multipart/form-data; boundary=b' },
      '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\nada@exa',
      400,
      'The request body is not valid multipart/form-data.',
    ],
  ])('refuses %s', async (_what, headers, body, status, message) => {
    const answer = await service.call('POST', '/contacts/imports', { headers, ...(body !== undefined && { body }) })
    expect(answer).toMatchObject({ status, body: { statusCode: status, message } })
    await expectNothingKept()
  })

  it('leaves other operations without forms', async () => {
    const form = new FormData()
    form.append('email', 'ada@example.com')
    const response = await fetch(`${service.url}/contacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}` },
      body: form,
    })
    expect(response.status).toBe(415)
    expect(await response.json()).toMatchObject({ message: 'The request body must be sent with `Content-Type: application/json`.' })
  })

  it('takes a form of up to IMPORT_BYTES_MAX, and answers 413 for more, whether its length is announced or not', async () => {
    const padded = (bytes: number) => ONE + 'x'.repeat(bytes - ONE.length)
    const refusal = {
      status: 413,
      body: { message: 'The `file` field is too large: at most 2 MB are accepted. Send it in several files.' },
    }
    expect((await sendImport(service, { file: padded(2 * MIB - 1_024) })).status).toBe(201)
    expect(await sendImport(service, { file: padded(2 * MIB) })).toMatchObject(refusal)

    async function* unannounced() {
      yield Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n${padded(2 * MIB + 1)}\r\n--b--\r\n`)
    }
    const response = await fetch(`${service.url}/contacts/imports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'multipart/form-data; boundary=b' },
      body: unannounced(),
      duplex: 'half',
    } as RequestInit)
    expect({ status: response.status, body: await response.json() }).toMatchObject(refusal)
    expect(await storedFiles(service)).toHaveLength(1)
  })

  it('is refused for a while on an almost full disk', async () => {
    const low = vi.spyOn(service.service.context.gateways.diskSpace, 'isLow').mockResolvedValue(true)
    try {
      const answer = await sendImport(service, { file: ONE })
      expect(answer).toMatchObject({
        status: 503,
        body: { message: 'The server is almost out of disk space and accepts no files. Please try again later.' },
      })
      expect(answer.headers.get('retry-after')).toBe('60')
    } finally {
      low.mockRestore()
    }
    await expectNothingKept()
  })
})

describe('an upload that is not finished', () => {
  /** Announces a form, sends its beginning, and gives the socket back. */
  function begin(token = service.token) {
    const sending = request(`${service.url}/contacts/imports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=b', 'content-length': String(MIB) },
    })
    sending.on('error', () => {})
    sending.write(`--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail\n${'ada@example.com\n'.repeat(5_000)}`)
    return sending
  }
  const untilStoring = (count: number) => until(async () => expect(await storedFiles(service)).toHaveLength(count))

  it('leaves nothing when its client disconnects', async () => {
    const sending = begin()
    await untilStoring(1)
    sending.destroy()
    await expectNothingKept()
  })

  it('holds one of two places of its team until then, and other teams have theirs', async () => {
    const both = [begin(), begin()]
    await untilStoring(2)
    const answer = await sendImport(service, { file: 'email\n' })
    expect(answer).toMatchObject({
      status: 503,
      body: { message: 'Other files are being uploaded already. Please try again in a few seconds.' },
    })
    expect((await sendImport(service, { file: 'email\n' }, service.other.token)).status).toBe(201)
    for (const sending of both) sending.destroy()
    await until(async () => expect((await sendImport(service, { file: 'email\n' })).status).toBe(201))
  })
})
