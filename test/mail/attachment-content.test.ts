import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { doAtOnce, doInPieces, PIECE_LENGTH } from '../../src/lib/main-thread.ts'
import { type AttachmentContent, decodeContent, encodedSize } from '../../src/mail/attachments.ts'
import { leastCpuMs } from '../support/clocks/cpu.ts'

const bytes = Buffer.from([0, 255, 16, 128, 62])

const decoded = (content: AttachmentContent) => doAtOnce(decodeContent(content))

describe('decodeContent', () => {
  it.each([
    ['base64', 'AP8QgD4='],
    ['base64 in lines', 'AP8Q\r\ngD4=\r\n'],
    ['base64 without padding', 'AP8QgD4'],
    ['an array of bytes', [...bytes]],
    ['a buffer as JSON shows it', { type: 'Buffer' as const, data: [...bytes] }],
  ])('reads %s', (_name, content) => expect(decoded(content)).toEqual(bytes))

  it('reads the URL-safe alphabet', () => expect(decoded('-_-_')).toEqual(Buffer.from('+/+/', 'base64')))

  it('takes an empty file', () => expect(decoded('')).toEqual(Buffer.alloc(0)))

  it('gives back every file that was encoded, in every form', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (array) => {
        const file = Buffer.from(array)
        for (const content of [file.toString('base64'), file.toString('base64url'), [...file]]) expect(decoded(content)).toEqual(file)
      }),
    )
  })

  it.each([
    'A',
    'AP8QgD4==',
    'AP8QgD=',
    'AP8=QgD4',
    '====',
    '=',
    'AP8Q!D4=',
    '+_AA',
    'AP8QgD5=',
    'AB==',
    'hällo',
    'AP8Q\u00a0gD4=',
    'A\0AA',
  ])('refuses %j', (text) => expect(decoded(text)).toEqual({ problem: expect.stringContaining('base64') }))

  it('says what is wrong with a data URL', () =>
    expect(decoded('data:text/plain;base64,AAAA')).toEqual({ problem: expect.stringContaining('data:') }))

  it.each([[[1, 256]], [[1, -1]], [[1, 1.5]], [[1, Number.NaN]]])('refuses the bytes %j', (values) =>
    expect(decoded(values)).toEqual({ problem: 'must be bytes, whole numbers from 0 to 255; item 1 is not' }),
  )

  it('takes 5 MB as an array, and refuses more', () => {
    const most = 5 * 1024 * 1024
    expect(decoded(new Array<number>(most).fill(7))).toHaveLength(most)
    expect(decoded(new Array<number>(most + 1).fill(7))).toEqual({ problem: expect.stringContaining('send larger files in base64') })
  })

  it('decodes a long text piece by piece, wherever lines, padding and faults lie, and lets the event loop turn between the pieces', async () => {
    const file = Buffer.from(Array.from({ length: 3 * PIECE_LENGTH + 1 }, (_, index) => (index * 7919) % 251))
    const base64 = file.toString('base64')
    const inLines = base64.replace(/.{76}/g, '$&\r\n')
    for (const content of [
      base64,
      base64.slice(0, -2),
      ` ${inLines}\r\n`,
      `${base64.slice(0, -1)}${' '.repeat(PIECE_LENGTH)}=`,
      [...file],
    ]) {
      const lengths = [...decodeContent(content)]
      expect(lengths.length).toBeGreaterThanOrEqual(4)
      expect(Math.max(...lengths)).toBe(PIECE_LENGTH)
      let turns = 0
      const turn = async () => (turns += 1)
      expect(file.equals((await doInPieces(decodeContent(content), turn)) as Buffer)).toBe(true)
      expect(turns).toBe(lengths.length - 1)
    }
    for (const fault of [
      `${base64}=`,
      `${base64}A`,
      `=${base64}`,
      `${base64.slice(0, -3)}_==`,
      `${base64.slice(0, 2 * PIECE_LENGTH)}=${base64}`,
    ])
      expect(decoded(fault)).toEqual({ problem: expect.stringContaining('base64') })
  })

  it('decodes 40 MB in a moment', async () => {
    const file = Buffer.alloc(40 * 1024 * 1024, 1)
    const spentMs = await leastCpuMs(() => expect(decoded(file.toString('base64'))).toHaveLength(file.length), 3_000)
    expect(spentMs).toBeLessThan(3_000)
  })
})

it('counts a file as base64 in lines of 76 characters with CRLF', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5000 }), (size) => {
      const lines =
        Buffer.alloc(size)
          .toString('base64')
          .match(/.{1,76}/g) ?? []
      expect(encodedSize(size)).toBe(lines.map((line) => `${line}\r\n`).join('').length)
    }),
  )
})
