// What a submitted message says is read as its sender wrote it, although some bytes of it are wrong.
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { readHead } from '../../../src/mail/message-head.ts'
import { readSubmissionContent } from '../../../src/modules/submission/submission-content.ts'
import { readSubmissionHeaders } from '../../../src/modules/submission/submission-headers.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

describe('the fields of a submitted message', () => {
  it.each([
    ['with U+FFFD of its own', Buffer.from('Grüße 東京 \ufffd'), 'Grüße 東京 \ufffd'],
    ['with a bad byte', Buffer.concat([Buffer.from('Grüße 東京 '), latin1('\xa0'), Buffer.from('!')]), 'Grüße 東京 \ufffd!'],
    ['in windows-1252', latin1('Gr\xfc\xdfe'), 'Grüße'],
    ['in an encoded word with a byte that is not encoded', latin1('=?iso-8859-1?Q?Gr\xfc=DFe?='), 'Grüße'],
    ['in an encoded word with a line end', latin1('=?utf-8?Q?Gr=C3=BC=C3=9Fe=0D=0Aa?='), 'Grüße a'],
    ['in an encoded word in a charset that does not exist', latin1('=?x-klingon?Q?Gr=FC=DFe?='), 'Grüße'],
  ])('are read alone: a subject %s', (_what, subject, expected) => {
    const from = Buffer.concat([Buffer.from('From: '), subject, Buffer.from(' <a@example.com>\r\nX-Mailer: M')])
    const message = Buffer.concat([from, latin1('\xfcller\r\nSubject: '), subject, Buffer.from('\r\n\r\nx')])
    const headers = readSubmissionHeaders(readHead(message))
    expect([headers.subject, headers.sender.name, headers.userAgent]).toEqual([expected, expected, 'Müller'])
  })
})

it('HTML in UTF-8 with a bad byte, which tracking writes anew, keeps its other characters', async () => {
  const head = 'From: a@example.com\r\nContent-Type: text/html; charset=utf-8\r\n\r\n'
  const message = Buffer.concat([Buffer.from(`${head}<p>Grüße 東京 `), latin1('\xa0'), Buffer.from('</p>')])
  const storeFile = async (file: Parameters<typeof buffer>[0]) => ({ blobKey: 'a', bytes: (await buffer(file)).length })
  expect(await readSubmissionContent(message, { storeFile, hasFingerprint: false })).toMatchObject({
    html: '<p>Grüße 東京 \ufffd</p>',
    htmlPart: 0,
  })
})

it.each(['""', '" "', 'base-64', 'hex:1999', 'x-klingon'])('a body whose charset is %s, which is none, is guessed', async (charset) => {
  const message = latin1(`From: a@example.com\r\nContent-Type: text/plain; charset=${charset}\r\n\r\nGr\xfc\xdfe`)
  const storeFile = async () => ({ blobKey: 'a', bytes: 0 })
  expect(await readSubmissionContent(message, { storeFile, hasFingerprint: false })).toMatchObject({ text: 'Grüße' })
})
