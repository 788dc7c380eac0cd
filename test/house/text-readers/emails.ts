import { Readable } from 'node:stream'
import { doAtOnce } from '../../../src/lib/work-in-pieces.ts'
// Emails: their addresses, headers, files, times and replies.
import { canonicalDomain, labelsToAscii, mailDomain, parseAddressAlone, parseMailbox } from '../../../src/mail/addresses.ts'
import { decodeContent } from '../../../src/mail/attachment-content.ts'
import { checkContentId, checkContentType, checkFilename, checkFileType, contentTypeOf } from '../../../src/mail/attachment-rules.ts'
import { checkCustomHeaders, unfoldedHeaders } from '../../../src/mail/custom-headers.ts'
import { parseLimitOverrides, providerOf } from '../../../src/mail/destination-limits.ts'
import { destinationNamed } from '../../../src/mail/destination-names.ts'
import { createBodyHash } from '../../../src/mail/dkim/body-hash.ts'
import { signedHeaders } from '../../../src/mail/dkim/signed-headers.ts'
import { checkSubject, draftEmail, notEmpty, scheduleOf } from '../../../src/mail/email-draft.ts'
import { encodedTextSize } from '../../../src/mail/encoded-text.ts'
import { claimsJudgement } from '../../../src/mail/header-claims.ts'
import { asciiValue, fieldKind, foldedField, isFoldable } from '../../../src/mail/header-fields.ts'
import { collapseSpaces, headerText, holdsEncodedWord } from '../../../src/mail/header-text.ts'
import { createLineWatch } from '../../../src/mail/incoming-lines.ts'
import { lineForm } from '../../../src/mail/line-forms.ts'
import { readMetricsRequest } from '../../../src/mail/metrics-request.ts'
import { composeMessage, isMessageType } from '../../../src/mail/mime.ts'
import { listOf, wordsOf } from '../../../src/mail/query-lists.ts'
import { simulatedOutcome } from '../../../src/mail/simulator.ts'
import { parseSmtpReply, withoutControls } from '../../../src/mail/smtp-replies.ts'
import { ianaZone } from '../../../src/mail/times/calendar-periods.ts'
import { parseScheduledAt } from '../../../src/mail/times/scheduled-times.ts'
import { attempt, type TextReaders } from './text-reader.ts'

const NOW = new Date('2026-03-04T05:06:07Z')
const MESSAGE = {
  messageId: '<a@example.com>',
  date: NOW,
  from: { name: null, address: 'from@example.com' },
  to: [],
  cc: [],
  replyTo: [],
  subject: '',
  html: null,
  text: 'x',
  headers: [],
  attachments: [],
}
const EMAIL = { from: 'a@example.com', to: 'b@example.com', subject: 'x', text: 'x' }

export const EMAIL_READERS: TextReaders = {
  checkSubject,
  parseMailbox,
  parseAddressAlone,
  'parseMailbox in angle brackets': (text) => parseMailbox(`x <${text}>`),
  canonicalDomain,
  mailDomain,
  destinationNamed,
  labelsToAscii,
  simulatedOutcome: (text) => simulatedOutcome(`${text}@simulator.test`, ['simulator.test']),
  wordsOf: (text) => attempt(() => wordsOf('a', [text], ['b'])),
  listOf: (text) => listOf([text]),
  providerOf: (host) => providerOf([host]),
  'checkCustomHeaders of a value': (value) => checkCustomHeaders({ 'X-A': value }),
  'checkCustomHeaders of a name': (name) => checkCustomHeaders({ [name]: 'x' }),
  unfoldedHeaders: (value) => unfoldedHeaders({ 'X-A': value }),
  claimsJudgement,
  fieldKind,
  'asciiValue of ids': (text) => asciiValue('ids', text),
  'asciiValue of links': (text) => asciiValue('urls', `ü${text}`),
  'asciiValue of phrases': (text) => asciiValue('phrases', `ü${text}`),
  'asciiValue of tokens': (text) => asciiValue('tokens', text),
  isFoldable,
  foldedField: (text) => foldedField('X-A', text),
  notEmpty,
  lineForm: (text) => lineForm(Readable.from([Buffer.from(text)])),
  isMessageType,
  headerText,
  collapseSpaces,
  holdsEncodedWord,
  'createLineWatch of a message': (text) => createLineWatch()(Buffer.from(text)),
  'createBodyHash of a body': (body) => createBodyHash().update(Buffer.from(body)),
  signedHeaders,
  'signedHeaders of a value': (value) => signedHeaders(`Subject: ${value}`),
  'composeMessage of HTML': (html) => composeMessage({ ...MESSAGE, html }),
  'draftEmail of a subject': (subject) => attempt(() => doAtOnce(draftEmail({ ...EMAIL, subject }, { now: NOW, urlProblem: () => null }))),
  'draftEmail of HTML': (html) => attempt(() => doAtOnce(draftEmail({ ...EMAIL, html }, { now: NOW, urlProblem: () => null }))),
  encodedTextSize: (text) => doAtOnce(encodedTextSize(text)),
  checkFilename,
  checkFileType,
  checkContentType,
  checkContentId,
  contentTypeOf: (name) => contentTypeOf(name, null),
  decodeContent: (text) => doAtOnce(decodeContent(text)),
  scheduleOf: (text) => attempt(() => scheduleOf('scheduled_at', text, NOW)),
  parseScheduledAt: (text) => parseScheduledAt(text, NOW),
  ianaZone,
  readMetricsRequest: (text) =>
    attempt(() => readMetricsRequest({ metrics: [text], dimensions: [text], email_id: [text], start_date: text, timezone: text }, NOW)),
  parseLimitOverrides,
  parseSmtpReply,
  withoutControls,
}
