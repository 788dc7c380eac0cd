import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLineWatch, type LineFault, RECEIVED_HEADERS_MAX } from '../../src/mail/incoming-lines.ts'

/** What is said of a message that arrives in pieces of this size. */
function faultOf(message: string, pieceBytes = message.length): LineFault | null {
  const watch = createLineWatch()
  const bytes = Buffer.from(message, 'latin1')
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const fault = watch(bytes.subarray(at, at + pieceBytes))
    if (fault !== null) return fault
  }
  return null
}

const hops = (count: number, name = 'Received') => `${name}: from a by b\r\n`.repeat(count)

describe('a message that arrives', () => {
  it.each([
    ['Subject: a\r\n\r\nb\r\n', null],
    ['\r\n\r\n', null],
    ['a\nb\r\n', 'bare line break'],
    ['\nb\r\n', 'bare line break'],
    ['a\rb\r\n', 'bare line break'],
    ['a\r\r\n', 'bare line break'],
    ['a\r\n\n', 'bare line break'],
    ['a\n.\r\n', 'bare line break'],
    ['a\r.\r\n', 'bare line break'],
  ])('%j has the fault %s, however it is cut', (message, expected) => {
    for (const pieceBytes of [1, 2, 3, message.length]) expect(faultOf(message, pieceBytes)).toBe(expected)
  })

  it.each([
    ['one hop less than a loop', `${hops(RECEIVED_HEADERS_MAX - 1)}\r\n`, null],
    ['as many hops as a loop', `Subject: a\r\n${hops(RECEIVED_HEADERS_MAX)}\r\n`, 'loop'],
    ['hops in any case', `${hops(RECEIVED_HEADERS_MAX, 'RECEIVED')}\r\n`, 'loop'],
    ['hops in the body, as a returned message has them', `Subject: a\r\n\r\n${hops(RECEIVED_HEADERS_MAX)}`, null],
    [
      'other headers with such a name',
      `${hops(RECEIVED_HEADERS_MAX, 'Received-SPF')}${hops(RECEIVED_HEADERS_MAX, 'X-Received')}\r\n`,
      null,
    ],
    ['folded lines', `Subject: a\r\n${' Received: b\r\n'.repeat(RECEIVED_HEADERS_MAX)}\r\n`, null],
  ])('with %s', (_what, message, expected) => {
    for (const pieceBytes of [1, 7, message.length]) expect(faultOf(message, pieceBytes)).toBe(expected)
  })

  it('is refused exactly if a line break is not CR LF', () => {
    const message = fc.array(fc.constantFrom('\r', '\n', '\r\n', '.', 'a'), { maxLength: 12 }).map((parts) => `${parts.join('')}a`)
    fc.assert(
      fc.property(message, fc.integer({ min: 1, max: 4 }), (text, pieceBytes) => {
        expect(faultOf(text, pieceBytes) === 'bare line break').toBe(/\r(?!\n)|(?<!\r)\n/.test(text))
      }),
    )
  })
})
