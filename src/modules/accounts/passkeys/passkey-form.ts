// A form that a passkey fills in. Its script shows it where the browser knows passkeys, at the address for which they are made.
import { html, type SafeHtml } from '@remix-run/html-template'
import { readSourceFile } from '../../../lib/source-files.ts'

export const PASSKEY_SCRIPT = readSourceFile('passkey.js', import.meta)

/** `options`: where a script asks for them. `action`: where the form is sent once the passkey was used. */
type PasskeyForm = { origin: string; options: string; action: string; label: string; next: string | null }

export const passkeyForm = ({ origin, options, action, label, next }: PasskeyForm): SafeHtml =>
  html`<form method="post" action="${action}" data-passkey="${options}" data-origin="${origin}" hidden>
${next === null ? '' : html`<input type="hidden" name="next" value="${next}">`}<input type="hidden" name="credential">
<p class="wrong" role="alert" hidden></p>
<div><button class="quiet">${label}</button></div>
</form>
`
