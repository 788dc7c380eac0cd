import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeContent, encodedSize } from '../../src/mail/attachment-content.ts'

const bytes = Buffer.from([0, 255, 16, 128, 62])

describe('decodeContent', () => {
  it.each([
    ['base64', 'AP8QgD4='],
    ['base64 in lines', 'AP8Q\r\ngD4=\r\n'],
    ['base64 without padding', 'AP8QgD4'],
    ['an array of bytes', [...bytes]],
    ['a buffer as JSON shows it', { type: 'Buffer' as const, data: [...bytes] }],
  ])('reads %s', (_name, content) => expect(decodeContent(content)).toEqual(bytes))

  it('reads the URL-safe alphabet', () => expect(decodeContent('-_-_')).toEqual(Buffer.from('+/+/', 'base64')))

  it('takes an empty file', () => expect(decodeContent('')).toEqual(Buffer.alloc(0)))

  it('gives back every file that was encoded, in every form', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (array) => {
        const file = Buffer.from(array)
        for (const content of [file.toString('base64'), file.toString('base64url'), [...file]]) expect(decodeContent(content)).toEqual(file)
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
  ])('refuses %j', (text) => expect(decodeContent(text)).toEqual({ problem: expect.stringContaining('base64') }))

  it('says what is wrong with a data URL', () =>
    expect(decodeContent('data:text/plain;base64,AAAA')).toEqual({ problem: expect.stringContaining('data:') }))

  it.each([[[1, 256]], [[1, -1]], [[1, 1.5]], [[1, Number.NaN]]])('refuses the bytes %j', (values) =>
    expect(decodeContent(values)).toEqual({ problem: 'must be bytes, whole numbers from 0 to 255; item 1 is not' }),
  )

  it('takes 5 MB as an array, and refuses more', () => {
    const most = 5 * 1024 * 1024
    expect(decodeContent(new Array<number>(most).fill(7))).toHaveLength(most)
    expect(decodeContent(new Array<number>(most + 1).fill(7))).toEqual({ problem: expect.stringContaining('send larger files in base64') })
  })

  it('decodes 40 MB in a moment', () => {
    const file = Buffer.alloc(40 * 1024 * 1024, 1)
    // Time of this thread alone: what else the machine does is not counted.
    const before = process.threadCpuUsage()
    expect(decodeContent(file.toString('base64'))).toHaveLength(file.length)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(3_000)
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
