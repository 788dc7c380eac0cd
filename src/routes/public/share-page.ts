import { html, page } from '../../lib/html.ts'
import type { EmailRow } from '../../repositories/emails.ts'

/** An email for somebody who has the link: its headers, and its content in a sandboxed frame. */
export function sharedEmailPage(email: EmailRow): string {
  const content =
    email.html === null
      ? html`<pre class="text">${email.text ?? ''}</pre>`
      : html`<iframe title="Content of the email" sandbox srcdoc="${`<base target="_blank">${email.html}`}"></iframe>`
  return page(
    email.subject || '(no subject)',
    html`<header>
      <h1>${email.subject || '(no subject)'}</h1>
      <dl>
        <dt>From</dt><dd>${email.from}</dd>
        <dt>To</dt><dd>${email.to.join(', ')}</dd>
        ${email.cc.length > 0 ? html`<dt>Cc</dt><dd>${email.cc.join(', ')}</dd>` : ''}
        <dt>Date</dt><dd><time datetime="${email.createdAt.toISOString()}">${email.createdAt.toUTCString()}</time></dd>
      </dl>
    </header>
    <main>${content}</main>`,
  )
}

export const errorPage = (message: string): string =>
  page('Link not valid', html`<main class="notice"><h1>This link does not work</h1><p>${message}</p></main>`)
