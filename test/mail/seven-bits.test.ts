import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { createBodyHashes } from '../../src/mail/dkim/body-hash.ts'
import { signMessage } from '../../src/mail/dkim/signed-message.ts'
import { sevenBitForm } from '../../src/mail/seven-bits.ts'
import { createTestSigners, resolverOf } from '../support/builders/domains.ts'

const HEAD = 'From: a@example.com\r\nTo: b@example.org\r\nMIME-Version: 1.0\r\n'
const part = (head: string, body: string) => `--b\r\n${head}\r\n\r\n${body}\r\n`
const mixed = (...parts: string[]) =>
  `${HEAD}Content-Type: multipart/mixed; boundary=b\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${parts.join('')}--b--\r\n`
const TEXT = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit'
const FILE = `Content-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: base64\r\n\r\n${`${'QUJD'.repeat(19)}\r\n`.repeat(3)}`
const INNER = `Subject: Grüße\r\n${TEXT}\r\n\r\nGrüße\r\n${'東京 '.repeat(50)}`

/** Pieces of any length. */
const inPieces = (message: string, bytes: number) => {
  const whole = Buffer.from(message)
  return Readable.from(
    Array.from({ length: Math.ceil(whole.length / bytes) }, (_, index) => whole.subarray(index * bytes, (index + 1) * bytes)),
    { objectMode: false },
  )
}
const sevenBits = async (message: string, bytes = 7) =>
  (await buffer(await sevenBitForm(async () => inPieces(message, bytes))())).toString('latin1')

describe('a message in seven bits', () => {
  it('is as it was if it has no others', async () => {
    const message = mixed(part('Content-Type: text/plain', 'Hello = you '), `--b\r\n${FILE}`)
    expect(await sevenBits(message)).toBe(message.replace('Content-Transfer-Encoding: 8bit', 'Content-Transfer-Encoding: 7bit'))
  })

  it.each([1, 7, 1_000_000])('has its text in quoted-printable, and all else byte for byte, in pieces of %i bytes', async (bytes) => {
    const text = `Grüße aus Köln ${'東京 '.repeat(100)}\r\n.\r\nend = `
    const raw = await sevenBits(mixed(part(TEXT, text), `--b\r\n${FILE}`, part('Content-Type: text/plain', 'plain = ')), bytes)
    expect(raw).toMatch(/^(?:[\t\x20-\x7e]{0,998}\r\n)+$/)
    expect(raw).toContain(FILE)
    expect(raw).toContain('\r\n\r\nplain = \r\n')
    expect(raw).not.toContain('8bit')
    const read = await PostalMime.parse(Buffer.from(raw, 'latin1'))
    expect(read.text?.startsWith(text.replaceAll('\r\n', '\n'))).toBe(true)
  })

  it('has a message that is attached as a file, byte for byte', async () => {
    const raw = await sevenBits(
      mixed(part('Content-Type: text/plain', 'See'), part('Content-Type: message/rfc822\r\nContent-Transfer-Encoding: 8bit', INNER)),
    )
    expect(raw).toMatch(/^(?:[\t\x20-\x7e]{0,998}\r\n)+$/)
    const { attachments } = await PostalMime.parse(Buffer.from(raw, 'latin1'), { attachmentEncoding: 'utf8' })
    expect(attachments).toMatchObject([{ filename: 'message.eml', mimeType: 'application/octet-stream', content: INNER }])
  })

  it('has names of files in seven bits', async () => {
    const raw = await sevenBits(
      mixed(
        part('Content-Type: text/plain', 'See'),
        part('Content-Type: text/csv; name="ü.csv"\r\nContent-Disposition: attachment; filename="ü.csv"', 'a'),
      ),
    )
    expect(raw).toMatch(/^(?:[\t\x20-\x7e]{0,998}\r\n)+$/)
    expect((await PostalMime.parse(raw)).attachments).toMatchObject([{ filename: 'ü.csv' }])
  })

  it.each([
    ['quoted-printable', 'Gr=C3=BC=C3=9Fe ü', 'Grüße ü'],
    ['quoted-printable', 'é'.repeat(499), 'é'.repeat(499)],
    ['base64', 'SGVs\r\nbüG8=', 'Hello'],
    ['x-uuencode', 'begin 644 a\r\n#86)ü C\r\n`\r\nend', 'begin 644 a\n#86) C\n`\nend'],
  ])('loses nothing of a body in %s that has stray bytes', async (encoding, body, text) => {
    const raw = await sevenBits(
      `${HEAD}Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n`,
    )
    expect(raw).toMatch(/^(?:[\t\x20-\x7e]{0,998}\r\n)+$/)
    expect(raw).toContain(`Content-Transfer-Encoding: ${encoding}\r\n`)
    expect((await PostalMime.parse(raw)).text?.trim()).toBe(text)
  })

  it('is signed as it is sent', async () => {
    const { both, records } = createTestSigners()
    const message = mixed(part(TEXT, 'Grüße'), part('Content-Type: message/rfc822', INNER))
    const signed = await signMessage(
      { compose: sevenBitForm(async () => inPieces(message, 100)), isStreamed: true, date: new Date('2026-03-04T05:06:07Z') },
      { signers: both, bodyKey: 'a', bodyHashes: createBodyHashes() },
    )
    const { results } = await dkimVerify(Buffer.isBuffer(signed) ? signed : await buffer(signed), { resolver: resolverOf(records) })
    expect(results.map(({ status }) => status.result)).toEqual(['pass', 'pass'])
  })
})
