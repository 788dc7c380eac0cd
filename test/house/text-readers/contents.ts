// What is put into emails: HTML, placeholders, templates, links.
import { broadcastWarnings, senderDomain } from '../../../src/mail/broadcasts/broadcast-warnings.ts'
import { filledLengthMax } from '../../../src/mail/broadcasts/filled-length.ts'
import { filledSubject } from '../../../src/mail/broadcasts/merge-values.ts'
import { preheader, withPreheader } from '../../../src/mail/broadcasts/preheader.ts'
import { unknownPlaceholders } from '../../../src/mail/broadcasts/unknown-placeholders.ts'
import { linkAsWritten, writtenLinks } from '../../../src/mail/broadcasts/written-links.ts'
import { withImageAddresses } from '../../../src/mail/html/cid-addresses.ts'
import { containedHtml } from '../../../src/mail/html/contained-html.ts'
import { escapeHtml } from '../../../src/mail/html/escaped-html.ts'
import { readHtml, readLongHtml } from '../../../src/mail/html/html-tokens.ts'
import { mentionsRemoteImages } from '../../../src/mail/html/remote-images.ts'
import { shownHtml } from '../../../src/mail/html/shown-html.ts'
import { textFromHtml } from '../../../src/mail/html/text-from-html.ts'
import { contactPlaceholders, contactValues, isOfContact, propertiesNamed } from '../../../src/mail/rendering/contact-placeholders.ts'
import { htmlPlaces } from '../../../src/mail/rendering/html-places.ts'
import { contentWarnings, placeholderLookAlikes } from '../../../src/mail/rendering/placeholder-look-alikes.ts'
import { readPlaceholders } from '../../../src/mail/rendering/placeholders.ts'
import { atPlace, hasLineBreak, onOneLine } from '../../../src/mail/rendering/places.ts'
import { readContent } from '../../../src/mail/rendering/read-contents.ts'
import { readHtmlText, readText, render } from '../../../src/mail/rendering/rendering.ts'
import { createUrlFinder, percentEncoded, urlPlace } from '../../../src/mail/rendering/url-places.ts'
import { askedVariables } from '../../../src/mail/templates/asked-variables.ts'
import { fillTemplate } from '../../../src/mail/templates/filled-template.ts'
import { checkTemplateFields, isReserved, textOfValue, typeProblem } from '../../../src/mail/templates/template-fields.ts'
import { templateWarnings } from '../../../src/mail/templates/template-warnings.ts'
import { sentenceAboutBroken, sentenceAboutMissing } from '../../../src/mail/templates/unfilled-sentences.ts'
import { trackableLink, unsubscribeLinksOf } from '../../../src/mail/tracking/link-rules.ts'
import { machineRuleOf } from '../../../src/mail/tracking/machine-rules.ts'
import { findTrackablePlaces, trackedHtml } from '../../../src/mail/tracking/tracked-html.ts'
import { attempt, type TextReaders } from './text-reader.ts'

const ANCHOR = '<a href="{{{a}}}">'

export const CONTENT_READERS: TextReaders = {
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
  htmlPlaces: (text) => htmlPlaces(readPlaceholders(text.replaceAll('a', '{{{a}}}'))),
  'htmlPlaces of many in a link': (text) => htmlPlaces(readPlaceholders(`<a href="${text.replaceAll('a', '{{{a}}}')}">`)),
  'htmlPlaces in a link': (text) => htmlPlaces(readPlaceholders(`<a href="${text}{{{a}}}${text}">`)),
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
  templateWarnings: (text) => templateWarnings([text, text, text], { properties: [], variables: [] }),
  placeholderLookAlikes: (text) => placeholderLookAlikes([text], 'filled'),
  senderDomain,
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
}
