// Every function of the service that reads text from strangers, by its name. More than one way to read is told apart by what follows the name.
import { openSync } from 'node:fs'
import { Readable } from 'node:stream'
import cookies from '@fastify/cookie'
import { Type } from '@sinclair/typebox'
import { Headers } from '@zone-eu/mailsplit'
import Fastify from 'fastify'
import { parseRelayUrl } from '../../src/gateways/smtp/relay-url.ts'
import { resultOfReply } from '../../src/gateways/smtp/smtp-outcome.ts'
import { filenameOf, contentTypeOf as typeOfResponse } from '../../src/gateways/web/response-names.ts'
import { preferredLanguage } from '../../src/lib/accept-language.ts'
import { saysUnsubscribed } from '../../src/lib/audience/unsubscribed-words.ts'
import { readRange } from '../../src/lib/byte-ranges.ts'
import { asDownload } from '../../src/lib/content-disposition.ts'
import { csvLine } from '../../src/lib/csv/csv-line.ts'
import { createCsvReader } from '../../src/lib/csv/csv-rows.ts'
import { isRefusedData } from '../../src/lib/database-errors.ts'
import { relativeName } from '../../src/lib/domains/wanted-records.ts'
import { parseDuration } from '../../src/lib/durations.ts'
import { readProxyHeader } from '../../src/lib/inbound/proxy-header.ts'
import { jsonPlace } from '../../src/lib/json-place.ts'
import { quotedValue } from '../../src/lib/quotation.ts'
import { idOfShort } from '../../src/lib/short-ids.ts'
import { createReturnPathTokens } from '../../src/lib/signing/return-path-tokens.ts'
import { verifyToken } from '../../src/lib/signing/signatures.ts'
import { StartupProblem } from '../../src/lib/startup-problem.ts'
import { isVisible } from '../../src/lib/visible-text.ts'
import { canonicalDomain, labelsToAscii, parseAddressAlone, parseMailbox } from '../../src/mail/addresses.ts'
import { decodeContent } from '../../src/mail/attachment-content.ts'
import { checkContentId, checkContentType, checkFilename, checkFileType, contentTypeOf } from '../../src/mail/attachment-rules.ts'
import {
  contactAddress,
  contactForm,
  contactOfPath,
  contactReference,
  partOfContactAddress,
} from '../../src/mail/audience/contact-addresses.ts'
import { readContactRow } from '../../src/mail/audience/imported-contact.ts'
import { parseSegmentFilter } from '../../src/mail/audience/segment-filters.ts'
import { suppressibleAddress } from '../../src/mail/audience/suppressible-addresses.ts'
import { createSuppressionFileReader } from '../../src/mail/audience/suppression-rows.ts'
import { readRuleTree } from '../../src/mail/automations/rule-trees.ts'
import { readStep } from '../../src/mail/automations/step-configs.ts'
import { unknownVariable } from '../../src/mail/automations/variables-in-steps.ts'
import { bounceReasonOf } from '../../src/mail/bounces/bounce-reason.ts'
import { faultOfEnhancedCode, faultOfSubject } from '../../src/mail/bounces/codes.ts'
import { faultOfText, holdsAny, plainWords } from '../../src/mail/bounces/phrases.ts'
import { filledLengthMax } from '../../src/mail/broadcasts/filled-length.ts'
import { filledSubject } from '../../src/mail/broadcasts/merge-values.ts'
import { preheader, withPreheader } from '../../src/mail/broadcasts/preheader.ts'
import { unknownPlaceholders } from '../../src/mail/broadcasts/unknown-placeholders.ts'
import { linkAsWritten, writtenLinks } from '../../src/mail/broadcasts/written-links.ts'
import { checkCustomHeaders } from '../../src/mail/custom-headers.ts'
import { judgeBlocklist } from '../../src/mail/deliverability/blocklists.ts'
import { judgeCertificate } from '../../src/mail/deliverability/certificates.ts'
import { judgeHostname, judgeReverse } from '../../src/mail/deliverability/hostnames.ts'
import { judgeInbound, judgeMailPort, judgeRelay, mailHosts } from '../../src/mail/deliverability/mail-port.ts'
import { announcesMtaSts, judgeDmarc, judgeMtaSts, judgeTlsReports } from '../../src/mail/deliverability/policies.ts'
import { judgeResolver } from '../../src/mail/deliverability/resolvers.ts'
import { judgeHelloSpf, judgeSpfInclude } from '../../src/mail/deliverability/spf-hosts.ts'
import { parseLimitOverrides, providerOf } from '../../src/mail/destination-limits.ts'
import { destinationNamed } from '../../src/mail/destination-names.ts'
import { createBodyHash } from '../../src/mail/dkim/body-hash.ts'
import { signedHeaders } from '../../src/mail/dkim/signed-headers.ts'
import { permitsIssuer } from '../../src/mail/domains/caa-records.ts'
import { labelOf } from '../../src/mail/domains/domain-fields.ts'
import { parseDomainName, registrableDomain } from '../../src/mail/domains/domain-names.ts'
import { parseHostLabel } from '../../src/mail/domains/host-labels.ts'
import { newDomainOf } from '../../src/mail/domains/new-domain.ts'
import { judgeAnswer } from '../../src/mail/domains/record-check.ts'
import { isSpfRecord, permitsSameSenders } from '../../src/mail/domains/spf-records.ts'
import { holdsSameKey, isDmarcRecord, isValidDmarcRecord } from '../../src/mail/domains/tag-records.ts'
import { checkSubject, draftEmail, scheduleOf } from '../../src/mail/email-draft.ts'
import { encodedTextSize } from '../../src/mail/encoded-text.ts'
import { collapseSpaces, headerText, holdsEncodedWord } from '../../src/mail/header-text.ts'
import { withImageAddresses } from '../../src/mail/html/cid-addresses.ts'
import { containedHtml } from '../../src/mail/html/contained-html.ts'
import { escapeHtml } from '../../src/mail/html/escaped-html.ts'
import { readHtml, readLongHtml } from '../../src/mail/html/html-tokens.ts'
import { mentionsRemoteImages } from '../../src/mail/html/remote-images.ts'
import { textFromHtml } from '../../src/mail/html/text-from-html.ts'
import { createLineWatch } from '../../src/mail/incoming-lines.ts'
import { readMetricsRequest } from '../../src/mail/metrics-request.ts'
import { composeMessage } from '../../src/mail/mime.ts'
import { listOf, wordsOf } from '../../src/mail/query-lists.ts'
import { judgeable } from '../../src/mail/received/judged-head.ts'
import { splitMessage } from '../../src/mail/received/message-parts.ts'
import { readReceivedMessage } from '../../src/mail/received/received-content.ts'
import { hasRepeatedFields } from '../../src/mail/received/repeated-fields.ts'
import { safeContentType, safeFilename } from '../../src/mail/received/safe-names.ts'
import { unflowed } from '../../src/mail/received/unflowed.ts'
import { judge } from '../../src/mail/received/verdicts.ts'
import { contactPlaceholders, contactValues, isOfContact, propertiesNamed } from '../../src/mail/rendering/contact-placeholders.ts'
import { htmlPlaces } from '../../src/mail/rendering/html-places.ts'
import { readPlaceholders } from '../../src/mail/rendering/placeholders.ts'
import { atPlace, hasLineBreak, onOneLine } from '../../src/mail/rendering/places.ts'
import { readContent } from '../../src/mail/rendering/read-contents.ts'
import { readHtmlText, readText, render } from '../../src/mail/rendering/rendering.ts'
import { addressOfField, bareAddress, fromXtext } from '../../src/mail/reports/addresses-in-reports.ts'
import { isStatusPart, mailboxOf, readDeliveryStatus } from '../../src/mail/reports/delivery-status.ts'
import { feedbackOf } from '../../src/mail/reports/feedback.ts'
import { readFields } from '../../src/mail/reports/fields.ts'
import { readParts } from '../../src/mail/reports/message-parts.ts'
import { noticeOf } from '../../src/mail/reports/notice.ts'
import { messageIdsIn, originalOf } from '../../src/mail/reports/original.ts'
import { isGeneral, replyIn } from '../../src/mail/reports/replies-in-text.ts'
import { readReport } from '../../src/mail/reports/report.ts'
import { isChallengeSender, isDeliveryReport, kindOfNotice } from '../../src/mail/reports/report-kind.ts'
import { domainOf, isAligned, isWithin, senderOf, speaksFor } from '../../src/mail/reports/report-sender.ts'
import { isSignedReport } from '../../src/mail/reports/report-signature.ts'
import { reportedRecipient, shortened } from '../../src/mail/reports/reported-recipient.ts'
import { mayReport, maySign } from '../../src/mail/reports/reporters.ts'
import { explanationIn, failedRecipients, readWrittenBounce } from '../../src/mail/reports/written-bounce.ts'
import { simulatedOutcome } from '../../src/mail/simulator.ts'
import { parseSmtpReply } from '../../src/mail/smtp-replies.ts'
import { fileNames } from '../../src/mail/submission/file-names.ts'
import { fieldValue, readHead } from '../../src/mail/submission/head.ts'
import { inHeaders } from '../../src/mail/submission/header-sentences.ts'
import { createFormWatch } from '../../src/mail/submission/line-forms.ts'
import { sentHead } from '../../src/mail/submission/sent-head.ts'
import { readSubmissionContent } from '../../src/mail/submission/submission-content.ts'
import { blindCopies, draftSubmission, submissionBody } from '../../src/mail/submission/submission-draft.ts'
import { addressesIn, readSubmissionHeaders } from '../../src/mail/submission/submission-headers.ts'
import { withHtml } from '../../src/mail/submission/submitted-message.ts'
import { readTags } from '../../src/mail/submission/tags.ts'
import { askedVariables } from '../../src/mail/templates/asked-variables.ts'
import { fillTemplate } from '../../src/mail/templates/filled-template.ts'
import { checkTemplateFields, isReserved, textOfValue, typeProblem } from '../../src/mail/templates/template-fields.ts'
import { templateWarnings } from '../../src/mail/templates/template-warnings.ts'
import { sentenceAboutBroken, sentenceAboutMissing } from '../../src/mail/templates/unfilled-sentences.ts'
import { ianaZone } from '../../src/mail/times/calendar-periods.ts'
import { parseScheduledAt } from '../../src/mail/times/scheduled-times.ts'
import { trackableLink, unsubscribeLinksOf } from '../../src/mail/tracking/link-rules.ts'
import { machineRuleOf } from '../../src/mail/tracking/machine-rules.ts'
import { findTrackablePlaces, trackedHtml } from '../../src/mail/tracking/tracked-html.ts'
import { headersOf } from '../../src/pages/emails/email-page.ts'
import { withFrameScript } from '../../src/pages/frame/email-frame-script.ts'
import { isUnsubscribeLink, overlongLinkReply } from '../../src/pages/unsubscribe/broken-links.ts'
import { tokenIn } from '../../src/plugins/authentication.ts'
import { createLog } from '../../src/process-log.ts'
import { shapeProblem } from '../../src/schemas/bodies/body-shape.ts'
import { fieldTree } from '../../src/schemas/bodies/field-tree.ts'
import { redact } from '../../src/schemas/bodies/redaction.ts'
import { unstorableField, validationSentence } from '../../src/schemas/bodies/validation-sentence.ts'
import { secretQuery } from '../../src/schemas/common.ts'
import { loggedReason } from '../../src/workers/engine/logged-reason.ts'
import { records } from '../support/builders/dns-answers.ts'

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
const COLUMNS = { email: 0, firstName: 1, lastName: null, unsubscribed: null, properties: [], names: ['email', 'name'] }
const URL_TREE = fieldTree(Type.String(secretQuery))
const ERROR = { keyword: 'type', schemaPath: '#/properties/a/type', params: { type: 'string' } }
const TERMINAL = createLog({ logLevel: 'info' }, { fileDescriptor: openSync('/dev/null', 'w'), isTerminal: true })
const BROWSER = Fastify()
await BROWSER.register(cookies)
const WANTED_SPF = {
  kind: 'SPF',
  type: 'TXT',
  host: 'a.example',
  value: 'v=spf1 mx ip4:192.0.2.1 -all',
  priority: null,
  isRecommended: false,
} as const
const WANTED_MX = { ...WANTED_SPF, kind: 'Receiving', type: 'MX', value: 'mx.example' } as const
const RETURN_PATHS = createReturnPathTokens(() => ({ signing: 1, keys: new Map([[1, Buffer.alloc(32)]]) }))
const EMAIL = { from: 'a@example.com', to: 'b@example.com', subject: 'x', text: 'x' }

/** The longest header of a message that is handed in. */
const HEAD_LENGTH = 64 * 1024
const SENT = { messageId: '<a@example.com>', date: NOW }
const headWith = (text: string) =>
  readHead(
    Buffer.from(`From: a@example.com\r\nTo: ${text.slice(0, HEAD_LENGTH - 1_000)}\r\nSubject: =?utf-8?q?a?= ${text.slice(0, 900)}\r\n\r\n`),
  )
const sentHeadOf = (name: string, value: string) =>
  sentHead({ fields: [{ name, text: `${name}:${value}` }], bodyStart: 0 }, { ...SENT, sender: readSubmissionHeaders(headWith('')).sender })
const submissionOf = (text: string) => ({
  recipients: ['a@example.com'],
  head: headWith(text),
  headers: readSubmissionHeaders(headWith(text.slice(0, 60_000))),
  bcc: [],
  content: { html: Buffer.from(text), text: Buffer.from(text), textBytes: 0, files: [], htmlPart: null, refusal: null, fingerprint: null },
})

/** A refusal is as good an answer as any. Only the time counts. */
const attempt = (act: () => unknown) => {
  try {
    return act()
  } catch {
    return null
  }
}

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

const ANCHOR = '<a href="{{{a}}}">'

const PLACES_OF_REPORT = 4
const reportOf = (text: string) => Buffer.from(`DKIM-Signature: ${text}\r\nFrom: ${text}\r\nTo: ${text}\r\n\r\n${text}`)

export const TEXT_READERS: Record<string, (text: string) => unknown> = {
  readHtml: (text) => readHtml(text, { startTag() {}, endTag() {}, text() {} }),
  containedHtml: (text) => containedHtml(text, () => '/image'),
  mentionsRemoteImages,
  readLongHtml: (text) => readLongHtml(text, { startTag() {}, endTag() {}, text() {} }),
  filledLengthMax: (text) => filledLengthMax([text]),
  findTrackablePlaces: async (text) => {
    const places = await findTrackablePlaces(text, { untrackedPrefixes: ['https://a.example.com/'], unsubscribeLinks: new Set() })
    return trackedHtml(text, places, { linkTo: () => 'https://a.example.com/t/c/x', atEnd: '<img>' })
  },
  trackableLink: (text) =>
    trackableLink(
      {
        name: 'a',
        attributes: [{ name: 'href', value: text, valueStart: 0, valueEnd: text.length }],
        isSelfClosing: false,
        start: 0,
        end: text.length,
      },
      { untrackedPrefixes: [], unsubscribeLinks: new Set() },
    ),
  trackedHtml: (text) =>
    trackedHtml(
      text,
      { links: [{ target: text, start: 0, end: text.length }], imageAt: text.length },
      { linkTo: (target) => target, atEnd: text },
    ),
  unsubscribeLinksOf,
  machineRuleOf: (userAgent) =>
    machineRuleOf({ kind: 'click', method: 'GET', userAgent, address: userAgent, msAfterDelivery: null, linksAtOnce: 1, isTrapped: false }),
  withImageAddresses: (text) => withImageAddresses(text, () => null),
  textFromHtml,
  readPlaceholders,
  'readPlaceholders of a name': (text) => readPlaceholders(`{{{${text}`),
  'readPlaceholders of a fallback': (text) => readPlaceholders(`{{{a|${text}`),
  htmlPlaces: (text) => htmlPlaces(readPlaceholders(text.replaceAll('a', '{{{a}}}'))),
  'htmlPlaces of many in a link': (text) => htmlPlaces(readPlaceholders(`<a href="${text.replaceAll('a', '{{{a}}}')}">`)),
  'htmlPlaces in a link': (text) => htmlPlaces(readPlaceholders(`<a href="${text}{{{a}}}${text}">`)),
  'readReceivedMessage head': (text) => readReceivedMessage(Readable.from([Buffer.from(text)]), storeNothing),
  'readReceivedMessage addresses': (text) => readReceivedMessage(Readable.from([Buffer.from(`To: ${text}\r\n\r\n`)]), storeNothing),
  'readReceivedMessage type': (text) =>
    readReceivedMessage(Readable.from([Buffer.from(`Content-Type: ${text}\r\nContent-Disposition: ${text}\r\n\r\n`)]), storeNothing),
  'readReceivedMessage body': (text) =>
    readReceivedMessage(Readable.from([Buffer.from(`Content-Type: text/plain; format=flowed\r\n\r\n${text}`)]), storeNothing),
  splitMessage: (text) =>
    splitMessage(Readable.from([Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${text}\r\n--b--`)]), storeNothing),
  judgeable: (text) => judgeable(Buffer.from(text)),
  hasRepeatedFields: (text) =>
    hasRepeatedFields({
      parsed: [{ key: 'subject', casedKey: 'Subject', line: Buffer.from(`Subject: ${text}`) }],
      original: Buffer.alloc(0),
    }),
  readHead: (text) => attempt(() => readHead(Buffer.from(text))),
  // A header has 64 KB at most.
  fieldValue: (text) => fieldValue({ name: 'subject', text: `Subject: ${text}` }),
  'sentHead of an encoded field': (text) => sentHeadOf('subject', `\xfc ${text.slice(0, HEAD_LENGTH)}`),
  'sentHead of ids': (text) => sentHeadOf('references', `\xfc ${text.slice(0, HEAD_LENGTH)}`),
  'sentHead of an id': (text) => sentHeadOf('message-id', ` ${text.slice(0, HEAD_LENGTH)}`),
  createFormWatch: (text) => createFormWatch()(Buffer.from(text)),
  addressesIn: (text) => addressesIn(text.slice(0, HEAD_LENGTH)),
  readSubmissionHeaders: (text) => attempt(() => readSubmissionHeaders(headWith(text))),
  sentHead: (text) => attempt(() => sentHead(headWith(text), { ...SENT, sender: readSubmissionHeaders(headWith('')).sender })),
  submissionBody: (text) => attempt(() => submissionBody(submissionOf(text))),
  draftSubmission: (text) =>
    attempt(() => draftSubmission({ ...submissionOf(text), body: Buffer.from(text) }, { messageId: '<a@b.c>', now: NOW })),
  withHtml: (text) => withHtml(Buffer.from(`Content-Type: text/html\r\n\r\n${text}`), { place: 0, html: text }),
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
  judge: (text) => judge(Readable.from([Buffer.from(`From: a@b.c\r\n\r\n${text}`)]), NO_ORIGIN, WITHOUT_DNS),
  readRange: (text) => readRange(text, 10),
  readHtmlText: (text) => readHtmlText(`{{{a}}}${text}{{{a}}}`),
  readText: (text) => readText(text, 'line'),
  render: (text) => render(readText(text, 'text'), () => ({ text, fallback: null, isRaw: false }), text.length),
  readContent: (text) => readContent({ subject: text, html: text, text, previewText: text }),
  unknownPlaceholders: (text) => unknownPlaceholders([text], []),
  'unknownPlaceholders of many names': (text) => unknownPlaceholders([text.replaceAll('a', '{{{a}}}')], []),
  withPreheader,
  preheader,
  filledSubject: (text) =>
    filledSubject([text, { field: 'firstName', fallback: text }], { email: '', firstName: text, lastName: null, properties: {} }),
  writtenLinks: (text) => writtenLinks(`<a href="{{{a}}}${text}">`),
  // A megabyte of links at most.
  'writtenLinks of many': (text) => writtenLinks(text.slice(0, text.length / ANCHOR.length).replaceAll('a', ANCHOR)),
  linkAsWritten: (text) =>
    linkAsWritten([{ written: text, link: readText(`{{{a}}}`, 'text') }], text, () => ({ text, fallback: null, isRaw: false })),
  atPlace: (text) => atPlace({ kind: 'scheme', isBare: true }, text),
  'atPlace of an address': (text) => atPlace({ kind: 'address', isBare: false }, text),
  'atPlace of a style': (text) => atPlace({ kind: 'style', isBare: false }, text),
  onOneLine,
  hasLineBreak,
  contactPlaceholders: (text) => contactPlaceholders([{ number: 1, key: 'a', fallbackValue: null }])(text),
  contactValues: (text) =>
    contactValues(
      contactPlaceholders([]),
      { email: text, firstName: text, lastName: text, properties: {} },
      { unsubscribeUrl: text, viewUrl: text },
    )(text),
  propertiesNamed: (text) => propertiesNamed([text], [{ number: 1, key: 'a', fallbackValue: null }]),
  isOfContact,
  askedVariables: (text) => askedVariables([text, text, text], []),
  templateWarnings: (text) => templateWarnings([text, text, text], []),
  fillTemplate: async (text) =>
    fillTemplate(await readContent({ subject: text, html: text, text, previewText: null }), {
      variables: [],
      values: { a: text },
      field: 'variables',
      lengthMax: 2 * text.length,
    }),
  sentenceAboutBroken,
  sentenceAboutMissing,
  checkSubject,
  checkTemplateFields: (text) => attempt(() => checkTemplateFields({ alias: text, from: text, subject: text })),
  isReserved,
  textOfValue,
  typeProblem: (text) => typeProblem('number', text),
  escapeHtml,
  parseMailbox,
  parseAddressAlone,
  'parseMailbox in angle brackets': (text) => parseMailbox(`x <${text}>`),
  canonicalDomain,
  destinationNamed,
  labelsToAscii,
  partOfContactAddress,
  contactAddress,
  contactForm,
  contactReference,
  contactOfPath: (text) => attempt(() => contactOfPath({ contact_id: text })),
  createSuppressionFileReader: (text) => attempt(() => readSuppressions(text)),
  'createSuppressionFileReader of addresses': (text) => readSuppressions(`email,origin\n${text}`),
  'createSuppressionFileReader of reasons': (text) => readSuppressions(`EmailAddress,Reason\na@example.com,${text}`),
  'createSuppressionFileReader of tags': (text) => readSuppressions(`address,tags\na@example.com,${text}`),
  suppressibleAddress: (text) => suppressibleAddress(text, ['simulator.test']),
  'readContactRow of an address': (text) => readContactRow([text, ''], COLUMNS),
  'readContactRow of a name': (text) => readContactRow(['a@example.com', text], COLUMNS),
  'readStep of a duration': (text) => attempt(() => readStep({ key: text, type: 'delay', config: { duration: text } })),
  'readStep of an email': (text) =>
    attempt(() => readStep({ key: text, type: 'send_email', config: { template: { id: text }, from: text, subject: text, [text]: text } })),
  readRuleTree: (text) =>
    attempt(() =>
      readRuleTree({ type: 'rule', field: 'event.a', operator: 'gt', value: text, [text]: text }, { path: 'config', roots: ['event'] }),
    ),
  unknownVariable: (text) =>
    unknownVariable(
      { key: 'a', type: 'contact_update', config: { first_name: { var: `wait_events.${text}` }, last_name: { var: text } } },
      { properties: new Set(), eventNames: [text] },
    ),
  parseSegmentFilter: (text) => attempt(() => parseSegmentFilter({ field: text, operator: text, value: text, [text]: text })),
  simulatedOutcome: (text) => simulatedOutcome(`${text}@simulator.test`, ['simulator.test']),
  wordsOf: (text) => attempt(() => wordsOf('a', [text], ['b'])),
  listOf: (text) => listOf([text]),
  providerOf: (host) => providerOf([host]),
  'checkCustomHeaders of a value': (value) => checkCustomHeaders({ 'X-A': value }),
  'checkCustomHeaders of a name': (name) => checkCustomHeaders({ [name]: 'x' }),
  headerText,
  collapseSpaces,
  holdsEncodedWord,
  'createLineWatch of a message': (text) => createLineWatch()(Buffer.from(text)),
  'createBodyHash of a body': (body) => createBodyHash().update(Buffer.from(body)),
  signedHeaders,
  'signedHeaders of a value': (value) => signedHeaders(`Subject: ${value}`),
  'composeMessage of HTML': (html) => composeMessage({ ...MESSAGE, html }),
  'draftEmail of a subject': (subject) => attempt(() => draftEmail({ ...EMAIL, subject }, { now: NOW, urlProblem: () => null })),
  'draftEmail of HTML': (html) => attempt(() => draftEmail({ ...EMAIL, html }, { now: NOW, urlProblem: () => null })),
  parseDomainName,
  parseHostLabel,
  labelOf: (text) => attempt(() => labelOf('tracking_subdomain', text)),
  newDomainOf: (text) => attempt(() => newDomainOf({ name: 'example.com', custom_return_path: text }, [])),
  'relativeName under a text': (text) => relativeName('a.example.com', text),
  isSpfRecord,
  'permitsSameSenders of terms': (text) => permitsSameSenders(`v=spf1 ${text}`, WANTED_SPF.value, 'a.example'),
  'permitsSameSenders of an address': (text) => permitsSameSenders(`v=spf1 ip4:${text}`, WANTED_SPF.value, 'a.example'),
  'permitsSameSenders of a host': (text) => permitsSameSenders(`v=spf1 mx:${text}`, WANTED_SPF.value, 'a.example'),
  holdsSameKey: (text) => holdsSameKey(text, 'p=a'),
  'holdsSameKey of a key': (text) => holdsSameKey(`h=${text};p=${text}`, 'p=a'),
  isDmarcRecord,
  'isDmarcRecord of a version': (text) => isDmarcRecord(`v${text}`),
  isValidDmarcRecord: (text) => isValidDmarcRecord(`v=DMARC1;${text}`),
  permitsIssuer: (text) => permitsIssuer([text], '0 issue "a.example"'),
  'permitsIssuer of a value': (text) => permitsIssuer([`0 issue "${text}"`], '0 issue "a.example"'),
  'judgeAnswer of a text': (text) => judgeAnswer(WANTED_SPF, { kind: 'records', values: [text] }),
  'judgeAnswer of many texts': (text) => judgeAnswer(WANTED_SPF, { kind: 'records', values: text.match(/.{1,9}/gs) ?? [] }),
  'judgeAnswer of many hosts': (text) => judgeAnswer(WANTED_MX, { kind: 'records', values: text.match(/.{1,9}/gs) ?? [] }),
  'judgeHostname of an alias': (text) =>
    judgeHostname('a.example', { a: records('192.0.2.1'), aaaa: records(), alias: records(text) }, true),
  'judgeReverse of a name': (text) =>
    judgeReverse('192.0.2.1', { ptr: records(text), forward: [{ name: text, answer: records(text) }] }, 'a.example'),
  'judgeReverse of many names': (text) => judgeReverse('192.0.2.1', { ptr: records(...(text.match(/.{1,9}/gs) ?? [])), forward: [] }, null),
  'judgeBlocklist of a reason': (text) =>
    judgeBlocklist('a.example', [{ address: '192.0.2.1', answer: records('127.0.0.2'), reason: records(text) }]),
  'judgeCertificate of a fault': (text) => judgeCertificate('a.example', { kind: 'answered', fault: text, validTo: null, date: null }, NOW),
  mailHosts: (text) => mailHosts(records(text)),
  'judgeMailPort of a reply': (text) =>
    judgeMailPort('a.example', [{ host: 'a.example', address: '192.0.2.1', kind: 'refused', code: 550, text }], records()),
  'judgeInbound of a reply': (text) =>
    judgeInbound('a.example', [{ host: 'a.example', address: '192.0.2.1', kind: 'refused', code: 550, text }], records()),
  'judgeInbound of a failure': (text) =>
    judgeInbound('a.example', [{ host: 'a.example', address: '192.0.2.1', kind: 'unreached', text }], records()),
  'judgeMailPort of a failure': (text) =>
    judgeMailPort('a.example', [{ host: 'a.example', address: '192.0.2.1', kind: 'unreached', text }], records()),
  judgeRelay: (reason) => judgeRelay('a.example', { isUsable: false, isReached: true, reason }),
  judgeDmarc: (text) => judgeDmarc('a.example', 'a.example', { own: records(`v=DMARC1;${text}`), root: records(text) }),
  announcesMtaSts: (text) => announcesMtaSts(records(text)),
  judgeMtaSts: (text) => judgeMtaSts('a.example', records(text), null),
  judgeTlsReports: (text) => judgeTlsReports('a.example', records(`v=TLSRPTv1${text}`)),
  judgeResolver: (reason) => judgeResolver({ server: '192.0.2.53', answer: { kind: 'unanswered', reason } }),
  judgeHelloSpf: (comment) => judgeHelloSpf('a.example', [{ address: '192.0.2.1', result: 'permerror', comment }]),
  judgeSpfInclude: (comment) =>
    judgeSpfInclude('a.example', records(`v=spf1 ${comment}`), [{ address: '192.0.2.1', result: 'permerror', comment }]),
  encodedTextSize,
  checkFilename,
  checkFileType,
  checkContentType,
  checkContentId,
  contentTypeOf: (name) => contentTypeOf(name, null),
  decodeContent,
  scheduleOf: (text) => attempt(() => scheduleOf('scheduled_at', text, NOW)),
  parseScheduledAt: (text) => parseScheduledAt(text, NOW),
  ianaZone,
  readMetricsRequest: (text) =>
    attempt(() => readMetricsRequest({ metrics: [text], dimensions: [text], email_id: [text], start_date: text, timezone: text }, NOW)),
  parseDuration,
  parseLimitOverrides,
  parseSmtpReply,
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
  registrableDomain,
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
  resultOfReply: (text) => resultOfReply(`550 ${text}`, 'rcpt'),
  'filenameOf a header': (value) => filenameOf({ 'content-disposition': `attachment${value}` }, 'https://a.example/'),
  'filenameOf an address': (path) => filenameOf({}, `https://a.example/${path}`),
  'contentTypeOf a header': (value) => typeOfResponse({ 'content-type': value }),
  parseRelayUrl: (text) => attempt(() => parseRelayUrl(`smtp://${text}`)),
  preferredLanguage: (text) => preferredLanguage(text, ['en', 'de']),
  asDownload,
  csvLine: (text) => csvLine([text]),
  readProxyHeader: (text) => readProxyHeader(Buffer.from(`PROXY ${text}`)),
  createCsvReader: (text) => createCsvReader(',').push(text),
  isRefusedData: (text) => isRefusedData(Object.assign(new Error(text), { code: text })),
  idOfShort,
  verifyToken: (token) => verifyToken({ keys: new Map([[1, Buffer.alloc(32)]]), purpose: 'x', token: `1.${token}`, now: NOW }),
  'read of a return path': (text) => RETURN_PATHS.read(text),
  StartupProblem: (text) => new StartupProblem(text),
  saysUnsubscribed,
  isVisible,
  shapeProblem: (text) => shapeProblem(Buffer.from(text)),
  // Longer ones are not looked at.
  jsonPlace: (text) => jsonPlace(text.slice(0, 128 * 1024)),
  'jsonPlace of a string': (text) => jsonPlace(`"${text}`.slice(0, 128 * 1024)),
  quotedValue,
  'redact of a URL': (text) => redact(URL_TREE, text),
  'redact of a URL of the web': (text) => redact(URL_TREE, `https://${text}`),
  validationSentence: (text) => validationSentence([{ ...ERROR, instancePath: `/${text}` }], 'body'),
  'validationSentence of a schema': (text) => validationSentence([{ ...ERROR, instancePath: '/a', schemaPath: text, data: null }], 'body'),
  unstorableField: (text) => unstorableField({ [text]: text }),
  loggedReason,
  'createLog on a terminal': (text) => TERMINAL.info({ text }, text),
  'createLog of an error': (text) => TERMINAL.error({ err: new Error(text) }, 'failed'),
  withFrameScript,
  'withFrameScript after a doctype': (text) => withFrameScript(`<!${text}`),
  headersOf: (text) => headersOf({ text }),
  tokenIn,
  'tokenIn after Bearer': (text) => tokenIn(`Bearer ${text}`),
  cookies: (text) => BROWSER.parseCookie(text),
  isUnsubscribeLink: (text) => isUnsubscribeLink(`/${text}`),
  'overlongLinkReply of an address': (text) =>
    overlongLinkReply({ code: 'HPE_HEADER_OVERFLOW', rawPacket: Buffer.from(`GET /unsubscribe/${text}`) }),
  'overlongLinkReply of a language': (text) =>
    overlongLinkReply({ code: 'HPE_HEADER_OVERFLOW', rawPacket: Buffer.from(`GET /unsubscribe/ HTTP/1.1\r\naccept-language:${text}`) }),
}

function readSuppressions(text: string): unknown {
  const reader = createSuppressionFileReader(['simulator.test'])
  return [...reader.push(text), ...reader.end()]
}
