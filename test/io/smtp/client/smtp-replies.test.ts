import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSmtpReply } from '../../../../src/io/smtp/client/smtp-outcome.ts'

describe('parseSmtpReply', () => {
  it.each([
    ['550 5.1.1 No such user', { code: 550, enhancedCode: '5.1.1', text: 'No such user' }],
    [
      '550-5.1.1 No such\r\n550-5.1.1 user:\r\n550 5.1.1 see https://x.example',
      { code: 550, enhancedCode: '5.1.1', text: 'No such user: see https://x.example' },
    ],
    ['250 2.0.0 Ok: queued as 4F', { code: 250, enhancedCode: '2.0.0', text: 'Ok: queued as 4F' }],
    ['421 try again\n', { code: 421, enhancedCode: null, text: 'try again' }],
    ['550', { code: 550, enhancedCode: null, text: '' }],
    ['550 192.0.2.1.9 is listed', { code: 550, enhancedCode: null, text: '192.0.2.1.9 is listed' }],
    ['550 5.1.1.2 odd', { code: 550, enhancedCode: null, text: '5.1.1.2 odd' }],
    ['554 a\u0007\u001b[31mb\0c', { code: 554, enhancedCode: null, text: 'a [31mb c' }],
    ['554 a\u2028b\u202eevil\u2066 \u200fc', { code: 554, enhancedCode: null, text: 'a b evil   c' }],
  ])('reads %j', (raw, expected) => expect(parseSmtpReply(raw)).toEqual(expected))

  it.each(['', 'hello', '99 x', '600 x', '5500 x', 'x 550'])('finds no reply in %j', (raw) => expect(parseSmtpReply(raw)).toBeNull())

  it('keeps at most 1,024 characters, none of them a control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const reply = parseSmtpReply(`550 ${text.repeat(200)}`)
        expect(reply?.text.length).toBeLessThanOrEqual(1024)
        expect(reply?.text).not.toMatch(/\p{Cc}/u)
      }),
    )
    expect(parseSmtpReply(`550 ${'x\r\n'.repeat(1_000_000)}`)?.text.length).toBeLessThanOrEqual(1024)
  })
})
