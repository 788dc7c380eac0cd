// What became of emails, as other servers say it.
import { Readable } from 'node:stream'
import { classifyBounce, faultOfEnhancedCode, faultOfSubject } from '../../../src/mail/bounces/bounce-reason.ts'
import { faultOfText, holdsAny, plainWords } from '../../../src/mail/bounces/phrases.ts'
import { readFields } from '../../../src/mail/mime-fields.ts'
import {
  isStatusPart,
  mailboxOf,
  readDeliveryStatus,
  reportedRecipient,
  shortened,
} from '../../../src/modules/bounces/reports/delivery-status.ts'
import { messageIdsIn, readFeedback, readOriginal } from '../../../src/modules/bounces/reports/feedback.ts'
import { readParts } from '../../../src/modules/bounces/reports/message-parts.ts'
import { isGeneral, readNotice, replyIn } from '../../../src/modules/bounces/reports/notice.ts'
import { readReport } from '../../../src/modules/bounces/reports/report.ts'
import { isChallengeSender, isDeliveryReport, kindOfNotice } from '../../../src/modules/bounces/reports/report-kind.ts'
import { isSignedReport } from '../../../src/modules/bounces/reports/report-signature.ts'
import {
  addressOfField,
  bareAddress,
  domainOf,
  fromXtext,
  isAligned,
  isWithin,
  mayReport,
  maySign,
  readSender,
  speaksFor,
} from '../../../src/modules/bounces/reports/reporters.ts'
import { explanationIn, failedRecipients, readWrittenBounce } from '../../../src/modules/bounces/reports/written-bounce.ts'
import type { TextReaders } from './text-reader.ts'

const NOW = new Date('2026-03-04T05:06:07Z')
const PLACES_OF_REPORT = 4
const reportOf = (text: string) => Buffer.from(`DKIM-Signature: ${text}\r\nFrom: ${text}\r\nTo: ${text}\r\n\r\n${text}`)

export const REPORT_READERS: TextReaders = {
  classifyBounce: (text) => classifyBounce({ code: 550, enhancedCode: null, text }),
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
  readNotice: (text) => readNotice([{ contentType: 'text/plain', isAttachment: false, fields: new Map(), text }]),
  'readNotice HTML': (text) => readNotice([{ contentType: 'text/html', isAttachment: false, fields: new Map(), text }]),
  readFeedback: (text) =>
    readFeedback([{ contentType: 'message/feedback-report', isAttachment: false, fields: new Map(), text }], new Map()),
  'readFeedback a text': (text) =>
    readFeedback([{ contentType: 'multipart/report', isAttachment: false, fields: new Map([['subject', [text]]]), text }], new Map()),
  readSender: (text) =>
    readSender(
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
  readOriginal: (text) =>
    readOriginal(
      new Map([
        ['message-id', [text]],
        ['to', [text]],
      ]),
    ),
}
