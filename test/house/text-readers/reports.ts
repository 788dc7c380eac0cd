// What became of emails, as other servers say it.
import { Readable } from 'node:stream'
import { bounceReasonOf } from '../../../src/mail/bounces/bounce-reason.ts'
import { faultOfEnhancedCode, faultOfSubject } from '../../../src/mail/bounces/codes.ts'
import { faultOfText, holdsAny, plainWords } from '../../../src/mail/bounces/phrases.ts'
import { addressOfField, bareAddress, fromXtext } from '../../../src/mail/reports/addresses-in-reports.ts'
import { isStatusPart, mailboxOf, readDeliveryStatus } from '../../../src/mail/reports/delivery-status.ts'
import { feedbackOf } from '../../../src/mail/reports/feedback.ts'
import { readFields } from '../../../src/mail/reports/fields.ts'
import { readParts } from '../../../src/mail/reports/message-parts.ts'
import { noticeOf } from '../../../src/mail/reports/notice.ts'
import { messageIdsIn, originalOf } from '../../../src/mail/reports/original.ts'
import { isGeneral, replyIn } from '../../../src/mail/reports/replies-in-text.ts'
import { readReport } from '../../../src/mail/reports/report.ts'
import { isChallengeSender, isDeliveryReport, kindOfNotice } from '../../../src/mail/reports/report-kind.ts'
import { domainOf, isAligned, isWithin, senderOf, speaksFor } from '../../../src/mail/reports/report-sender.ts'
import { isSignedReport } from '../../../src/mail/reports/report-signature.ts'
import { reportedRecipient, shortened } from '../../../src/mail/reports/reported-recipient.ts'
import { mayReport, maySign } from '../../../src/mail/reports/reporters.ts'
import { explanationIn, failedRecipients, readWrittenBounce } from '../../../src/mail/reports/written-bounce.ts'
import type { TextReaders } from './text-reader.ts'

const NOW = new Date('2026-03-04T05:06:07Z')
const PLACES_OF_REPORT = 4
const reportOf = (text: string) => Buffer.from(`DKIM-Signature: ${text}\r\nFrom: ${text}\r\nTo: ${text}\r\n\r\n${text}`)

export const REPORT_READERS: TextReaders = {
  bounceReasonOf: (text) => bounceReasonOf({ code: 550, enhancedCode: null, text }),
  faultOfEnhancedCode,
  faultOfSubject,
  plainWords,
  holdsAny: (text) => holdsAny(text, ['a*b', '<*>', '  *x']),
  faultOfText: (text) => faultOfText([{ fault: 'address', phrases: ['a*b', '<*>', 'user * unknown'] }], text),
  shortened: (text) => shortened(text, text.length - 1),
  readReport: (text) => readReport(Readable.from([Buffer.from(text)])),
  'readReport of a body': (text) => readReport(Readable.from([Buffer.from(`Subject: x\r\n\r\n${text}`)])),
  'readReport of a status': (text) =>
    readReport(Readable.from([Buffer.from(`Content-Type: message/delivery-status\r\n\r\nFinal-Recipient: ${text}`)])),
  readDeliveryStatus: (text) => readDeliveryStatus(`Final-Recipient: ${text}`, () => text),
  reportedRecipient: (text) => reportedRecipient({ address: null, code: null, enhancedCode: text, diagnosticCode: [], message: text }),
  readParts: (text) => readParts(Readable.from([Buffer.from(text)])),
  readFields,
  replyIn,
  isGeneral,
  'readReport of a notice': (text) =>
    readReport(Readable.from([Buffer.from(`From: MAILER-DAEMON@a.example\r\nSubject: failure notice\r\n\r\n<a@b.example>: ${text}`)])),
  kindOfNotice: (text) =>
    kindOfNotice({ root: new Map([['from', [text]]]), subject: text, text, hasFailedRecipients: false, returnsMail: true }),
  isChallengeSender: (text) => isChallengeSender(new Map([['from', [text]]]), text),
  noticeOf: (text) => noticeOf([{ contentType: 'text/plain', isAttachment: false, fields: new Map(), text }]),
  'noticeOf HTML': (text) => noticeOf([{ contentType: 'text/html', isAttachment: false, fields: new Map(), text }]),
  feedbackOf: (text) => feedbackOf([{ contentType: 'message/feedback-report', isAttachment: false, fields: new Map(), text }], new Map()),
  'feedbackOf a text': (text) =>
    feedbackOf([{ contentType: 'multipart/report', isAttachment: false, fields: new Map([['subject', [text]]]), text }], new Map()),
  senderOf: (text) =>
    senderOf(
      new Map([
        ['from', [`a@${text}`]],
        ['dkim-signature', [text, `d=${text}; s=${text}`]],
      ]),
    ),
  isAligned: (text) => isAligned(text, `a.${text}`),
  domainOf,
  isWithin: (text) => isWithin(`a.${text}`, text),
  speaksFor: (text) => speaksFor(text, `a.${text}`),
  mayReport: (text) => mayReport(text, text, [text, `a.${text}`]),
  maySign: (text) => maySign(text, `a@${text}x`, [text, `a.${text}`]),
  isDeliveryReport: (text) => isDeliveryReport(new Map([['content-type', [text]]])),
  isStatusPart: (text) => isStatusPart({ contentType: text }),
  isSignedReport: (text) =>
    isSignedReport({
      bytes: reportOf(text.slice(0, text.length / PLACES_OF_REPORT)),
      sender: 'a@b.example',
      signers: ['b.example'],
      rcptTo: 'a@b.example',
      keys: {},
      now: NOW,
    }),
  readWrittenBounce: (text) => readWrittenBounce({ text, failed: [text], others: new Set() }),
  explanationIn: (text) => explanationIn(text, 'a@b.example'),
  mailboxOf,
  failedRecipients: (text) => failedRecipients([text]),
  addressOfField,
  bareAddress,
  fromXtext,
  messageIdsIn: (text) => messageIdsIn([text]),
  originalOf: (text) =>
    originalOf(
      new Map([
        ['message-id', [text]],
        ['to', [text]],
      ]),
    ),
}
