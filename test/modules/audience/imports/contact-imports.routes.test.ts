import { Resend } from 'resend'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Document } from '../../../house/openapi-document.ts'
import {
  type ImportForm,
  importFile,
  readImport,
  readReport,
  sendImport,
  startImporting,
  storedFiles,
  untilEnded,
} from '../../../support/builders/contact-imports.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const MIB = 1024 * 1024
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/)
const NO_COUNTS = { total: 0, created: 0, updated: 0, skipped: 0, failed: 0 }

let resend: Resend

const service = shared(() => startTestService({ environment: { IMPORT_BYTES_MAX: String(2 * MIB) } }))
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

afterEach(async () => {
  await service.database.execute('truncate contact_imports, contacts, contact_properties')
  await service.database.execute('delete from graphile_worker._private_jobs')
  for (const key of await storedFiles(service)) await service.service.context.gateways.blobs.remove(key)
})

describe('POST /contacts/imports', () => {
  it('takes a file from the official client, and keeps it until it is read', async () => {
    const { data, error } = await resend.contacts.imports.create({
      file: new Blob(['E-mail,Company\nada@example.com,Analytical Engines\n']),
      columnMap: { email: 'E-mail', properties: { company: { column: 'Company', type: 'string' } } },
      onConflict: 'skip',
    })

    expect(error).toBeNull()
    expect(data).toEqual({ object: 'contact_import', id: UUID })
    expect(await storedFiles(service)).toHaveLength(1)
    const { data: found } = await resend.contacts.imports.get(data?.id ?? '')
    expect(found).toEqual({
      object: 'contact_import',
      id: data?.id,
      status: 'queued',
      created_at: TIMESTAMP,
      completed_at: null,
      counts: NO_COUNTS,
      encoding: 'utf-8',
      ignored_columns: [],
      reason: null,
      report_url: null,
      file_name: null,
    })
  })

  it('takes the parts in any order, the file without a name, and JSON that is announced as such', async () => {
    const boundary = 'b'
    const part = (headers: string, content: string) => `--${boundary}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}\r\n`
    const form = [
      part('name="file"', 'Mail\nada@example.com\n'),
      part('name="on_conflict"', 'skip'),
      part('name="column_map"; filename="map.json"\r\nContent-Type: application/json', '{"email":"Mail"}'),
      part('name="columnMap"', '{"email":"E-mail"}'),
      part('name="later"', 'x'),
    ]
    const answer = await service.call('POST', '/contacts/imports', {
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: `${form.join('')}--${boundary}--\r\n`,
    })
    expect(answer).toMatchObject({ status: 201, body: { object: 'contact_import', id: UUID } })
    expect(answer.headers.get('x-ignored-fields')).toBe('columnMap, later')
  })

  it.each<[string, string, string | null]>([
    ['as it is', 'Kunden März.csv', 'Kunden März.csv'],
    ['without folders', 'C:\\Users\\ada\\people.csv', 'people.csv'],
    ['on one line that reads as it is written', 'a\u0000b\u0007c\u2028d\u202evsc.csv', 'a b c d vsc.csv'],
    ['cut to 255 characters, none of them in halves', `${'\ud83d\ude00'.repeat(300)}.csv`, '\ud83d\ude00'.repeat(255)],
    ['only if something of it can be seen', ' \u200b ', null],
    ['only if someone gave it', 'blob', null],
  ])('keeps the name of a file %s', async (_how, fileName, kept) => {
    const { body } = await sendImport(service, { file: 'email\n', fileName })
    expect((await readImport(service, (body as { id: string }).id)).file_name).toBe(kept)
  })

  it.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['with a BOM', '\ufeffemail\nada@example.com\n'],
    ['with CRLF', 'email\r\nada@example.com\r\n'],
    ['with CR alone', 'email\rada@example.com\r'],
    ['with quotes', '"email","note"\n"ada@example.com","said ""yes"",\nand left"\n'],
    ['with semicolons', 'name, all of it;email\nAda;ada@example.com\n'],
    ['with tabs', 'email\tfirst_name\nada@example.com\tAda\n'],
    ['with vertical bars', 'email|first_name\nada@example.com|Ada\n'],
    ['with a first line that tells Excel of semicolons', 'sep=;\nemail;first_name\nada@example.com;Ada, or so\n'],
    ['with a first line that tells Excel of commas', '\ufeffSEP=,\r\nemail,first_name\r\nada@example.com,Ada\r\n'],
    ['with a first line that tells Excel of tabs, and one column', 'sep=\t\nemail\nada@example.com\n'],
    ['with a header in upper case', ' EMAIL ,First_Name\nada@example.com,Ada\n'],
    ['in windows-1252', Buffer.from('email,first_name\nada@example.com,Zo\u00eb\n', 'latin1')],
    ['without an end of its last line', 'email\nada@example.com'],
    ['with empty lines and empty rows', '\n\nemail,first_name\n\nada@example.com,\n,\n\n'],
    ['with columns without names at its end', 'email,,\nada@example.com,,\n'],
  ])('takes a file %s', async (_what, file) => {
    const worker = startImporting(service)
    try {
      expect(await importFile(service, { file })).toMatchObject({ status: 'completed', counts: { ...NO_COUNTS, total: 1, created: 1 } })
    } finally {
      await worker.stop()
    }
    expect(await storedFiles(service)).toEqual([])
  })

  it('is documented as a form whose parts are JSON where they are not text', async () => {
    const { paths } = (await service.call('GET', '/openapi.json', { token: null })).body as Document
    const content = paths['/contacts/imports']?.post?.requestBody?.content
    expect(content).toMatchObject({
      'multipart/form-data': {
        encoding: { column_map: { contentType: 'application/json' } },
      },
    })
    expect(Object.keys(content?.['multipart/form-data']?.encoding ?? {})).toEqual(['column_map'])
  })

  it('takes a list as one part for each item, records as JSON and ids as they are, and as one part with all of them', async () => {
    const idOf = async (path: string, body: object) => ((await service.call('POST', path, { body })).body as { id: string }).id
    const one = await idOf('/segments', { name: 'One' })
    const other = await idOf('/segments', { name: 'Other' })
    const topic = { id: await idOf('/topics', { name: 'News', default_subscription: 'opt_out' }), subscription: 'opt_in' }
    const worker = startImporting(service)
    try {
      for (const segments of [[one, other], [JSON.stringify({ id: one }), other], [JSON.stringify([{ id: one }, other])]]) {
        const form = new FormData()
        for (const segment of segments) form.append('segments', segment)
        form.append('topics', JSON.stringify(topic))
        form.append('file', new Blob(['email\nada@example.com\n']))
        const { status, body } = await service.call('POST', '/contacts/imports', { body: form })
        expect(status).toBe(201)
        expect(await untilEnded(service, (body as { id: string }).id)).toMatchObject({ status: 'completed' })
        const list = async (of: string) => (await service.call('GET', `/contacts/ada@example.com/${of}`)).body
        expect(await list('segments')).toMatchObject({
          data: expect.arrayContaining([one, other].map((id) => expect.objectContaining({ id }))),
        })
        expect(await list('topics')).toMatchObject({ data: [topic] })
        await service.call('DELETE', '/contacts/ada@example.com')
      }
    } finally {
      await worker.stop()
    }
  })

  it('keeps the file out of the request log', async () => {
    await sendImport(service, { file: 'email\nsecret-person@example.com\n', column_map: { email: 'email' } })
    await service.service.context.repositories.requestLogs.flush()
    const [log] = await service.database.execute<{ body: unknown }>(
      `select request_body as body from request_logs where endpoint = '/contacts/imports' order by id desc limit 1`,
    )
    expect(log?.body).toEqual({ file: '32 bytes', column_map: { email: 'email' } })
  })
})

describe('GET /contacts/imports', () => {
  it('lists the imports of the team, newest first, and of one status only when asked', async () => {
    const ids: string[] = []
    for (let index = 0; index < 3; index++)
      ids.unshift(((await sendImport(service, { file: 'email\n', fileName: 'people.csv' })).body as { id: string }).id)
    await sendImport(service, { file: 'email\n' }, service.other.token)
    await service.database.execute(`update contact_imports set status = 'completed', completed_at = created_at where id = $1`, [ids[1]])

    const { data } = await resend.contacts.imports.list()
    const item = (id: string | undefined) => ({
      object: 'contact_import',
      id,
      status: 'queued',
      created_at: TIMESTAMP,
      completed_at: null,
      counts: NO_COUNTS,
      file_name: 'people.csv',
    })
    const done = { ...item(ids[1]), status: 'completed', completed_at: TIMESTAMP }
    expect(data).toEqual({ object: 'list', has_more: false, data: [item(ids[0]), done, item(ids[2])] })

    const { data: completed } = await resend.contacts.imports.list({ status: 'completed' })
    expect(completed?.data).toEqual([done])
    const { data: page } = await resend.contacts.imports.list({ limit: 1, after: ids[0] ?? '' })
    expect(page).toEqual({ object: 'list', has_more: true, data: [done] })
  })

  it('refuses a status that is none', async () => {
    expect(await service.call('GET', '/contacts/imports?status=done')).toMatchObject({
      status: 422,
      body: { message: 'The `status` parameter must be one of: `queued`, `in_progress`, `completed`, `failed`, `canceled`. It is "done".' },
    })
  })
})

describe('GET /contacts/imports/:id', () => {
  it("answers 404 for another team's import and for none", async () => {
    const { body } = await sendImport(service, { file: 'email\n' })
    for (const [id, token] of [
      [(body as { id: string }).id, service.other.token],
      [UNKNOWN_ID, service.token],
    ] as const) {
      expect(await service.call('GET', `/contacts/imports/${id}`, { token })).toMatchObject({
        status: 404,
        body: { statusCode: 404, name: 'not_found', message: 'Contact import not found' },
      })
    }
  })

  it('links to a report of what was refused, as a download, until its time is over', async () => {
    const { body } = await sendImport(service, { file: 'email,first_name\nada@example.com\nnobody,"x, y"\n,=1+1\nada@example.com,Ada\n' })
    const { id } = body as { id: string }
    const worker = startImporting(service)
    const ended = await untilEnded(service, id)
    await worker.stop()

    const url = new URL(ended.report_url ?? '')
    const report = await service.call('GET', url.pathname, { token: null })
    expect(report.status).toBe(200)
    expect(report.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(report.headers.get('content-disposition')).toContain('attachment; filename="refused-rows.csv"')
    expect(report.text).toBe(
      'line,reason,email,first_name\r\n' +
        '2,"The row has 1 column, and the header has 2.",ada@example.com\r\n' +
        '3,The column `email` must be an address such as `name@example.com`.,nobody,"x, y"\r\n' +
        // No formula for a spreadsheet.
        "4,The column `email` is empty.,,'=1+1\r\n",
    )
    expect(await service.call('GET', `${url.pathname.slice(0, -1)}x`, { token: null })).toMatchObject({ status: 403 })
    await service.database.execute(`update contact_imports set completed_at = now() - interval '31 days' where id = $1`, [id])
    expect((await readImport(service, id)).report_url).toBeNull()
  })

  it('shows what the first rows said that were refused, cut, and of later ones the line and the reason', async () => {
    const { body } = await sendImport(service, { file: `email,note\nnobody,${'x'.repeat(300)}\nnobody,second\n` })
    const { id } = body as { id: string }
    await service.database.execute('update contact_imports set failed = 999 where id = $1', [id])
    const worker = startImporting(service)
    const ended = await untilEnded(service, id)
    await worker.stop()
    const { text } = await service.call('GET', new URL(ended.report_url ?? '').pathname, { token: null })
    expect(text.split('\r\n')).toEqual([
      'line,reason,email,note',
      `2,The column \`email\` must be an address such as \`name@example.com\`.,nobody,${'x'.repeat(200)}`,
      '3,The column `email` must be an address such as `name@example.com`.',
      '',
    ])
  })

  it('names the columns that no one reads, of many the first, and of long names the beginning', async () => {
    await service.call('POST', '/contact-properties', { body: { key: 'company', type: 'string' } })
    const find = async (form: ImportForm) => readImport(service, ((await sendImport(service, form)).body as { id: string }).id)
    const few = await find({
      file: 'email,first_name,last_name,company,Age,Company name,City,,unsubscribed\n',
      column_map: { last_name: null, properties: { town: { column: 'City' } } },
    })
    expect(few.ignored_columns).toEqual(['last_name', 'Age', 'Company name'])
    const names = Array.from({ length: 60 }, (_, index) => `${index}-${'x'.repeat(200)}`)
    const many = await find({ file: `${names.join(',')},email\n` })
    expect(many.ignored_columns).toEqual(names.slice(0, 50).map((name) => name.slice(0, 100)))
  })

  it('says at the end of the report how many more rows were refused than are kept', async () => {
    const { body } = await sendImport(service, { file: 'email\nnobody\nnobody\nnobody\n' })
    const { id } = body as { id: string }
    await service.database.execute('update contact_imports set failed = 99999 where id = $1', [id])
    const worker = startImporting(service)
    const ended = await untilEnded(service, id)
    await worker.stop()

    expect(ended.counts.failed).toBe(100_002)
    expect(await readReport(service, ended)).toEqual([
      '2,The column `email` must be an address such as `name@example.com`.',
      '…,"Rows that were refused beyond these, and are not kept: 2."',
    ])
  })

  it('leads no stranger to a file of an email', async () => {
    const { links, clock } = service.service.context
    const token = links.sign('download', { importId: UNKNOWN_ID, teamId: service.teamId }, new Date(clock.now().getTime() + 60_000))
    expect(await service.call('GET', `/downloads/${token}`, { token: null })).toMatchObject({ status: 200, text: 'line,reason\r\n' })
    expect(await readReport(service, { report_url: `http://localhost/downloads/${token}` } as never)).toEqual([])
  })
})

describe('POST /contacts/imports/:contact_import_id/cancel', () => {
  const cancel = (id: string, token?: string) =>
    service.call('POST', `/contacts/imports/${id}/cancel`, token === undefined ? {} : { token })

  it('ends an import that waits, and removes its file', async () => {
    const { body } = await sendImport(service, { file: 'email\nnever@example.com\n' })
    const { id } = body as { id: string }
    expect(await cancel(id)).toMatchObject({
      status: 200,
      body: { object: 'contact_import', id, status: 'canceled', completed_at: expect.any(String), counts: { total: 0 }, reason: null },
    })
    expect(await storedFiles(service)).toEqual([])
    // The job is gone with it.
    const worker = startImporting(service)
    await worker.stop()
    expect((await service.call('GET', '/contacts/never@example.com')).status).toBe(404)
    expect(await cancel(id)).toMatchObject({
      status: 422,
      body: { name: 'validation_error', message: 'This contact import has ended, so it cannot be canceled.' },
    })
  })

  it('keeps what was committed, and commits nothing more', async () => {
    const rows = Array.from({ length: 30_000 }, (_, number) => `many-${number}@example.com`)
    const { body } = await sendImport(service, { file: `email\n${rows.join('\n')}\n` })
    const { id } = body as { id: string }
    const worker = startImporting(service)
    await vi.waitFor(async () => expect((await readImport(service, id)).counts.total).toBeGreaterThan(0), 20_000)
    const { body: canceled } = await cancel(id)
    await worker.stop()
    const { counts } = canceled as { counts: { total: number } }
    expect(counts.total).toBeLessThan(rows.length)
    expect(await readImport(service, id)).toMatchObject({ status: 'canceled', counts: { total: counts.total, created: counts.total } })
    const [{ count } = { count: -1 }] = await service.database.execute<{ count: number }>(
      `select count(*)::int as count from contacts where team_id = $1 and email like 'many-%'`,
      [service.teamId],
    )
    expect(count).toBe(counts.total)
    expect(await storedFiles(service)).toEqual([])
  })

  it('is of the own team', async () => {
    const { body } = await sendImport(service, { file: 'email\n' })
    const { id } = body as { id: string }
    expect(await cancel(id, service.other.token)).toMatchObject({ status: 404 })
    expect(await cancel(UNKNOWN_ID)).toMatchObject({ status: 404 })
  })
})
