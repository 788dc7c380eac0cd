// The page where people decide what they get: forms that need no script, in the reader's language.
import { domainToUnicode } from 'node:url'
import { html, type SafeHtml } from '@remix-run/html-template'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BRAND_STYLE, type Brand, type BrandParts, brandBand, brandParts } from '../../../http/pages/brand.ts'
import { COMMON_STYLE, digestSource, pageDocument, takeForms } from '../../../http/pages/document.ts'
import { Failure } from '../../../lib/failure.ts'
import { shortId } from '../../../lib/ids.ts'
import { readSourceFile } from '../../../lib/source-files.ts'
import type { AddressRow, AddressTopicRow } from '../topics/contact-topics.repository.ts'
import type { Reading, UnsubscribeTexts } from './texts.ts'

// Reads a form from a browser, or from a mail program (RFC 8058, section 3.2), which may declare another type.

/** For a team with as many topics as it may have (modules/audience/topics/topics.schema.ts) the form takes 11 KB. */
const FORM_BYTES_MAX = 16 * 1024

/** Keyed by the name of the field. If a field occurs twice, the last one counts. */
export const UnsubscribeForm = Type.Record(Type.String(), Type.String())
export type UnsubscribeForm = Static<typeof UnsubscribeForm>

export async function unsubscribeForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers()
  await takeForms(app, { bytesMax: FORM_BYTES_MAX })
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: FORM_BYTES_MAX },
    async (request: FastifyRequest, body: Buffer) => multipartForm(body, request.headers['content-type'] ?? ''),
  )
  // An invalid type would be refused before it reaches a parser.
  app.addHook('onRequest', async ({ headers, mediaType }) => {
    if (mediaType === undefined) delete headers['content-type']
  })
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: FORM_BYTES_MAX }, async (_request: FastifyRequest, body: string) => {
    if (!isOneClick(body)) throw new Failure('unsupportedMediaType', 'Send the choice as a form, such as `List-Unsubscribe=One-Click`.')
    return ONE_CLICK
  })
}

const ONE_CLICK: UnsubscribeForm = { 'List-Unsubscribe': 'One-Click' }

/** In any format, because a body with these words can mean nothing else. */
const isOneClick = (body: string): boolean => /\blist-unsubscribe\W{1,20}one-click\b/i.test(body)

/** An unreadable body counts as a form without fields, unless it says that one click was meant. */
async function multipartForm(body: Buffer, contentType: string): Promise<UnsubscribeForm> {
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
    return Object.fromEntries([...form].filter((field): field is [string, string] => typeof field[1] === 'string'))
  } catch {
    return isOneClick(body.toString()) ? ONE_CLICK : {}
  }
}

// What all pages under /unsubscribe have in common: their frame and their headers.

/** Part of the page, because a stranger opens it once and then needs only its own address. */
const STYLE = COMMON_STYLE + BRAND_STYLE + readSourceFile('unsubscribe.css', import.meta)

const STYLE_SOURCE = digestSource(STYLE)

/** The page may have only its own style, and the color of the team. Its forms return to us, and it needs nothing else. */
const policy = ({ styleSource, imageSource }: BrandParts): string =>
  `default-src 'none'; style-src ${STYLE_SOURCE}${styleSource}; img-src data:${imageSource}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-forms`

/** `brand`: of the team that the page names, if it names one. */
export const pageHeaders = ({ language }: Reading, brand: Brand | null = null) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-language': language,
  vary: 'Accept-Language',
  'content-security-policy': policy(brandParts(brand)),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-robots-tag': 'noindex',
  'cache-control': 'private, no-store',
})

export type Shell = {
  title: string
  /** What was just done. It begins the title, which a screen reader reads first. */
  status?: string
  /** Absent if it is unknown because the link does not work. */
  sender?: Brand
  main: SafeHtml
}

export function shell({ language, texts }: Reading, { title, status, sender, main }: Shell): string {
  const { head, isShown } = brandParts(sender ?? null)
  return pageDocument({
    language,
    title: `${status === undefined ? '' : `${status} `}${title}`,
    head: html`<style>${html.raw`${STYLE}`}</style>${head}`,
    body: html`${sender && isShown ? html`<header>${brandBand(sender, html`${texts.from} `)}</header>` : ''}<main${isShown ? html` class="branded"` : ''}>
${!sender || isShown ? '' : html`<p class="sender">${texts.from} <strong><bdi>${sender.name}</bdi></strong></p>`}
<h1>${title}</h1>
${status === undefined ? '' : html`<p class="saved" role="status">${status}</p>`}
${main}
</main>`,
  })
}

/** `topics`: those to choose from. */
export type PreferencesView = AddressRow & {
  token: string
  sender: Brand
  /** Whether the choice was saved just now. */
  isSaved: boolean
}

export function preferencesPage(
  reading: Reading,
  { token, sender, email, unsubscribed, isSuppressed, topics, isSaved }: PreferencesView,
): string {
  const { texts } = reading
  return shell(reading, {
    title: unsubscribed || isSuppressed ? texts.unsubscribed : texts.title,
    sender,
    ...(isSaved && { status: texts.saved }),
    main: html`${email === null ? '' : html`<p>${texts.address} <strong><bdi>${masked(email)}</bdi></strong></p>`}
${isSuppressed ? html`<p>${texts.suppressedNote}</p>` : unsubscribed ? subscribing(texts, token) : html`${topics.length > 0 ? choosing(reading, token, topics) : ''}${unsubscribing(texts, token)}`}`,
  })
}

export type OneClickView = {
  token: string
  sender: Brand
  /** `topic`: only the mail of that topic ends. */
  scope: 'topic' | 'everything'
}

/** The page after one click, for people who look at it: a mail program sends the click by itself. */
export const oneClickPage = (reading: Reading, { token, sender, scope }: OneClickView): string =>
  shell(reading, {
    title: scope === 'topic' ? reading.texts.topicLeft : reading.texts.unsubscribed,
    sender,
    main: html`<p>${scope === 'topic' ? reading.texts.topicLeftNote : reading.texts.unsubscribedNote}</p>
<p><a class="button" href="${pathOf(token)}">${reading.texts.preferences}</a></p>`,
  })

export const noticePage = (reading: Reading, { title, note }: { title: string; note: string }): string =>
  shell(reading, { title, main: html`<p>${note}</p>` })

export const pathOf = (token: string): string => `/unsubscribe/${encodeURIComponent(token)}`

const choosing = (
  { language, texts }: Reading,
  token: string,
  topics: AddressTopicRow[],
): SafeHtml => html`<form method="post" action="${pathOf(token)}">
<fieldset>
<legend>${texts.topics}</legend>
<ul>${topics.toSorted((a, b) => a.name.localeCompare(b.name, language)).map(topicRow)}</ul>
</fieldset>
<button name="act" value="save">${texts.save}</button>
</form>`

/** A switch that is off sends nothing, so the hidden field before it says that the topic was there to choose. */
function topicRow({ id, name, description, subscription }: AddressTopicRow): SafeHtml {
  const field = shortId(id)
  return html`<li>
<input type="hidden" name="${field}" value="off">
<input type="checkbox" role="switch" id="${field}" name="${field}" value="on"${subscription === 'opt_in' ? CHECKED : ''}${description ? html` aria-describedby="${field}-note"` : ''}>
<label for="${field}" dir="auto">${name}</label>
${description ? html`<p class="note" id="${field}-note" dir="auto">${description}</p>` : ''}
</li>`
}

const CHECKED = html` checked`

const unsubscribing = (texts: UnsubscribeTexts, token: string): SafeHtml => html`<section aria-labelledby="everything">
<h2 id="everything">${texts.everything}</h2>
<p class="note">${texts.everythingNote}</p>
<form method="post" action="${pathOf(token)}"><button class="quiet" name="act" value="unsubscribe">${texts.unsubscribe}</button></form>
</section>`

const subscribing = (texts: UnsubscribeTexts, token: string): SafeHtml => html`<p>${texts.unsubscribedNote}</p>
<form method="post" action="${pathOf(token)}"><button class="quiet settling" name="act" value="subscribe">${texts.subscribe}</button></form>`

/** `a***@example.com`: the link may have been passed on. */
function masked(email: string): string {
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  return `${email.slice(0, 1)}***@${domainToUnicode(domain) || domain}`
}
