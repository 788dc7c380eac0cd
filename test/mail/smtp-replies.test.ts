import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bounceReasonOf, parseSmtpReply } from '../../src/mail/smtp-replies.ts'

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

/** What the workers pass: the parts of a reply that were stored with its attempt. */
const reasonOf = (raw: string) => bounceReasonOf(parseSmtpReply(raw) ?? { code: 0, enhancedCode: null, text: raw })

describe('bounceReasonOf', () => {
  it.each([
    ['421 4.3.2 shutting down', 'Transient', 'General'],
    ['450 4.7.1 Greylisted', 'Transient', 'General'],
    ['451 local error', 'Transient', 'General'],
    ['452 4.2.2 over quota', 'Transient', 'MailboxFull'],
    ['354 go ahead', 'Transient', 'General'],
    ['550 5.1.1 User unknown', 'Permanent', 'General'],
    ['550 user unknown', 'Permanent', 'General'],
    ['550 No such user here', 'Permanent', 'General'],
    ['553 The address does not exist', 'Permanent', 'General'],
    ['550 Requested action not taken: mailbox unavailable', 'Permanent', 'General'],
    ['550 5.2.1 mailbox disabled', 'Permanent', 'General'],
    ['550 4.1.1 confused server', 'Permanent', 'General'],
    ['556 5.1.10 Recipient domain has null MX', 'Permanent', 'General'],
    ['521 host does not accept mail', 'Permanent', 'General'],
    ['550 5.1.8 sender domain does not resolve', 'Transient', 'General'],
    ['550 5.7.26 unauthenticated', 'Transient', 'General'],
    ['552 5.2.2 over quota', 'Transient', 'MailboxFull'],
    ['552 exceeded storage allocation', 'Transient', 'MailboxFull'],
    ['552 5.3.4 too big', 'Transient', 'MessageTooLarge'],
    ['554 Message size exceeds fixed limit', 'Transient', 'MessageTooLarge'],
    ['554 5.7.1 looks like spam', 'Transient', 'ContentRejected'],
    ['554 5.6.0 bad content', 'Transient', 'ContentRejected'],
    ['554 5.7.0 attachment type not allowed', 'Transient', 'AttachmentRejected'],
    ['554 no', 'Undetermined', 'Undetermined'],
    ['550', 'Undetermined', 'Undetermined'],
  ])('reads from %j: %s, %s', (raw, type, subType) => expect(reasonOf(raw)).toEqual({ type, subType }))

  it('blames the address only for what is about the address', () => {
    for (const raw of ['550 5.7.1 blocked', '554 5.7.1 spam from your IP', '552 5.3.4 too big', '550 5.4.0 routing', '451 x']) {
      expect(reasonOf(raw).type).not.toBe('Permanent')
    }
  })
})
