// Reports as servers, providers and programs write them, made from the RFCs and the providers' documentation, with what is expected of each.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BounceReason } from '../../../../src/mail/bounces/bounce-reason.ts'
import type { Report } from '../../../../src/modules/bounces/reports/report.ts'

export type Specimen = { name: string; dialect: string; raw: string; expected: string }

const FOLDER = join(import.meta.dirname, 'corpus')

/** The head of the message that came back, wherever a report says `%original`. */
export const ORIGINAL = [
  'Return-Path: <b+tok@rp.example.org>',
  'Received: from mail.example.org (mail.example.org [192.0.2.1])',
  '	by mx.example.com; Mon, 2 Mar 2020 10:00:00 +0000',
  'Message-ID: <m1@example.org>',
  'Date: Mon, 2 Mar 2020 10:00:00 +0000',
  'From: News <news@example.org>',
  'To: anna@example.com',
  'Subject: Hello',
  'MIME-Version: 1.0',
  '',
  'Hello Anna, write to team@example.org.',
].join('\n')

export const specimens = (): Specimen[] => [
  ...readdirSync(FOLDER)
    .filter((file) => file !== 'delivery-reports.txt')
    .flatMap((file) => written(file)),
  ...readFileSync(join(FOLDER, 'delivery-reports.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(deliveryReport),
]

const written = (file: string): Specimen[] =>
  readFileSync(join(FOLDER, file), 'utf8')
    .split(/^##### /m)
    .slice(1)
    .map((text, place) => {
      const end = text.indexOf('\n')
      const [dialect = '', expected = ''] = text.slice(0, end).split(' | ')
      return { name: `${file} ${place + 1}, ${dialect}`, dialect, expected, raw: text.slice(end + 1).replace('%original', ORIGINAL) }
    })

/** A report of a server that writes RFC 3464. Such servers differ in what they say more than in its form. */
function deliveryReport(line: string, place: number): Specimen {
  const [dialect = '', expected = '', status = '', diagnosis = '', action = 'failed'] = line.split('|').map((part) => part.trim())
  const lines = [
    'From: Mail Delivery System <MAILER-DAEMON@mx.example.net>',
    'Subject: Delivery Status Notification',
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="=_b"',
    '',
    '--=_b',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'This is an automatic message: something happened to your message, which is attached.',
    '--=_b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    '',
    'Final-Recipient: rfc822; anna@example.com',
    `Action: ${action}`,
    `Status: ${status}`,
    ...(diagnosis === '' ? [] : [`Diagnostic-Code: ${diagnosis.replaceAll('\\n', '\n')}`]),
    '',
    '--=_b',
    'Content-Type: message/rfc822',
    '',
    ORIGINAL,
    '--=_b--',
  ]
  const isBounce = !['delay', 'success'].includes(expected)
  return {
    name: `report ${place + 1}, ${dialect}: ${diagnosis.slice(0, 60)}`,
    dialect,
    expected: isBounce ? `${expected} anna@example.com` : expected,
    raw: lines.join('\n'),
  }
}

/** In the words of the corpus: `address anna@example.com, full bert@example.com`, `complaint abuse`, `delay`. */
export function inWords(report: Report): string {
  if (report.kind === 'complaint') return `complaint ${report.feedbackType}`
  if (report.kind !== 'bounce') return report.kind
  return report.recipients.map(({ bounce, address }) => `${reasonInWords(bounce)} ${address ?? '-'}`).join(', ')
}

function reasonInWords({ type, subType, isAddressFault }: BounceReason): string {
  if (isAddressFault) return 'address'
  if (type === 'Undetermined') return 'unclear'
  if (subType === 'General' || subType === 'NoEmail') return type === 'Permanent' ? 'route' : 'delayed'
  return {
    MailboxFull: 'full',
    MessageTooLarge: 'size',
    ContentRejected: 'refused',
    AttachmentRejected: 'attachment',
    Undetermined: 'unclear',
  }[subType]
}
