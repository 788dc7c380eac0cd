import { Readable } from 'node:stream'
import { readChoices, splitList } from '../../../src/http/list-filters.ts'
import { parseLimitOverrides, providerOf } from '../../../src/io/smtp/client/destination-limits.ts'
import { parseSmtpReply, withoutControls } from '../../../src/io/smtp/client/smtp-outcome.ts'
import { doAtOnce } from '../../../src/lib/main-thread.ts'
import { ianaZone } from '../../../src/lib/times/calendar-periods.ts'
import { parseScheduledAt } from '../../../src/lib/times/scheduled-times.ts'
import { notEmpty } from '../../../src/mail/address-forms.ts'
import { canonicalDomain, labelsToAscii, mailDomain, parseAddressAlone, parseMailbox } from '../../../src/mail/addresses.ts'
import {
  checkContentId,
  checkContentType,
  checkFilename,
  checkFileType,
  contentTypeOf,
  decodeContent,
  encodedTextSize,
} from '../../../src/mail/attachments.ts'
import { createBodyHash } from '../../../src/mail/dkim/body-hash.ts'
import { signedHeaders } from '../../../src/mail/dkim/signature-fields.ts'
import { asciiValue, fieldKind, foldedField, isFoldable } from '../../../src/mail/header-fields.ts'
import { collapseSpaces, headerText, holdsEncodedWord } from '../../../src/mail/header-text.ts'
import { checkCustomHeaders, checkSubject, unfoldedHeaders } from '../../../src/mail/headers.ts'
import { createLineWatch } from '../../../src/mail/incoming-lines.ts'
import { isMessageType, lineForm } from '../../../src/mail/mime-build.ts'
import { isReservedVerdictHeader } from '../../../src/mail/reserved-headers.ts'
import { simulatedOutcome } from '../../../src/mail/simulator.ts'
import { draftEmail, parseSchedule } from '../../../src/modules/emails/email-draft.ts'
import { destinationNamed } from '../../../src/modules/emails/new-delivery.ts'
import { readMetricsRequest } from '../../../src/modules/metrics/metrics-request.ts'
import { attempt, type TextReaders } from './text-reader.ts'

// Emails: their addresses, headers, files, times and replies.

const NOW = new Date('2026-03-04T05:06:07Z')
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
  readChoices: (text) => attempt(() => readChoices('a', [text], ['b'])),
  splitList: (text) => splitList([text]),
  providerOf: (host) => providerOf([host]),
  'checkCustomHeaders of a value': (value) => checkCustomHeaders({ 'X-A': value }),
  'checkCustomHeaders of a name': (name) => checkCustomHeaders({ [name]: 'x' }),
  unfoldedHeaders: (value) => unfoldedHeaders({ 'X-A': value }),
  claimsVerdict: isReservedVerdictHeader,
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
  'draftEmail of a subject': (subject) => attempt(() => doAtOnce(draftEmail({ ...EMAIL, subject }, { now: NOW, urlProblem: () => null }))),
  'draftEmail of HTML': (html) => attempt(() => doAtOnce(draftEmail({ ...EMAIL, html }, { now: NOW, urlProblem: () => null }))),
  encodedTextSize: (text) => doAtOnce(encodedTextSize(text)),
  checkFilename,
  checkFileType,
  checkContentType,
  checkContentId,
  contentTypeOf: (name) => contentTypeOf(name, null),
  decodeContent: (text) => doAtOnce(decodeContent(text)),
  parseSchedule: (text) => attempt(() => parseSchedule('scheduled_at', text, NOW)),
  parseScheduledAt: (text) => parseScheduledAt(text, NOW),
  ianaZone,
  readMetricsRequest: (text) =>
    attempt(() => readMetricsRequest({ metrics: [text], dimensions: [text], email_id: [text], start_date: text, timezone: text }, NOW)),
  parseLimitOverrides,
  parseSmtpReply,
  withoutControls,
}
