import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { doAtOnce } from '../../src/lib/main-thread.ts'
import { encodedTextSize } from '../../src/mail/attachments.ts'
import { composeMessage } from '../../src/mail/mime-build.ts'

/** Bytes of the body of a message that contains only this text. */
async function composedSize(text: string): Promise<number> {
  const mailbox = { name: null, address: 'a@example.com' }
  const message = await composeMessage({
    messageId: '<a@example.com>',
    date: new Date(0),
    from: mailbox,
    to: [mailbox],
    cc: [],
    replyTo: [],
    subject: 's',
    html: null,
    text,
    headers: [],
    attachments: [],
  })
  if (!Buffer.isBuffer(message)) throw new Error('A message without attachments is a buffer')
  return message.length - message.indexOf('\r\n\r\n') - 4
}

/** One percent, and a line or two at the ends. */
const isNear = (estimate: number, size: number): boolean => Math.abs(estimate - size) <= 90 + size / 100

describe('encodedTextSize', () => {
  it.each([
    ['short lines', 'Thank you.\n'.repeat(1_000)],
    ['words in one line', 'Thank you very much, and see you. '.repeat(1_000)],
    ['letters in one line', 'x'.repeat(100_000)],
    ['letters in one line, more than the composer looks at', 'x'.repeat(300_000)],
    ['equals signs', "=e' aaaa".repeat(5_000)],
    ['nothing but equals signs', `${'='.repeat(20_000)}a`],
    ['German', 'Für größere Übungen genügt es. '.repeat(1_000)],
    ['Japanese', 'ご注文ありがとうございます。'.repeat(1_000)],
    ['Latin letters with pictures', 'Hello you 🎉 there '.repeat(1_000)],
    ['space at the ends of lines', `${'hello é '.repeat(5)} \t\r\n`.repeat(500)],
    ['bare carriage returns', 'é hello\rhello\n\r'.repeat(1_000)],
    ['HTML', '<table style="width:100%"><tr><td class="a=b">Hello, world!</td></tr></table>'.repeat(500)],
  ])('tells the size of %s', async (_what, text) => {
    const size = await composedSize(text)
    const estimate = doAtOnce(encodedTextSize(text))
    expect(isNear(estimate, size), `${estimate} instead of ${size}`).toBe(true)
  })

  it('tells the size of any text', async () => {
    const words = fc.constantFrom(
      'hello',
      'a',
      ' ',
      '.',
      '=',
      'é',
      'ß',
      '字',
      '🎉',
      '\n',
      '\r\n',
      '\t',
      'averylongwordwithoutanyspace',
      '\u0001',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 300 }), async (parts) => {
        const text = parts.join('').repeat(10)
        expect(isNear(doAtOnce(encodedTextSize(text)), await composedSize(text))).toBe(true)
      }),
    )
  })
})
