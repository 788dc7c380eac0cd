import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ImportForm, importAtOnce, readImport, readReport, sendImport, tryImport } from '../../../support/builders/contact-imports.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())
beforeEach(() =>
  service.database.execute('truncate contacts, contact_segments, contact_topics, opt_outs, topic_opt_outs, segments, topics'),
)
afterEach(() => vi.restoreAllMocks())

const contactOf = async (email: string) => (await service.call('GET', `/contacts/${email}`)).body as Record<string, unknown>
const queued = async (form: ImportForm) => ((await sendImport(service, form)).body as { id: string }).id
const imported = (form: ImportForm) => importAtOnce(service, form)

/** Pieces of text in UTF-8, and of bytes. */
const bytesOf = (...pieces: (string | number[])[]) =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece))))
const badByte = (offset: number) =>
  `The row has bytes that are not valid text, from byte offset ${offset} of the file: save the file as CSV in UTF-8, and import it again.`
const reported = async (ended: Awaited<ReturnType<typeof imported>>) =>
  (await readReport(service, ended)).map((line) => line.replaceAll('"', ''))

describe('an import in UTF-8 with some bad bytes', () => {
  it('refuses their rows, with line and offset, and reads the others as they are', async () => {
    const start = 'email,first_name\nzoe@münchen.example,Zoë\nb@m'
    const ended = await imported({ file: bytesOf(start, [0xfc], 'nchen.example,Bob\nlast@example.com,東京\n') })
    expect(ended).toMatchObject({ status: 'completed', encoding: 'utf-8', counts: { total: 3, created: 2, failed: 1 } })
    expect(await reported(ended)).toEqual([`3,${badByte(Buffer.byteLength(start))}`])
    expect(await contactOf('zoe@xn--mnchen-3ya.example')).toMatchObject({ first_name: 'Zoë' })
    expect(await contactOf('last@example.com')).toMatchObject({ first_name: '東京' })
  })

  it('takes the opt-outs of these rows, where their address is clear', async () => {
    const ended = await imported({
      file: bytesOf(
        '\ufeffemail,first_name,unsubscribed\nclear@example.com,M',
        [0xfc],
        'ller,yes\nunclear@m',
        [0xfc],
        'nchen.example,Bob,yes\nstays@example.com,',
        [0xfc],
        ',no\n',
      ),
    })
    expect(ended).toMatchObject({ encoding: 'utf-8', counts: { total: 3, created: 0, failed: 3 } })
    expect(await reported(ended)).toEqual([`2,${badByte(52)} Its opt-out was recorded anyway.`, `3,${badByte(71)}`, `4,${badByte(112)}`])
    for (const email of ['clear@example.com', 'stays@example.com']) await service.call('POST', '/contacts', { body: { email } })
    expect(await contactOf('clear@example.com')).toMatchObject({ unsubscribed: true })
    expect(await contactOf('stays@example.com')).toMatchObject({ unsubscribed: false })
  })

  it('names the offsets in the file although its worker was killed in between', async () => {
    const rows = Array.from({ length: 4_500 }, (_, index) => `r${index}@example.com,Zoë\n`).join('')
    const start = `email,first_name\nfirst@example.com,M`
    const file = bytesOf(start, [0xfc], `ller\n${rows}last@example.com,M`, [0xfc], 'ller\n')
    const importId = await queued({ file })
    const { importBatches } = service.service.context.repositories
    const { commit } = importBatches
    vi.spyOn(importBatches, 'commit').mockImplementationOnce(commit).mockRejectedValueOnce(new Error('The process is gone'))
    await expect(tryImport(service, importId)).rejects.toThrow('The process is gone')
    expect((await readImport(service, importId)).counts.total).toBeGreaterThan(0)
    await tryImport(service, importId)
    const ended = await readImport(service, importId)
    expect(ended).toMatchObject({ status: 'completed', counts: { total: 4_502, created: 4_500, failed: 2 } })
    expect(await reported(ended)).toEqual([`2,${badByte(Buffer.byteLength(start))}`, `4503,${badByte(file.length - 6)}`])
  })
})

describe('an import in another encoding', () => {
  const TEXT = 'email;first_name\nzoe@münchen.example;Zoë\n'

  it.each([
    ['windows-1252', Buffer.from(TEXT, 'latin1')],
    ['utf-16le', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['utf-16be', Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16()],
  ])('is read as such, and says so: %s', async (encoding, file) => {
    expect(await imported({ file })).toMatchObject({ status: 'completed', encoding, counts: { total: 1, created: 1 } })
    expect(await contactOf('zoe@xn--mnchen-3ya.example')).toMatchObject({ first_name: 'Zoë' })
  })

  it('refuses a row with a NUL in UTF-16, which looks like text until it is decoded', async () => {
    const ended = await imported({ file: Buffer.from('\ufeffemail,first_name\na@example.com,A\0da\nb@example.com,Bob\n', 'utf16le') })
    expect(ended).toMatchObject({ encoding: 'utf-16le', counts: { total: 2, created: 1, failed: 1 } })
    expect(await reported(ended)).toEqual([`2,${badByte(66)}`])
  })
})
