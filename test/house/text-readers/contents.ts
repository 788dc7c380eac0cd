// What is put into emails: HTML, placeholders, templates, links, and their texts as they are sent.

import { checkHtml } from '../../../src/mail/checks/html-checks.ts'
import { checkLink } from '../../../src/mail/checks/link-checks.ts'
import { createFindings } from '../../../src/mail/checks/mail-checks.ts'
import { checkInlineStyle, checkStyleSheet } from '../../../src/mail/checks/style-checks.ts'
import { containedHtml, mentionsRemoteImages, withImageAddresses } from '../../../src/mail/html/contained-html.ts'
import { escapeHtml, readHtml, readLongHtml } from '../../../src/mail/html/html-tokens.ts'
import { shownHtml } from '../../../src/mail/html/shown-html.ts'
import { textFromHtml } from '../../../src/mail/html/text-from-html.ts'
import { composeMessage } from '../../../src/mail/mime-build.ts'
import {
  contactPlaceholders,
  contactValues,
  isOfContact,
  isReserved,
  propertiesNamed,
} from '../../../src/mail/rendering/contact-placeholders.ts'
import { htmlPlaces } from '../../../src/mail/rendering/html-places.ts'
import { contentWarnings, placeholderLookAlikes } from '../../../src/mail/rendering/placeholder-look-alikes.ts'
import { atPlace, hasLineBreak, onOneLine, readPlaceholders } from '../../../src/mail/rendering/placeholders.ts'
import { readContent, readHtmlText, readText, render } from '../../../src/mail/rendering/rendering.ts'
import { createUrlFinder, percentEncoded, urlPlace } from '../../../src/mail/rendering/url-places.ts'
import { encodedText, quotedPrintableText } from '../../../src/mail/transfer-encoding.ts'
import { broadcastWarnings } from '../../../src/modules/broadcasts/broadcast-warnings.ts'
import { filledLengthMax, filledSubject, unknownPlaceholders } from '../../../src/modules/broadcasts/merge-fields.ts'
import { linkAsWritten, preheader, withPreheader, writtenLinks } from '../../../src/modules/broadcasts/written-links.ts'
import { withHtml } from '../../../src/modules/emails/submitted-message.ts'
import { askedVariables, fillTemplate, sentenceAboutBroken, sentenceAboutMissing } from '../../../src/modules/templates/filled-template.ts'
import { checkTemplateFields, templateWarnings, textOfValue, typeProblem } from '../../../src/modules/templates/template-fields.ts'
import { findMachineRule } from '../../../src/modules/tracking/machine-rules.ts'
import { withoutOwnTracking } from '../../../src/modules/tracking/own-tracking.ts'
import { findTrackablePlaces, findUnsubscribeLinks, trackableLink, trackedHtml } from '../../../src/modules/tracking/tracked-html.ts'
import { attempt, type TextReaders } from './text-reader.ts'

const MESSAGE = {
  messageId: '<a@example.com>',
  date: new Date('2026-03-04T05:06:07Z'),
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

const ANCHOR = '<a href="{{{a}}}">'

const PLACEHOLDER = '{{{a}}}'
/** As long as the text, where that is of this letter alone. */
const withPlaceholders = (text: string): string => text.slice(0, text.length / PLACEHOLDER.length).replaceAll('a', PLACEHOLDER)

export const CONTENT_READERS: TextReaders = {
  readHtml: (text) => readHtml(text, { startTag() {}, endTag() {}, text() {} }),
  containedHtml: (text) => containedHtml(text, () => '/image'),
  mentionsRemoteImages,
  checkHtml,
  checkLink: (text) => checkLink(createFindings(), `https://${text}`),
  checkInlineStyle: (text) => checkInlineStyle(createFindings(), `display:${text}`),
  checkStyleSheet: (text) => checkStyleSheet(createFindings(), text),
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
  findUnsubscribeLinks,
  withoutOwnTracking: (text) => withoutOwnTracking(text, { read: () => ({ refusal: 'forged' }) }),
  findMachineRule: (userAgent) =>
    findMachineRule({
      kind: 'click',
      method: 'GET',
      userAgent,
      address: userAgent,
      msAfterDelivery: null,
      linksAtOnce: 1,
      isTrapped: false,
    }),
  withImageAddresses: (text) => withImageAddresses(text, () => null),
  textFromHtml,
  shownHtml,
  readPlaceholders,
  'readPlaceholders of a name': (text) => readPlaceholders(`{{{${text}`),
  'readPlaceholders of a fallback': (text) => readPlaceholders(`{{{a|${text}`),
  urlPlace: (text) => urlPlace(`https://${text}`, true),
  createUrlFinder(text) {
    const finder = createUrlFinder()
    finder.read(`https://${text}`)
    return finder.placeBefore(text)
  },
  percentEncoded: (text) => percentEncoded('rest', text),
  htmlPlaces: (text) => htmlPlaces(readPlaceholders(withPlaceholders(text))),
  'htmlPlaces of many in a link': (text) => htmlPlaces(readPlaceholders(`<a href="${withPlaceholders(text)}">`)),
  'htmlPlaces in a link': (text) => htmlPlaces(readPlaceholders(`<a href="${text}{{{a}}}${text}">`)),
  readHtmlText: (text) => readHtmlText(`{{{a}}}${text}{{{a}}}`),
  readText: (text) => readText(text, 'line'),
  render: (text) => render(readText(text, 'text'), () => ({ text, fallback: null, isRaw: false }), text.length),
  readContent: (text) => readContent({ subject: text, html: text, text, previewText: text }),
  unknownPlaceholders: (text) => unknownPlaceholders([text], []),
  'unknownPlaceholders of many names': (text) => unknownPlaceholders([withPlaceholders(text)], []),
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
  templateWarnings: (text) => templateWarnings([text, text, text], { properties: [], variables: [] }),
  placeholderLookAlikes: (text) => placeholderLookAlikes([text], 'filled'),
  broadcastWarnings: (text) =>
    broadcastWarnings(
      { segmentId: '', from: text, subject: text, html: text, text, previewText: text },
      { properties: [], isSegmentEmpty: false, domain: 'unknown' },
    ),
  contentWarnings: (text) => contentWarnings([{ subject: text, html: text, text }]),
  fillTemplate: async (text) =>
    fillTemplate(await readContent({ subject: text, html: text, text, previewText: null }), {
      variables: [],
      values: { a: text },
      field: 'variables',
      bytesMax: 2 * text.length,
    }),
  sentenceAboutBroken,
  sentenceAboutMissing: (text) => [true, false].map((isForContact) => sentenceAboutMissing(text, { isForContact })),
  checkTemplateFields: (text) => attempt(() => checkTemplateFields({ alias: text, from: text, subject: text })),
  isReserved,
  textOfValue,
  typeProblem: (text) => typeProblem('number', text),
  escapeHtml,
  'composeMessage of HTML': (html) => composeMessage({ ...MESSAGE, html }),
  encodedText,
  quotedPrintableText,
  withHtml: (text) => withHtml(Buffer.from(`Content-Type: text/html\r\n\r\n${text}`), { place: 0, html: text }),
}
