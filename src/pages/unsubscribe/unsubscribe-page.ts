// The page where people decide what they get: forms that need no script, in the reader's language.

import { domainToUnicode } from 'node:url'
import { html, type SafeHtml } from '@remix-run/html-template'
import { shortId } from '../../lib/short-ids.ts'
import type { AddressRow, AddressTopicRow } from '../../repositories/topics/contact-topics.ts'
import type { UnsubscribeTexts } from './texts/en.ts'
import type { Reading } from './texts/texts.ts'
import { shell } from './unsubscribe-shell.ts'

/** `topics`: those to choose from. */
export type PreferencesView = AddressRow & {
  token: string
  senderName: string
  /** Whether the choice was saved just now. */
  isSaved: boolean
}

export function preferencesPage(
  reading: Reading,
  { token, senderName, email, unsubscribed, isSuppressed, topics, isSaved }: PreferencesView,
): string {
  const { texts } = reading
  return shell(reading, {
    title: unsubscribed || isSuppressed ? texts.unsubscribed : texts.title,
    senderName,
    ...(isSaved && { status: texts.saved }),
    main: html`${email === null ? '' : html`<p>${texts.address} <strong><bdi>${masked(email)}</bdi></strong></p>`}
${isSuppressed ? html`<p>${texts.suppressedNote}</p>` : unsubscribed ? subscribing(texts, token) : html`${topics.length > 0 ? choosing(reading, token, topics) : ''}${unsubscribing(texts, token)}`}`,
  })
}

export type OneClickView = {
  token: string
  senderName: string
  /** `topic`: only the mail of that topic ends. */
  scope: 'topic' | 'everything'
}

/** The page after one click, for people who look at it: a mail program sends the click by itself. */
export const oneClickPage = (reading: Reading, { token, senderName, scope }: OneClickView): string =>
  shell(reading, {
    title: scope === 'topic' ? reading.texts.topicLeft : reading.texts.unsubscribed,
    senderName,
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
