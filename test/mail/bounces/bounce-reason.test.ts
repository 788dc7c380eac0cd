import { describe, expect, it } from 'vitest'
import { parseSmtpReply } from '../../../src/io/smtp/client/smtp-outcome.ts'
import { classifyBounce } from '../../../src/mail/bounces/bounce-reason.ts'

/** What the workers pass: the parts of a reply that were stored with its attempt. */
const wholeReasonOf = (raw: string) => classifyBounce(parseSmtpReply(raw) ?? { code: 0, enhancedCode: null, text: raw })
const reasonOf = (raw: string) => {
  const { type, subType, isAddressFault } = wholeReasonOf(raw)
  return { type, subType, isAddressFault }
}

const ADDRESS = { type: 'Permanent', subType: 'General', isAddressFault: true }
const ROUTE = { type: 'Permanent', subType: 'General', isAddressFault: false }
const REFUSED = { type: 'Permanent', subType: 'ContentRejected', isAddressFault: false }
const DELAY = { type: 'Transient', subType: 'General', isAddressFault: false }
const FULL = { type: 'Transient', subType: 'MailboxFull', isAddressFault: false }
const SIZE = { type: 'Transient', subType: 'MessageTooLarge', isAddressFault: false }
const UNCLEAR = { type: 'Undetermined', subType: 'Undetermined', isAddressFault: false }

describe('bounceReasonOf', () => {
  it.each([
    '450 4.7.1 Client host rejected: cannot find your hostname, [192.0.2.7]',
    '450 4.7.1 Service unavailable; Client host [192.0.2.7] blocked using zen.spamhaus.org',
    '450 blocked using dnsbl.example, see https://dnsbl.example',
    '450 4.7.1 Your IP has a poor reputation. Try again later',
    '421 4.3.2 Your IP has been temporarily deferred',
    '450 4.7.1 Greylisted',
    '450 4.7.1 Try again later',
    '451 4.7.650 The mail server [192.0.2.7] has been temporarily rate limited',
    '450 too many connections from your host',
    '452 4.5.3 Too many recipients',
    '450 4.1.8 Sender address rejected: Domain not found',
    '550 5.7.26 unauthenticated',
  ])('says of %j that it is about the sender', (raw) =>
    expect(wholeReasonOf(raw)).toMatchObject({ isSenderFault: true, isAddressFault: false }),
  )

  it.each([
    '450 4.1.1 User unknown',
    '450 4.2.1 mailbox disabled',
    '452 4.2.2 over quota',
    '450 4.7.1 Mailbox full',
    '450 4.3.0 local error',
    '451 try again later',
    '450 mailbox unavailable',
  ])('does not say so of %j', (raw) => expect(wholeReasonOf(raw).isSenderFault).toBe(false))

  it.each([
    ['421 4.3.2 shutting down', DELAY],
    ['450 4.7.1 Greylisted', DELAY],
    ['450 4.1.1 User unknown', DELAY],
    ['451 local error', DELAY],
    ['452 4.2.2 over quota', FULL],
    ['354 go ahead', DELAY],
    ['550 5.1.1 User unknown', ADDRESS],
    ['550 user unknown', ADDRESS],
    ['550 No such user here', ADDRESS],
    ['553 The address does not exist', ADDRESS],
    ['550 Requested action not taken: mailbox unavailable', ADDRESS],
    ['550 5.2.1 mailbox disabled', ADDRESS],
    ['550 4.1.1 confused server', ADDRESS],
    ['556 5.1.10 Recipient domain has null MX', ADDRESS],
    ['521 host does not accept mail', ADDRESS],
    ['550 5.1.8 sender domain does not resolve', REFUSED],
    ['550 5.7.26 unauthenticated', REFUSED],
    ['552 5.2.2 over quota', FULL],
    ['552 exceeded storage allocation', FULL],
    ['552 5.3.4 too big', SIZE],
    ['554 Message size exceeds fixed limit', SIZE],
    ['554 5.7.1 looks like spam', REFUSED],
    ['451 4.7.1 looks like spam', { ...REFUSED, type: 'Transient' }],
    ['554 5.6.0 bad content', REFUSED],
    ['554 5.7.0 attachment type not allowed', { ...REFUSED, subType: 'AttachmentRejected' }],
    ['554 no', UNCLEAR],
    ['550', UNCLEAR],
    ['550 5.4.6 routing loop', ROUTE],
    ['550 5.7.1 relaying denied', ROUTE],
  ])('reads %j', (raw, expected) => expect(reasonOf(raw)).toEqual(expected))

  it.each([
    ['550 5.4.1 [a@example.com]: Recipient address rejected: Access denied. AS(201806281)', ADDRESS],
    ['550 5.7.1 Recipient not found', ADDRESS],
    ['550 5.1.1 Message refused as spam', REFUSED],
    ['550 5.1.1 blocked using zen.spamhaus.org', REFUSED],
    ['550 Sender verify failed: no such user here', REFUSED],
    ['550 5.1.1 unknown user <spam@example.com>, see https://example.com/virus', ADDRESS],
    ['550 5.1.1 too many messages, try again later', DELAY],
  ])('believes the words of %j more than its codes', (raw, expected) => expect(reasonOf(raw)).toEqual(expected))

  it.each([
    '550 5.7.1 blocked',
    '554 5.7.1 spam from your IP',
    '550 5.7.26 DMARC policy of example.com',
    '550 5.7.1 Client host [192.0.2.1] blocked using b.barracudacentral.org',
    '554 5.7.9 Message not accepted for policy reasons',
    '552 5.3.4 too big',
    '550 5.4.0 routing',
    '451 x',
    '550 5.1.8 Sender address rejected: user unknown',
    '550 Verification failed for <a@example.com>: No Such User Here. Sender verify failed',
    '550 5.7.1 relaying denied',
  ])('does not blame the address for %j', (raw) => expect(reasonOf(raw).isAddressFault).toBe(false))
})
