// The page on which people see, add and remove their passkeys.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../../http/pages/document.ts'
import type { FrontPage } from '../../../http/pages/front-page.ts'
import { CONSOLE } from '../../../http/pages/paths.ts'
import { browserLabel } from '../sessions/browser-label.ts'
import type { Site } from './ceremonies.ts'
import { PASSKEY_SCRIPT } from './passkey-form.ts'
import { PASSKEYS_PER_PERSON_MAX, type PasskeyRow } from './passkeys.repository.ts'
import { PASSKEY_NAME_LENGTH_MAX } from './passkeys.schema.ts'
import { NEEDS_NAME, TOO_MANY_PASSKEYS } from './passkeys.service.ts'

export const PASSKEY_PAGE = `${CONSOLE}/passkey`

export type PasskeyView = {
  now: Date
  rows: readonly PasskeyRow[]
  /** Null: this installation has no name. */
  site: Site | null
  /** Where the person confirms first that it is them; null: they need not. */
  confirmAt: string | null
  /** The header of the browser. */
  browser: string
  /** What was done last. */
  done: unknown
}

export const passkeyPage = ({ now, rows, site, confirmAt, browser, done }: PasskeyView): FrontPage => ({
  title: 'Passkeys',
  script: PASSKEY_SCRIPT,
  main: html`<h1>Passkeys</h1>
${NOTES.has(done) ? html`<p class="note" role="status">${NOTES.get(done) ?? ''}</p>` : ''}
<p>A passkey signs you in without a mail. Your device checks that it is you, by a fingerprint, your face or a PIN.</p>
${rows.length === 0 ? html`<p class="note">You have none yet.</p>` : html`<ul class="rows">${rows.map((row) => line(row, { now, site }))}</ul>`}
${adding({ count: rows.length, site, confirmAt, browser })}
<p><a href="${CONSOLE}/sessions">Your sessions</a></p>`,
})

const NOTES = new Map<unknown, string>([
  ['added', 'The passkey was added. A mail to you says so, too.'],
  ['removed', 'The passkey was removed.'],
])

const line = ({ id, name, host, address, browser, createdAt, usedAt }: PasskeyRow, { now, site }: Pick<PasskeyView, 'now' | 'site'>) =>
  html`<li><div><b><bdi>${name}</bdi></b>
<p class="note">Added ${timeElement(createdAt, now)} from ${browserLabel(browser)}, ${address}. ${usedAt === null ? 'Never used.' : html`Last used ${timeElement(usedAt, now)}.`}</p>
${host === site?.host ? '' : html`<p class="warning">It was made for ${host}, and works there only. Remove it, and add a new one.</p>`}</div>
<form data-remove="/me/passkeys/${id}"><p class="wrong" role="alert" hidden></p><button class="quiet" aria-label="Remove ${name}">Remove</button></form></li>`

function adding({ count, site, confirmAt, browser }: Pick<PasskeyView, 'site' | 'confirmAt' | 'browser'> & { count: number }): SafeHtml {
  if (site === null) return html`<p class="warning">${NEEDS_NAME}</p>`
  if (count >= PASSKEYS_PER_PERSON_MAX) return html`<p class="note">${TOO_MANY_PASSKEYS}</p>`
  if (confirmAt !== null)
    return html`<p>Before you add one, confirm that it is you.</p>
<p><a class="button" href="${confirmAt}">Confirm</a></p>`
  return html`<p class="warning" id="not-here">Passkeys are added at <a href="${site.origin}${PASSKEY_PAGE}">${site.origin}</a>, in a browser that knows passkeys.</p>
<form data-passkey="/me/passkeys/options" data-add="/me/passkeys" data-origin="${site.origin}" data-note="not-here" hidden>
<div><label for="name">Name</label>
<input id="name" name="name" required maxlength="${PASSKEY_NAME_LENGTH_MAX}" autocomplete="off" value="${browserLabel(browser)}"></div>
<p class="wrong" role="alert" hidden></p>
<div><button>Add a passkey</button></div>
</form>`
}
