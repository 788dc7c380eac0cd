import { type Html, html, page } from '../../lib/html.ts'
import { containedHtml, SHOWN_LENGTH_MAX } from '../../mail/contained-html.ts'
import { mentionsRemoteImages } from '../../mail/remote-images.ts'
import type { EmailRow } from '../../repositories/emails.ts'
import { FRAME_SANDBOX } from './email-frame.ts'

export type ShownInline = (contentId: string) => string | null

/** An email for somebody who has the link: its headers, and its content in a sandboxed frame. Who got a blind copy is not said. */
export function sharedEmailPage(email: EmailRow, addressOf: ShownInline): string {
  const subject = email.subject || '(no subject)'
  return page(
    subject,
    html`<header>
<h1>${subject}</h1>
<dl>
<dt>From</dt><dd>${email.from}</dd>
<dt>To</dt><dd>${email.to.join(', ')}</dd>
${email.cc.length > 0 ? html`<dt>Cc</dt><dd>${email.cc.join(', ')}</dd>` : ''}
<dt>Date</dt><dd><time datetime="${email.createdAt.toISOString()}">${readable(email.createdAt)}</time></dd>
</dl>
</header>
<main>${contentOf(email, addressOf)}</main>`,
  )
}

export const errorPage = (message: string): string =>
  page('Link not valid', html`<main class="notice"><h1>This link does not work</h1><p>${message}</p></main>`)

function contentOf({ html: content, text }: EmailRow, addressOf: ShownInline): Html {
  if (content === null) return text ? html`<pre class="text">${text}</pre>` : html`<p class="note">This email has no content.</p>`
  return html`${mentionsRemoteImages(content) ? REMOTE_IMAGES : ''}${content.length > SHOWN_LENGTH_MAX ? BEGINNING : ''}
<iframe title="Content of the email" sandbox="${FRAME_SANDBOX}" srcdoc="${`${FRAME_START}${containedHtml(content, addressOf)}`}"></iframe>`
}

const REMOTE_IMAGES = html`<p class="note">Pictures from other servers are not shown: they could tell the sender that you opened this page.</p>`
const BEGINNING = html`<p class="note">This email is very long. Only its beginning is shown.</p>`

/** An email that names no font is not shown in the browser's oldest one. */
const FRAME_START = '<style>:where(body) { font: 16px/1.5 system-ui, sans-serif }</style>'

const readable = (time: Date): string => `${time.toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' })} UTC`
