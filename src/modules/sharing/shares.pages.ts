import { html, type SafeHtml } from '@remix-run/html-template'
import { BRAND_STYLE, type Brand, brandBand, brandParts } from '../../http/pages/brand.ts'
import { COMMON_STYLE, digestSource, pageDocument, TIMES_SCRIPT, timeElement } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'
import { SHOWN_LENGTH_MAX } from '../../mail/html/contained-html.ts'
import type { EmailRow } from '../emails/emails.repository.ts'
import {
  FIT_SCRIPT,
  FRAME_SANDBOX,
  FRAME_SCRIPT_SOURCE,
  FRAME_STYLE,
  REMOTE_IMAGES_LEFT_OUT,
  withFrameScript,
} from './frame/email-frame.ts'
import type { FramedHtml } from './frame/framed-html.ts'

// What all pages under /share have in common.

/** Part of the page, because a stranger opens it once and then needs only its own address. */
const STYLE = COMMON_STYLE + BRAND_STYLE + FRAME_STYLE + readSourceFile('share.css', import.meta)
const SCRIPT = TIMES_SCRIPT + FIT_SCRIPT

export const shell = (title: string, body: SafeHtml, head: SafeHtml | '' = ''): string =>
  pageDocument({
    title,
    head: html`<style>${html.raw`${STYLE}`}</style>${head}
<script type="module">${html.raw`${SCRIPT}`}</script>`,
    body,
  })

/**
 * Two scripts run, by their digests: that of the page writes its times and makes the frame as high as the email, and that of the frame measures it.
 * The frame takes on this policy and is of no origin, so no script of the email runs. Pictures, fonts and styles of other servers are not loaded,
 * because they would tell the sender who opened the link, when and where. Its inline images are our own.
 */
export const PAGE_POLICY = `default-src 'none'; script-src ${digestSource(SCRIPT)} ${FRAME_SCRIPT_SOURCE}; style-src 'unsafe-inline'; img-src data: 'self'; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** `from` is null if a received email names no sender. */
export type SharedEmail = { from: string | null } & Pick<EmailRow, 'to' | 'cc' | 'subject' | 'createdAt' | 'text'> & {
    /** Null if it has none. */
    framed: (FramedHtml & { hasRemoteImages: boolean }) | null
  }

/** An email for people who have the link: its headers, and its content in a sandboxed frame. Bcc recipients are not shown. */
export function sharedEmailPage({ brand, ...email }: SharedEmail & { brand: Brand | null }, now: Date): string {
  const subject = email.subject || '(no subject)'
  const { head, isShown } = brandParts(brand)
  return shell(
    subject,
    html`<header>
${brand && isShown ? brandBand(brand) : ''}<h1>${subject}</h1>
<dl>
<dt>From</dt><dd>${email.from ?? 'This email names no sender.'}</dd>
<dt>To</dt><dd>${email.to.join(', ')}</dd>
${email.cc.length > 0 ? html`<dt>Cc</dt><dd>${email.cc.join(', ')}</dd>` : ''}
<dt>Date</dt><dd>${timeElement(email.createdAt, now)}</dd>
</dl>
</header>
<main>${renderContent(email)}</main>`,
    head,
  )
}

export const errorPage = (message: string): string =>
  shell('Link not valid', html`<main class="notice"><h1>This link does not work</h1><p>${message}</p></main>`)

export const busyPage = (message: string): string =>
  shell('One moment', html`<main class="notice"><h1>This page cannot be shown right now</h1><p>${message}</p></main>`)

function renderContent({ framed, text }: SharedEmail): SafeHtml {
  if (framed === null) return renderText(text ?? '')
  return html`${framed.hasRemoteImages ? REMOTE_IMAGES : ''}${framed.isCut ? BEGINNING : ''}
<iframe title="Content of the email" sandbox="${FRAME_SANDBOX}" srcdoc="${withFrameScript(`${FRAME_START}${framed.html}`)}"></iframe>`
}

function renderText(text: string): SafeHtml {
  if (text === '') return html`<p class="note">This email has no content.</p>`
  return html`${text.length > SHOWN_LENGTH_MAX ? BEGINNING : ''}<pre>${text.slice(0, SHOWN_LENGTH_MAX)}</pre>`
}

const REMOTE_IMAGES = html`<p class="note">${REMOTE_IMAGES_LEFT_OUT}</p>`
const BEGINNING = html`<p class="note">This email is very long. Only its beginning is shown.</p>`

/** Otherwise an email that names no font is shown in the browser's oldest one. */
const FRAME_START = '<style>:where(body) { font: 16px/1.5 system-ui, sans-serif }</style>'
