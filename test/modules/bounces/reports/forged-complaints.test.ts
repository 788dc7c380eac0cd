// What a stranger wrote comes back with the reports of honest servers, signed by them. It never makes a complaint.
import { describe, expect, it } from 'vitest'
import { readReport } from '../../../../src/modules/bounces/reports/report.ts'

async function* messageOf(lines: readonly string[]) {
  yield Buffer.from(lines.join('\r\n'))
}
const read = (...lines: string[]) => readReport(messageOf(lines))

const HOSTILE_HEAD = [
  'X-HmXmrOriginalRecipient: victim@example.org',
  'X-Envelope-From: news@example.com',
  'Message-ID: <m1@example.com>',
  'Feedback-Type: abuse',
  'Original-Rcpt-To: victim@example.org',
  'Original-Mail-From: news@example.com',
]

const STATUS = [
  'Reporting-MTA: dns; mx.example.org',
  '',
  'Final-Recipient: rfc822; gone@example.org',
  'Action: failed',
  'Status: 5.1.1',
  '',
]

const part = (type: string, content: readonly string[]) => ['--b', `Content-Type: ${type}`, '', ...content]

const bounce = (root: string, parts: readonly string[], from = 'MAILER-DAEMON@mx.example.org') => [
  `From: ${from}`,
  'Subject: Undelivered Mail Returned to Sender',
  `Content-Type: ${root}; boundary=b`,
  '',
  ...parts,
  '--b--',
]

describe('mail that a server returns with hostile fields', () => {
  it.each([
    ['in its head', 'text/rfc822-headers', 'multipart/report; report-type=delivery-status'],
    ['in the whole mail', 'message/rfc822', 'multipart/report; report-type=delivery-status'],
    ['without the type of the report', 'text/rfc822-headers', 'multipart/report'],
    ['in a report without a type', 'message/rfc822', 'multipart/mixed'],
  ])('%s stays a bounce', async (_name, type, root) => {
    const parts = [...part('text/plain', ['Sorry.']), ...part('message/delivery-status', STATUS), ...part(type, HOSTILE_HEAD)]
    expect(await read(...bounce(root, parts))).toMatchObject({ kind: 'bounce', recipients: [{ address: 'gone@example.org' }] })
  })

  it('stays a bounce though it says that it is feedback in a part of its own', async () => {
    const parts = [...part('message/delivery-status', STATUS), ...part('message/feedback-report', HOSTILE_HEAD)]
    expect((await read(...bounce('multipart/report; report-type=delivery-status', parts))).kind).toBe('bounce')
  })

  it.each(['text/rfc822-headers', 'message/rfc822'])('is no feedback without a part for programs either: %s', async (type) => {
    const parts = [...part('text/plain', ['Hello.']), ...part(type, HOSTILE_HEAD)]
    expect((await read(...bounce('multipart/report', parts, 'eve@example.org'))).kind).toBe('other')
  })
})

describe('a complaint', () => {
  const feedback = (...fields: string[]) => part('message/feedback-report', ['Feedback-Type: abuse', ...fields, ''])
  const complaint = (...parts: readonly string[]) =>
    read('In-Reply-To: <answered@example.com>', ...bounce('multipart/report; report-type=feedback-report', parts, 'abuse@example.org'))

  it('says of the envelope what the reporter wrote, and nothing that the sender of the mail wrote', async () => {
    const hostile = part('message/rfc822', HOSTILE_HEAD)
    const said = feedback('Original-Mail-From: <hello@example.com>', 'Original-Rcpt-To: <anna@example.org>')
    expect([await complaint(...feedback(), ...hostile), await complaint(...said, ...hostile)]).toMatchObject([
      { kind: 'complaint', envelope: { returnPathAddresses: [], envelopeRecipients: [] } },
      { kind: 'complaint', envelope: { returnPathAddresses: ['hello@example.com'], envelopeRecipients: ['anna@example.org'] } },
    ])
  })

  it('has the Message-ID of the reported mail alone', async () => {
    const elsewhere = feedback('Original-Message-ID: <elsewhere@example.com>')
    const withIt = await complaint(
      ...elsewhere,
      ...part('message/rfc822', ['Message-ID: <m1@example.com>', 'X-Message-ID: <x@example.com>']),
    )
    expect([withIt, await complaint(...elsewhere)]).toMatchObject([
      { original: { messageIds: ['<m1@example.com>'] } },
      { original: { messageIds: [] } },
    ])
  })
})
