// The page where a person decides whether a program may act for their team. It needs no script, and says who asks as far as it is known.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { ConsentRequest } from '../../context.ts'
import { isOwnMachine } from '../../lib/oauth/redirect-uris.ts'
import { CONSOLE, consentPath } from '../shell/sections.ts'
import { consentShell } from './consent-shell.ts'
import { type ConsentReading, wordsOf } from './texts/texts.ts'

export type ConsentView = {
  asked: ConsentRequest
  /** As data; null: its initials are shown. */
  logo: string | null
  /** Null: no one is signed in. */
  team: { id: string; name: string } | null
}

export function consentPage(reading: ConsentReading, { asked, logo, team }: ConsentView): string {
  const { texts } = reading
  const { client, scopes, redirectUri } = asked
  return consentShell(reading, {
    title: texts.title(client.name),
    heading: html`${markOf(client.name, logo)}<h1 dir="auto">${texts.title(client.name)}</h1>`,
    main: html`<p>${texts.wants} <strong><bdi>${client.name}</bdi></strong></p>
<dl>${siteOf(reading, client)}
<dt>${texts.answer}</dt><dd><bdi>${targetOf(reading, redirectUri)}</bdi></dd>
${team === null ? '' : html`<dt>${texts.team}</dt><dd><strong><bdi>${team.name}</bdi></strong></dd>`}</dl>
<div><p>${texts.may}</p><ul>${scopes.map((scope) => html`<li>${wordsOf(scope, reading)}</li>`)}</ul></div>
${team === null ? signingIn(reading, asked) : deciding(reading, asked, team)}`,
  })
}

const deciding = (
  { texts }: ConsentReading,
  { uid }: ConsentRequest,
  { id }: { id: string },
): SafeHtml => html`<form method="post" action="${consentPath(uid)}">
<input type="hidden" name="team" value="${id}">
<button name="act" value="allow">${texts.allow}</button>
<button class="quiet" name="act" value="refuse">${texts.refuse}</button>
<button class="quiet" name="act" value="other">${texts.other}</button>
</form>
<p class="note">${texts.ends}</p>`

const signingIn = ({ texts }: ConsentReading, { uid }: ConsentRequest): SafeHtml => html`<h2>${texts.signIn}</h2>
<form class="fields" method="post" action="${CONSOLE}/sign-in">
<input type="hidden" name="connect" value="${uid}">
<div><label for="api_key">${texts.key}</label>
<input id="api_key" name="api_key" type="password" required autocomplete="current-password" spellcheck="false" autocapitalize="off" maxlength="256" aria-describedby="hint"></div>
<p class="note" id="hint">${texts.signInNote}</p>
<div><button>${texts.next}</button></div>
</form>
<p class="note">${texts.signInLink}</p>
<form method="post" action="${consentPath(uid)}"><button class="quiet" name="act" value="refuse">${texts.refuse}</button></form>`

function siteOf({ texts }: ConsentReading, { isDocument, clientId, uri }: ConsentRequest['client']): SafeHtml | string {
  const host = URL.parse(isDocument ? clientId : (uri ?? ''))?.host
  if (!host) return ''
  return html`<dt>${texts.site}</dt><dd><bdi>${host}</bdi> (${isDocument ? texts.verified : texts.unverified})</dd>`
}

/** The host, as it is in ASCII: look-alike letters are not shown. */
function targetOf({ texts }: ConsentReading, redirectUri: string): string {
  if (!isOwnMachine(redirectUri)) return URL.parse(redirectUri)?.host ?? redirectUri
  const parsed = URL.parse(redirectUri)
  return parsed?.protocol === 'http:' || parsed === null ? texts.thisDevice : `${texts.thisDevice} (${parsed.protocol})`
}

const markOf = (name: string, logo: string | null): SafeHtml =>
  logo === null ? html`<div class="mark" aria-hidden="true">${initialsOf(name)}</div>` : html`<img class="mark" src="${logo}" alt="">`

const initialsOf = (name: string): string =>
  [...name.matchAll(/[\p{L}\p{N}]+/gu)]
    .slice(0, 2)
    .map(([word]) => [...word][0]?.toUpperCase() ?? '')
    .join('')

/**
 * After a link from another site, a browser hides the cookie of the console. From this page, which is ours, it sends it. `again` keeps it from
 * turning in a circle.
 */
export const bouncePage = (reading: ConsentReading, uid: string): string => {
  const address = `${consentPath(uid)}?again=1`
  return consentShell(reading, {
    title: reading.texts.back,
    head: html`<meta http-equiv="refresh" content="0; url=${address}">`,
    heading: html`<h1>${reading.texts.back}</h1>`,
    main: html`<p><a class="button" href="${address}">${reading.texts.continue}</a></p>`,
  })
}

export const consentNotice = (reading: ConsentReading, { title, note }: { title: string; note: string }): string =>
  consentShell(reading, { title, heading: html`<h1>${title}</h1>`, main: html`<p>${note}</p>` })
