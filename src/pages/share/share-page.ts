import { html, type SafeHtml } from '@remix-run/html-template'
import { containedHtml, SHOWN_LENGTH_MAX } from '../../mail/html/contained-html.ts'
import { mentionsRemoteImages } from '../../mail/html/remote-images.ts'
import type { EmailRow } from '../../repositories/emails/emails.ts'
import { FRAME_SANDBOX, REMOTE_IMAGES_LEFT_OUT } from '../frame/email-frame.ts'
import { withFrameScript } from '../frame/email-frame-script.ts'
import { moment } from '../shell/moments.ts'
import { shell } from './share-shell.ts'

export type ShownInline = (contentId: string) => string | null

/** `from` is null if a received email names no sender. */
export type SharedEmail = { from: string | null } & Pick<EmailRow, 'to' | 'cc' | 'subject' | 'createdAt' | 'html' | 'text'>

/** An email for people who have the link: its headers, and its content in a sandboxed frame. Bcc recipients are not shown. */
export function sharedEmailPage(email: SharedEmail, { addressOf, now }: { addressOf: ShownInline; now: Date }): string {
  const subject = email.subject || '(no subject)'
  return shell(
    subject,
    html`<header>
<h1>${subject}</h1>
<dl>
<dt>From</dt><dd>${email.from ?? 'This email names no sender.'}</dd>
<dt>To</dt><dd>${email.to.join(', ')}</dd>
${email.cc.length > 0 ? html`<dt>Cc</dt><dd>${email.cc.join(', ')}</dd>` : ''}
<dt>Date</dt><dd>${moment(email.createdAt, now)}</dd>
</dl>
</header>
<main>${contentOf(email, addressOf)}</main>`,
  )
}

export const errorPage = (message: string): string =>
  shell('Link not valid', html`<main class="notice"><h1>This link does not work</h1><p>${message}</p></main>`)

export const busyPage = (message: string): string =>
  shell('One moment', html`<main class="notice"><h1>This page cannot be shown right now</h1><p>${message}</p></main>`)

function contentOf({ html: content, text }: SharedEmail, addressOf: ShownInline): SafeHtml {
  if (content === null) return textOf(text ?? '')
  const contained = containedHtml(content, addressOf)
  return html`${mentionsRemoteImages(content) ? REMOTE_IMAGES : ''}${contained.isCut ? BEGINNING : ''}
<iframe title="Content of the email" sandbox="${FRAME_SANDBOX}" srcdoc="${withFrameScript(`${FRAME_START}${contained.html}`)}"></iframe>`
}

function textOf(text: string): SafeHtml {
  if (text === '') return html`<p class="note">This email has no content.</p>`
  return html`${text.length > SHOWN_LENGTH_MAX ? BEGINNING : ''}<pre>${text.slice(0, SHOWN_LENGTH_MAX)}</pre>`
}

const REMOTE_IMAGES = html`<p class="note">${REMOTE_IMAGES_LEFT_OUT}</p>`
const BEGINNING = html`<p class="note">This email is very long. Only its beginning is shown.</p>`

/** Otherwise an email that names no font is shown in the browser's oldest one. */
const FRAME_START = '<style>:where(body) { font: 16px/1.5 system-ui, sans-serif }</style>'
