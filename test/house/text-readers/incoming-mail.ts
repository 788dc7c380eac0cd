// Mail that other servers bring, and mail that programs submit.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Headers } from '@zone-eu/mailsplit'
import { safeContentType, safeFilename } from '../../../src/mail/attachments.ts'
import { decodedText, decodedWords, headText } from '../../../src/mail/decoded-text.ts'
import { HEADER_FIELD_BYTES_MAX } from '../../../src/mail/header-fields.ts'
import { createFormWatch, fieldInSevenBits, fieldValue, readHead, sentHead } from '../../../src/mail/message-head.ts'
import { splitMessage, unflowed } from '../../../src/mail/mime-parts.ts'
import { sevenBitForm } from '../../../src/mail/seven-bits.ts'
import { readReceivedMessage } from '../../../src/modules/inbound/content/received-content.ts'
import { authenticateMessage, chooseAuthenticationChecks, hasRepeatedFields } from '../../../src/modules/inbound/content/verdicts.ts'
import { fileNames, readSubmissionContent } from '../../../src/modules/submission/submission-content.ts'
import { blindCopies, draftSubmission, submissionBody } from '../../../src/modules/submission/submission-draft.ts'
import {
  addressesIn,
  inHeaders,
  readSubmissionHeaders,
  readTags,
  receivedLine,
} from '../../../src/modules/submission/submission-headers.ts'
import { attempt, type TextReaders } from './text-reader.ts'

const NOW = new Date('2026-03-04T05:06:07Z')

/** The longest header of a message that is submitted. */
const HEAD_LENGTH = 64 * 1024

const SENT = { received: 'Received: x', messageId: '<a@example.com>', date: NOW }
const headWith = (text: string) =>
  readHead(
    Buffer.from(`From: a@example.com\r\nTo: ${text.slice(0, HEAD_LENGTH - 1_000)}\r\nSubject: =?utf-8?q?a?= ${text.slice(0, 900)}\r\n\r\n`),
  )
/** A longer field than one may be is refused unread. */
const sentHeadOf = (name: string, value: string) =>
  attempt(() =>
    sentHead(
      { fields: [{ name, text: `${name}:${value.slice(0, HEADER_FIELD_BYTES_MAX - 100)}` }], bodyStart: 0 },
      { ...SENT, sender: readSubmissionHeaders(headWith('')).sender },
    ),
  )
/** A part with too long a header is no message that was accepted. */
async function inSevenBits(message: string): Promise<unknown> {
  try {
    return await buffer(await sevenBitForm(async () => Buffer.from(message))())
  } catch {
    return null
  }
}
const submissionOf = (text: string) => ({
  recipients: ['a@example.com'],
  head: headWith(text),
  headers: readSubmissionHeaders(headWith(text.slice(0, 60_000))),
  bcc: [],
  content: { html: text, text, textBytes: 0, files: [], htmlPart: null, refusal: null, fingerprint: null },
})

const storeNothing = async (content: Readable) => {
  for await (const _piece of content);
  return { blobKey: '', bytes: 0 }
}

const FINGERPRINTED = { storeFile: storeNothing, hasFingerprint: true }

const NO_ORIGIN = { peer: '192.0.2.1', helo: 'mx.example.net', mailFrom: 'a@b.c', shownFrom: 'a@b.c' }
const WITHOUT_DNS = {
  mailHostname: 'mail.example.com',
  timeMsMax: 60_000,
  skipsArc: false,
  resolve: async () => {
    throw Object.assign(new Error('There is no DNS here'), { code: 'ENOTFOUND' })
  },
}

export const INCOMING_MAIL_READERS: TextReaders = {
  'readReceivedMessage head': (text) => readReceivedMessage(Readable.from([Buffer.from(text)]), storeNothing),
  'readReceivedMessage addresses': (text) => readReceivedMessage(Readable.from([Buffer.from(`To: ${text}\r\n\r\n`)]), storeNothing),
  'readReceivedMessage type': (text) =>
    readReceivedMessage(Readable.from([Buffer.from(`Content-Type: ${text}\r\nContent-Disposition: ${text}\r\n\r\n`)]), storeNothing),
  'readReceivedMessage body': (text) =>
    readReceivedMessage(Readable.from([Buffer.from(`Content-Type: text/plain; format=flowed\r\n\r\n${text}`)]), storeNothing),
  splitMessage: (text) =>
    splitMessage(Readable.from([Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${text}\r\n--b--`)]), storeNothing),
  authenticationScope: (text) => chooseAuthenticationChecks(Buffer.from(text)),
  hasRepeatedFields: (text) =>
    hasRepeatedFields({
      parsed: [{ key: 'subject', casedKey: 'Subject', line: Buffer.from(`Subject: ${text}`) }],
      original: Buffer.alloc(0),
    }),
  readHead: (text) => attempt(() => readHead(Buffer.from(text))),
  // A header has 64 KB at most.
  fieldValue: (text) => fieldValue({ name: 'subject', text: `Subject: ${text}` }),
  'sentHead of an encoded field': (text) => sentHeadOf('subject', `\xfc ${text.slice(0, HEAD_LENGTH)}`),
  fieldInSevenBits: (text) => attempt(() => fieldInSevenBits({ name: 'list-id', text: `List-Id: \xfc${text.slice(0, HEAD_LENGTH)}` })),
  receivedLine: (helo) => receivedLine({ helo, protocol: 'ESMTPSA', host: 'a.example' }, { id: 'x', date: NOW }),
  'sevenBitForm of a body': (text) => inSevenBits(`Subject: x\r\n\r\nü${text}`),
  'sevenBitForm of parts': (text) => inSevenBits(`Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nü${text}`),
  'decodedText of UTF-8': (text) => decodedText(Buffer.from(text, 'latin1'), 'utf-8'),
  'decodedText by a guess': (text) => decodedText(Buffer.from(`ü${text}`, 'latin1'), false),
  'decodedText of UTF-7': (text) => decodedText(Buffer.from(`+${text}`, 'latin1'), 'utf-7'),
  decodedWords: (text) => decodedWords(`=?utf-8?q?${text.slice(0, HEAD_LENGTH)}`),
  headText: (text) => headText(Buffer.from(`ü${text}`, 'latin1')),
  'sentHead of ids': (text) => sentHeadOf('references', `\xfc ${text.slice(0, HEAD_LENGTH)}`),
  'sentHead of an id': (text) => sentHeadOf('message-id', ` ${text.slice(0, HEAD_LENGTH)}`),
  createFormWatch: (text) => createFormWatch()(Buffer.from(text)),
  addressesIn: (text) => addressesIn(text.slice(0, HEAD_LENGTH)),
  readSubmissionHeaders: (text) => attempt(() => readSubmissionHeaders(headWith(text))),
  sentHead: (text) => attempt(() => sentHead(headWith(text), { ...SENT, sender: readSubmissionHeaders(headWith('')).sender })),
  submissionBody: (text) => attempt(() => submissionBody(submissionOf(text))),
  draftSubmission: (text) =>
    attempt(() =>
      draftSubmission({ ...submissionOf(text), body: Buffer.from(text) }, { received: 'Received: x', messageId: '<a@b.c>', now: NOW }),
    ),
  blindCopies: (text) => attempt(() => blindCopies(['a@example.com'], submissionOf(text).headers)),
  inHeaders,
  'readSubmissionContent head': (text) =>
    readSubmissionContent(Buffer.from(`Content-Type: ${text}\r\nX: ${text}\r\n\r\n${text}`), FINGERPRINTED),
  'readSubmissionContent parts': (text) =>
    readSubmissionContent(Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${text}\r\n--b--`), FINGERPRINTED),
  fileNames: (text) => fileNames({ filename: text, headers: new Headers(Buffer.from(`Content-Type: a/b; ${text}`)) }),
  'readTags of text': (text) => attempt(() => readTags([text])),
  'readTags of JSON': (text) => attempt(() => readTags([`{"${text}`])),
  safeFilename,
  safeContentType,
  unflowed: (text) => unflowed(text, { deletesSpace: true }),
  authenticateMessage: (text) => authenticateMessage(Readable.from([Buffer.from(`From: a@b.c\r\n\r\n${text}`)]), NO_ORIGIN, WITHOUT_DNS),
}
