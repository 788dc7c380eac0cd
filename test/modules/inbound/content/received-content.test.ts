// Whatever comes: it is read without an error, and what is read can be stored.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FILES_MAX, LEVELS_MAX, PARTS_MAX } from '../../../../src/mail/mime-parts.ts'
import { ADDRESSES_MAX, readReceivedMessage } from '../../../../src/modules/inbound/content/received-content.ts'
import { RECEIVED_MESSAGE } from '../../../support/builders/received-emails.ts'

/** All three properties together have `FUZZ_RUNS`. */
const FUZZING = {
  numRuns: Math.ceil(Number(process.env.FUZZ_RUNS ?? 4_500) / 3),
  ...(process.env.FUZZ_SEED !== undefined && { seed: Number(process.env.FUZZ_SEED) }),
}

async function read(message: Buffer) {
  const stored: number[] = []
  const pieces = function* () {
    for (let at = 0; at < message.length; at += 100) yield message.subarray(at, at + 100)
  }
  const content = await readReceivedMessage(Readable.from(pieces()), async (file) => {
    const { length } = await buffer(file)
    stored.push(length)
    return { blobKey: String(stored.length), bytes: length }
  })
  return { content, stored }
}

async function expectStorable(message: Buffer): Promise<void> {
  const { content, stored } = await read(message)
  const text = JSON.stringify(content)
  expect(text).not.toMatch(/\\u0000|\\ud[89a-f]/)
  expect(content.files.map(({ size }) => size)).toEqual(stored)
  expect(content.files.length).toBeLessThanOrEqual(FILES_MAX)
  expect(content.to.length).toBeLessThanOrEqual(ADDRESSES_MAX)
  for (const { filename, contentType } of content.files) {
    expect(contentType).toMatch(/^[^\s/]+\/[^\s/]+$/)
    expect(filename ?? 'none').toMatch(/^[^/\\\p{Cc}]{1,510}$/u)
  }
}

const token = fc.constantFrom(
  ...['\r\n', '\n', '\r\n\r\n', '--b', '--b--', '\r\n--b\r\n', ' ', '\t', ';', '"', '<', '>', '(', ')', ',', ':', '=', '\0', '\xff', 'é'],
  ...[
    'From: a@b.c',
    'To: ',
    'Subject: ',
    'Content-Type: multipart/mixed; boundary=b',
    'Content-Type: text/html',
    'Content-Type: message/rfc822',
  ],
  ...['Content-Type: text/plain; charset=', 'utf-16', 'utf-7', 'x-none', '; format=flowed', 'Content-Transfer-Encoding: base64'],
  ...[
    'Content-Transfer-Encoding: quoted-printable',
    'Content-Disposition: attachment; filename=',
    "filename*0*=utf-8''%00%2e%2e%2f",
    '../../x',
    'CON',
  ],
  ...[
    '=?utf-8?q?=00?=',
    '=?utf-16?b?2AA=?=',
    '=?x?z?y?=',
    'Content-ID: <a>',
    'Message-ID: ',
    'References: <a@b> <',
    'Received: x for <a@b.c>;',
    'aGVsbG8=',
    '=C3=',
    '=\r\n',
  ],
)

describe('any message', () => {
  it('made of the pieces of messages is read', () =>
    fc.assert(
      fc.asyncProperty(fc.array(token, { maxLength: 60 }), (tokens) => expectStorable(Buffer.from(tokens.join('')))),
      FUZZING,
    ))

  it('made of bytes is read', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), (bytes) => expectStorable(Buffer.from(bytes))),
      FUZZING,
    ))

  it('that was damaged on its way is read', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(RECEIVED_MESSAGE.length - 1), fc.nat(255), fc.nat(3)), { minLength: 1, maxLength: 8 }),
        (changes) => {
          let bytes = Buffer.from(RECEIVED_MESSAGE)
          for (const [at, byte, removed] of changes)
            bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at + removed)])
          return expectStorable(bytes)
        },
      ),
      FUZZING,
    ))

  it('whose storage fails is not read in part', async () => {
    const reading = readReceivedMessage(Readable.from([Buffer.from(RECEIVED_MESSAGE)]), async (file) => {
      file.resume()
      throw new Error('disk')
    })
    await expect(reading).rejects.toThrow('disk')
  })

  it('whose source fails is not read in part', async () => {
    const pieces = async function* () {
      yield Buffer.from(RECEIVED_MESSAGE.slice(0, 600))
      throw new Error('source')
    }
    await expect(
      readReceivedMessage(Readable.from(pieces()), async (file) => ({ blobKey: 'a', bytes: (await buffer(file)).length })),
    ).rejects.toThrow('source')
  })
})

it.each([
  [LEVELS_MAX, null, 'deepest\n'],
  [LEVELS_MAX + 1, `The message has parts in more than ${LEVELS_MAX} levels. What follows is only in the raw message.`, null],
])('reads parts in at most so many levels: %s', async (levels, problem, text) => {
  const opened = Array.from({ length: levels }, (_one, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`)
  const { content } = await read(Buffer.from(`From: a@example.com\r\n${opened.join('')}\r\ndeepest\r\n`))
  expect(content).toMatchObject({ problem, text })
})

describe('of a message with too many parts, all before the limit are read', () => {
  const opened = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n'
  const messageOf = (part: string) => Buffer.from(opened + `--b\r\n${part}\r\n`.repeat(PARTS_MAX + 100) + 'x'.repeat(70_000))
  /** The root is a part too. */
  const READ = PARTS_MAX - 1
  const files = `The message has more than ${FILES_MAX} files. The others are only in the raw message.`
  const parts = `The message has more than ${PARTS_MAX} parts or headers of more than 1 MB. What follows is only in the raw message.`
  const slow = async (file: Readable) => {
    const { length } = await buffer(file)
    await new Promise(setImmediate)
    return { blobKey: 'a', bytes: length }
  }
  const piecesOf = function* (message: Buffer, length: number) {
    for (let at = 0; at < message.length; at += length) yield message.subarray(at, at + length)
  }

  it.each([
    ['whole', (message: Buffer) => message],
    ['in large pieces', (message: Buffer) => Readable.from(piecesOf(message, 65_536), { objectMode: false })],
    ['in small pieces', (message: Buffer) => Readable.from(piecesOf(message, 100), { objectMode: false })],
  ])('%s, and not those after it', async (_how, source) => {
    const texts = await readReceivedMessage(source(messageOf('\r\nhi')), slow)
    expect(texts.text?.split('\n')).toEqual(Array.from({ length: READ }, () => 'hi'))
    expect(texts.problem).toBe(parts)
    const stored = await readReceivedMessage(source(messageOf('Content-Type: a/b\r\n\r\nhi')), slow)
    expect(stored.files).toHaveLength(FILES_MAX)
    expect(stored.problem).toBe(`${files} ${parts}`)
  })
})
