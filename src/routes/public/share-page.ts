import { type Html, html, page } from '../../lib/html.ts'
import type { EmailRow } from '../../repositories/emails.ts'

/** An email for somebody who has the link: its headers, and its content in a sandboxed frame. Who got a blind copy is not said. */
export function sharedEmailPage(email: EmailRow): string {
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
<main>${contentOf(email)}</main>`,
  )
}

export const errorPage = (message: string): string =>
  page('Link not valid', html`<main class="notice"><h1>This link does not work</h1><p>${message}</p></main>`)

function contentOf({ html: content, text }: EmailRow): Html {
  if (content === null) return text ? html`<pre class="text">${text}</pre>` : html`<p class="note">This email has no content.</p>`
  // A link may open a tab of its own, free of the sandbox; nothing else gets out of the frame.
  return html`${hasRemotePictures(content) ? html`<p class="note">Pictures from other servers are not shown: they could tell the sender that you opened this page.</p>` : ''}
<iframe title="Content of the email" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${`${FRAME_START}${content}`}"></iframe>`
}

/** Links open in a new tab, and an email that names no font is not shown in the browser's oldest one. */
const FRAME_START = '<base target="_blank"><style>:where(body) { font: 16px/1.5 system-ui, sans-serif }</style>'

/** Only decides about the note; what may be loaded is decided by the policy in the header. */
const hasRemotePictures = (content: string): boolean => /<img\b[^>]*\bsrc\s*=\s*["']?\s*(https?:)?\/\//i.test(content)

const readable = (time: Date): string => `${time.toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' })} UTC`
