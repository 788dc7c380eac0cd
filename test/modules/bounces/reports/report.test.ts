import { describe, expect, it } from 'vitest'
import { shortened } from '../../../../src/modules/bounces/reports/delivery-status.ts'
import { readReport } from '../../../../src/modules/bounces/reports/report.ts'

/** Lines as they are written, and the bytes of the message in pieces. */
async function* messageOf(...lines: readonly string[]) {
  const bytes = Buffer.from(lines.join('\r\n'))
  for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100)
}

const FAILED = [
  'From: MAILER-DAEMON@mx.example.net',
  'Subject: Undelivered Mail Returned to Sender',
  'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
  '',
  '--b',
  '',
  'I am sorry.',
  '--b',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mx.example.net',
  '',
  'Final-Recipient: rfc822; anna@example.com',
  'Original-Recipient: rfc822;anna+2Bshop@example.com',
  'Action: failed',
  'Status: 5.1.1',
  'Diagnostic-Code: smtp; 550 5.1.1 <anna@example.com>: User unknown in',
  '    virtual mailbox table',
  '',
  'Final-Recipient: rfc822; bert@example.com',
  'Action: delayed',
  'Status: 4.4.1',
  '',
  '--b',
  'Content-Type: text/rfc822-headers',
  '',
  'Return-Path: <bounce+token@rp.example.org>',
  'Message-ID: <1@example.org>',
  'To: anna+shop@example.com, Bert <bert@example.com>',
  '',
  '--b--',
]

describe('readReport', () => {
  it('reads who failed from the machine-readable part, and what it was about from the returned headers', async () => {
    expect(await readReport(messageOf(...FAILED))).toEqual({
      kind: 'bounce',
      recipients: [
        {
          address: 'anna+shop@example.com',
          bounce: { type: 'Permanent', subType: 'General', isAddressFault: true, isSenderFault: false },
          enhancedCode: '5.1.1',
          code: 550,
          diagnosticCode: ['smtp; 550 5.1.1 <anna@example.com>: User unknown in virtual mailbox table'],
          message: '550 5.1.1 <anna@example.com>: User unknown in virtual mailbox table',
        },
      ],
      original: {
        messageIds: ['<1@example.org>'],
        returnPathAddresses: ['bounce+token@rp.example.org'],
        envelopeRecipients: [],
        recipients: ['anna+shop@example.com', 'bert@example.com'],
      },
    })
  })

  it('cuts a reason that is too long, and says so', async () => {
    const long = `smtp; 550 5.1.1 ${'User-unknown.'.repeat(400)}`
    const read = await readReport(messageOf(...FAILED.with(16, `Diagnostic-Code: ${long}`)))
    const [{ message = '', diagnosticCode = [] } = {}] = read.kind === 'bounce' ? read.recipients : []
    expect([...diagnosticCode, message].map((text) => [text.length, text.at(-1)])).toEqual([
      [2_048, '…'],
      [1_024, '…'],
    ])
    expect(diagnosticCode.every((code) => long.startsWith(code.slice(0, -1)))).toBe(true)
  })

  it.each([
    ['leaves what is no longer', 'abcd', 4, 'abcd'],
    ['ends what is longer with a sign', 'abcde', 4, 'abc…'],
    ['leaves no half of a character', 'ab\u{1f600}cd', 4, 'ab…'],
    ['leaves no space before the sign', 'ab cde', 4, 'ab…'],
    ['makes halves of characters whole', 'a\ud83d', 4, 'a\ufffd'],
  ])('%s', (_what, text, lengthMax, expected) => expect(shortened(text, lengthMax)).toBe(expected))

  it('takes the mailbox to which Exim forwarded the mail from the header that names it', async () => {
    const forwardedTo = async (...failed: string[]) => {
      const report = await readReport(messageOf(`X-Failed-Recipients: ${failed.join(', ')}`, ...FAILED))
      return report.kind === 'bounce' ? report.recipients.map((one) => one.forwardedTo) : report.kind
    }
    expect(await forwardedTo('member@example.net', 'other@example.net')).toEqual(['member@example.net'])
    expect(await forwardedTo('member@example.net', 'anna@example.com')).toEqual([undefined])
  })

  it('tells a mailbox to which the mail was forwarded from one that is written in another way', async () => {
    const forwardedTo = async (final: string, original: string) => {
      const lines = FAILED.map((line) => line.replace('anna@example.com', final).replace('anna+2Bshop@example.com', original))
      const report = await readReport(messageOf(...lines))
      return report.kind === 'bounce' ? report.recipients.map((one) => one.forwardedTo) : report.kind
    }
    expect(await forwardedTo('member@example.net', 'list@example.com')).toEqual(['member@example.net'])
    expect(await forwardedTo('Anna@mx.example.com', 'anna+2Bshop@example.com')).toEqual([undefined])
  })

  it.each([
    ['delayed', 'delay'],
    ['relayed', 'success'],
    ['delivered', 'success'],
    ['expanded', 'success'],
  ])('changes nothing for the action %s', async (action, kind) => {
    const lines = FAILED.slice(0, 17).map((line) => line.replace('Action: failed', `Action: ${action}`))
    expect((await readReport(messageOf(...lines))).kind).toBe(kind)
  })

  it('passes on a failure of the storage', async () => {
    async function* broken() {
      yield Buffer.from('Subject: x')
      throw new Error('The disk is gone.')
    }
    await expect(readReport(broken())).rejects.toThrow('The disk is gone.')
  })
})
