// The page where a person decides whether a program may act for their team. It needs no script, and says who asks as far as it is known.
import { html, type SafeHtml } from '@remix-run/html-template'
import { BRAND_STYLE, type Brand, brandMark, brandParts } from '../../../http/pages/brand.ts'
import { digestSource, pageDocument } from '../../../http/pages/document.ts'
import { FRONT_HEADER, FRONT_STYLE } from '../../../http/pages/front-page.ts'
import { CONSOLE, consentPath, DEVICE } from '../../../http/pages/paths.ts'
import { readSourceFile } from '../../../lib/source-files.ts'
import { FULL_ACCESS } from '../../accounts/scopes.ts'
import { isOwnMachine } from '../clients.ts'
import type { ConsentRequest } from '../oauth.context.ts'
import { type ConsentReading, chooseConsentTexts, scopeText } from './texts.ts'

// What the pages of consent have in common: their frame and their headers.

/** As the pages of signing in look, which come before and after it. */
const STYLE = FRONT_STYLE + BRAND_STYLE + readSourceFile('consent.css', import.meta)
const STYLE_SOURCE = digestSource(STYLE)

/**
 * @param target where the program is answered. A browser holds the answer to a form to this policy, too, when it leads on to another address.
 * @param brand of the team that the page names, if it names one
 */
export const consentHeaders = ({ language }: ConsentReading, target: string | null, brand: Brand | null = null) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-language': language,
  vary: 'Accept-Language',
  'content-security-policy': `default-src 'none'; style-src ${STYLE_SOURCE}${brandParts(brand).styleSource}; img-src data:${brandParts(brand).imageSource}; form-action 'self'${target === null ? '' : ` ${sourceOf(target)}`}; base-uri 'none'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-robots-tag': 'noindex',
  'cache-control': 'private, no-store',
})

/** A host may have characters that would end the directive; then its scheme stands for it. */
function sourceOf(target: string): string {
  const { protocol, host } = new URL(target)
  return (protocol === 'https:' || protocol === 'http:') && /^[a-z0-9.:[\]-]+$/.test(host) ? `${protocol}//${host}` : protocol
}

export type ConsentShell = { title: string; head?: SafeHtml | ''; heading: SafeHtml; main: SafeHtml }

export const consentShell = ({ language }: ConsentReading, { title, head, heading, main }: ConsentShell): string =>
  pageDocument({
    language,
    title,
    head: html`<style>${html.raw`${STYLE}`}</style>${head ?? ''}`,
    body: html`${FRONT_HEADER}
<main id="main">
${heading}
${main}
</main>`,
  })

// The page after a request for access that ended without access. It stands where the library would send the browser on to an address that no one
// has verified: the person decides whether to follow.

/** `address`: of the program, with the answer for it. */
export type AnswerView = { acceptLanguage: string | undefined; isRefusal: boolean; client: string | null; address: string }

export function answerPage({ acceptLanguage, isRefusal, client, address }: AnswerView): { headers: Record<string, string>; text: string } {
  const reading = chooseConsentTexts(acceptLanguage)
  const { texts } = reading
  const { host } = new URL(address)
  const title = isRefusal ? texts.refused : texts.noAccess
  const text = consentShell(reading, {
    title,
    heading: html`<h1>${title}</h1>`,
    main: html`${client === null ? '' : html`<p><strong><bdi>${client}</bdi></strong></p>`}
<p>${texts.nothingGiven}</p>
<p class="note">${texts.unknownSite}</p>
<p><a class="button" rel="noreferrer" href="${address}">${texts.backTo} <bdi>${host}</bdi></a></p>`,
  })
  return { headers: consentHeaders(reading, null), text }
}

/** Who decides, and for which of their teams. `scopes`: what they can allow there of what is asked for. */
export type Decider = {
  email: string
  team: { id: string } & Brand
  role: string
  scopes: readonly string[]
  /** What their role lacks of what is asked for. */
  lacking: readonly string[]
  otherTeams: readonly { id: string; name: string }[]
}

export type ConsentView = {
  asked: Pick<ConsentRequest, 'uid' | 'client' | 'redirectUri' | 'scopes'>
  /** As data; null: its initials are shown. */
  logo: string | null
  /** Null: no one is signed in. */
  decider: Decider | null
}

export function consentPage(reading: ConsentReading, { asked, logo, decider }: ConsentView): string {
  const { texts } = reading
  const { client, redirectUri } = asked
  return consentShell(reading, {
    title: texts.title(client.name),
    head: brandParts(decider?.team ?? null).head,
    heading: html`${markOf(client.name, logo)}<h1 dir="auto">${texts.title(client.name)}</h1>`,
    main: html`<p>${texts.wants} <strong><bdi>${client.name}</bdi></strong></p>
<dl>${describeClient(reading, client)}
<dt>${texts.answer}</dt><dd><bdi>${describeRedirect(reading, redirectUri)}</bdi></dd>
${decider === null ? '' : describeDecider(reading, decider)}</dl>
${describeScopes(reading, asked.scopes, decider)}
${decider === null ? signingIn(reading, asked) : deciding(reading, consentPath(asked.uid), decider)}`,
  })
}

export const describeDecider = ({ texts }: ConsentReading, { email, team, role }: Decider): SafeHtml =>
  html`<dt>${texts.you}</dt><dd><bdi>${email}</bdi> (${role})</dd>
<dt>${texts.team}</dt><dd>${brandMark(team)}</dd>`

/** What the program gets, and what it does not. All that a role allows is one line. */
export function describeScopes(reading: ConsentReading, asked: readonly string[], decider: Decider | null): SafeHtml {
  const { texts } = reading
  const list = (items: readonly string[]): SafeHtml => html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`
  const words = (scopes: readonly string[]): string[] => scopes.map((scope) => scopeText(scope, reading))
  if (decider === null) return html`<div><p>${texts.may}</p>${list(words(asked))}</div>`
  const { role, scopes, lacking } = decider
  if (scopes.length === 0) return html`<p class="warning" role="alert">${texts.nothing(role)}</p>`
  const isWhole = asked.includes(FULL_ACCESS) && !scopes.includes(FULL_ACCESS)
  return html`<div><p>${texts.may}</p>${list(isWhole ? [texts.roleAccess(role)] : words(scopes))}</div>
${lacking.length === 0 || isWhole ? '' : html`<div><p>${texts.lacks(role)}</p>${list(words(lacking))}</div>`}`
}

/** The buttons of someone who is signed in. The page says for which role it was shown, because that may have changed since. */
export const deciding = (
  { texts }: ConsentReading,
  path: string,
  { team, role, scopes, otherTeams }: Decider,
  extra?: SafeHtml,
): SafeHtml =>
  html`<form method="post" action="${path}">
<input type="hidden" name="team" value="${team.id}"><input type="hidden" name="role" value="${role}">${extra ?? ''}
${scopes.length === 0 ? '' : html`<button name="act" value="allow">${texts.allow}</button>`}
<button class="quiet" name="act" value="refuse">${texts.refuse}</button>
<button class="quiet" name="act" value="other">${texts.other}</button>
</form>
${otherTeams.length === 0 ? '' : choosingTeam(texts, path, otherTeams, extra)}<p class="note">${texts.ends}</p>`

const choosingTeam = (texts: ConsentReading['texts'], path: string, teams: Decider['otherTeams'], extra?: SafeHtml): SafeHtml =>
  html`<form method="get" action="${path}"><input type="hidden" name="again" value="1">${extra ?? ''}
<label for="team">${texts.otherTeam}</label>
<select id="team" name="team">${teams.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select>
<button class="quiet">${texts.choose}</button></form>
`

export const signInLink = ({ texts }: ConsentReading, path: string): SafeHtml =>
  html`<p><a class="button" href="${CONSOLE}/sign-in?next=${encodeURIComponent(path)}">${texts.next}</a></p>`

const signingIn = (reading: ConsentReading, { uid }: Pick<ConsentRequest, 'uid'>): SafeHtml => html`<h2>${reading.texts.signIn}</h2>
<p class="note">${reading.texts.signInNote}</p>
${signInLink(reading, consentPath(uid))}
<form method="post" action="${consentPath(uid)}"><button class="quiet" name="act" value="refuse">${reading.texts.refuse}</button></form>`

function describeClient({ texts }: ConsentReading, { isDocument, clientId, uri }: ConsentRequest['client']): SafeHtml | string {
  const host = URL.parse(isDocument ? clientId : (uri ?? ''))?.host
  if (!host) return ''
  return html`<dt>${texts.site}</dt><dd><bdi>${host}</bdi> (${isDocument ? texts.verified : texts.unverified})</dd>`
}

/** The host, as it is in ASCII: look-alike letters are not shown. */
function describeRedirect({ texts }: ConsentReading, redirectUri: string): string {
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
export const bouncePage = (reading: ConsentReading, path: string): string => {
  const address = `${path}${path.includes('?') ? '&' : '?'}again=1`
  return consentShell(reading, {
    title: reading.texts.back,
    head: html`<meta http-equiv="refresh" content="0; url=${address}">`,
    heading: html`<h1>${reading.texts.back}</h1>`,
    main: html`<p><a class="button" href="${address}">${reading.texts.continue}</a></p>`,
  })
}

export const consentNotice = (reading: ConsentReading, { title, note }: { title: string; note: string }): string =>
  consentShell(reading, { title, heading: html`<h1>${title}</h1>`, main: html`<p>${note}</p>` })

// The pages of the command line, which has no address to be answered at: the person enters the code that it shows, or compares it.

export function deviceCodePage(reading: ConsentReading, { isUnknown }: { isUnknown: boolean }): string {
  const { texts } = reading
  return consentShell(reading, {
    title: texts.deviceCode,
    heading: html`<h1>${texts.deviceCode}</h1>`,
    main: html`${isUnknown ? html`<p class="warning" role="alert">${texts.deviceUnknown}</p>` : ''}
<p>${texts.deviceWarning}</p>
<form method="get" action="${DEVICE}"><label for="code">${texts.deviceLabel}</label>
<input type="hidden" name="again" value="1">
<input id="code" name="user_code" required autofocus autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20">
<button>${texts.next}</button></form>`,
  })
}

export type DeviceView = { asked: { client: { name: string }; scopes: readonly string[] }; userCode: string; decider: Decider }

export function devicePage(reading: ConsentReading, { asked, userCode, decider }: DeviceView): string {
  const { texts } = reading
  const title = texts.title(asked.client.name)
  return consentShell(reading, {
    title,
    head: brandParts(decider.team).head,
    heading: html`<h1 dir="auto">${title}</h1>`,
    main: html`<p>${texts.deviceCompare} <strong><code>${userCode}</code></strong></p>
<p class="warning" role="alert">${texts.deviceWarning}</p>
<dl>${describeDecider(reading, decider)}</dl>
${describeScopes(reading, asked.scopes, decider)}
${deciding(reading, DEVICE, decider, html`<input type="hidden" name="user_code" value="${userCode}">`)}`,
  })
}
