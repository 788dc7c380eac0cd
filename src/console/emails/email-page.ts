import { html, type SafeHtml } from '@remix-run/html-template'
import { shortBeginning } from '../../lib/main-thread.ts'
import { SHOWN_LENGTH_MAX } from '../../mail/html/contained-html.ts'
import { textFromHtml } from '../../mail/html/text-from-html.ts'
import type { CapturedAttachmentRow } from '../../modules/emails/captured-emails.repository.ts'
import type { EmailRow } from '../../modules/emails/emails.repository.ts'
import { framed, REMOTE_IMAGES_LEFT_OUT } from '../../modules/sharing/frame/email-frame.ts'
import { consolePage } from '../shell/console-page.ts'
import { fragmentVersion } from '../shell/fragments.ts'
import { emailFacts } from './email-facts.ts'
import { type EmailActs, emailForms } from './email-forms.ts'
import type { MessageSource } from './email-message.ts'
import { progressFragment, progressSections } from './email-progress.ts'
import type { ShownRelations } from './email-relations.ts'
import { emailStanding, type Progress } from './email-standing.ts'
import { EMAIL_FILES } from './emails-style.ts'

export const EMAIL_VIEWS = ['html', 'text', 'headers', 'source'] as const
export type EmailView = (typeof EMAIL_VIEWS)[number]

export type EmailPage = EmailActs & {
  teamName: string
  email: EmailRow
  relations: ShownRelations
  view: EmailView
  hasRemoteImages: boolean
  showsRemoteImages: boolean
  /** Only for the views of headers and source; null until its files have arrived. */
  source: MessageSource | null
  attachments: CapturedAttachmentRow[]
  progress: Progress
  /** What was done last, in a sentence. */
  note: string
}

export function emailPage(page: EmailPage): string {
  const { teamName, email, relations, attachments, progress, note } = page
  const { now } = progress
  const subject = email.subject || '(no subject)'
  return consolePage({
    title: subject,
    section: '/console/emails',
    teamName,
    files: EMAIL_FILES,
    main: html`<div class="head"><p><a href="/console/emails">← All mail</a></p><p class="note" role="status">${note}</p></div>
<article class="sheet">
<h1 dir="auto">${subject}</h1>
<div id="standing">${emailStanding(progress)}</div>
${emailFacts(email, relations, now)}
</article>
${emailForms(page)}
<section class="sheet" aria-label="Content">
<nav class="tabs" aria-label="Views of the content">${EMAIL_VIEWS.map((one) => tab(email, one, page.view))}</nav>
${contentOf(page)}
</section>
${attachments.length > 0 ? files(email, attachments) : ''}
<div id="progress" data-live="/console/emails/${email.id}/progress" data-version="${fragmentVersion(progressFragment(progress))}">${progressSections(progress)}</div>`,
  })
}

const NAMES: Record<EmailView, string> = { html: 'HTML', text: 'Text', headers: 'Headers', source: 'Source' }

function tab({ id, html: content }: EmailRow, one: EmailView, current: EmailView): SafeHtml {
  if (one === 'html' && content === null) return html``
  return one === current
    ? html`<a href="/console/emails/${id}?view=${one}" aria-current="page">${NAMES[one]}</a>`
    : html`<a href="/console/emails/${id}?view=${one}">${NAMES[one]}</a>`
}

function contentOf(page: EmailPage): SafeHtml {
  const { email, source } = page
  switch (page.view) {
    case 'html':
      return frame(page)
    case 'text':
      return textOf(email)
    case 'headers':
      return source === null ? NOT_THERE_YET : headersOf(source)
    case 'source':
      return source === null ? NOT_THERE_YET : sourceOf(email, source)
  }
}

const NOT_THERE_YET = html`<p class="note">Files of this email are still being fetched. Look again when they are there.</p>`

function frame({ email: { id, html: content }, hasRemoteImages, showsRemoteImages }: EmailPage): SafeHtml {
  if (!content) return html`<p class="note">This email has no HTML.</p>`
  const question = showsRemoteImages
    ? html`<p class="ask note">Images from other servers are loaded. <a href="/console/emails/${id}">Do not load them</a></p>`
    : html`<p class="ask note">${REMOTE_IMAGES_LEFT_OUT} <a href="/console/emails/${id}?remote=yes">Load remote images</a></p>`
  const isCut = content.length > SHOWN_LENGTH_MAX ? html`<p class="note">This is the beginning. The message has all of it.</p>` : ''
  return html`${hasRemoteImages ? question : ''}${isCut}
${framed({ title: 'Content of the email', address: `/console/emails/${id}/html${showsRemoteImages ? '?remote=yes' : ''}` })}`
}

/** More than anyone reads. */
const TEXT_LENGTH_MAX = 256 * 1024

function textOf({ html: content, text }: EmailRow): SafeHtml {
  const read = shortBeginning(content ?? '')
  const shown = text ?? textFromHtml(read)
  if (shown === '') return html`<p class="note">This email has no text.</p>`
  const isMade = text === null ? html`<p class="ask note">Made from the HTML, as it is sent.</p>` : ''
  const isBeginning = shown.length > TEXT_LENGTH_MAX || (text === null && read.length < (content ?? '').length)
  const isCut = isBeginning ? html`<p class="note">This is the beginning. The message has all of it.</p>` : ''
  return html`${isMade}<pre class="prose" dir="auto" tabindex="0" role="region" aria-label="Text of the email">${shown.slice(0, TEXT_LENGTH_MAX)}</pre>${isCut}`
}

export function headersOf({ text }: Pick<MessageSource, 'text'>): SafeHtml {
  const [head = ''] = text.split('\r\n\r\n', 1)
  // A line that begins with a space continues the one before (RFC 5322, section 2.2.3).
  const fields = head.replace(/\r\n(?=[ \t])/g, '').split('\r\n')
  return html`<dl class="code">${fields.map(headerField)}</dl>`
}

function headerField(line: string): SafeHtml {
  const colon = line.indexOf(':')
  return html`<dt>${line.slice(0, colon)}</dt><dd>${line.slice(colon + 1).trim()}</dd>`
}

const sourceOf = ({ id }: EmailRow, { text, isCut }: MessageSource): SafeHtml =>
  html`<p class="ask note"><span>${isCut ? 'The beginning of the message as it is sent.' : 'The message as it is sent.'} If it is tracked, each recipient gets links, an image and a signature of their own.</span> <a href="/console/emails/${id}/message">Download all of it</a></p>
<pre class="code" tabindex="0" role="region" aria-label="Source of the message">${text}</pre>`

const files = ({ id }: EmailRow, attachments: CapturedAttachmentRow[]): SafeHtml => html`<section class="sheet"><h2>Attachments</h2>
<ul class="rows">${attachments.map((file) => attachmentLine(id, file))}</ul></section>`

function attachmentLine(emailId: string, { id, filename, contentType, contentId, size, blobKey }: CapturedAttachmentRow): SafeHtml {
  const name = html`<bdi>${filename ?? 'attachment'}</bdi>`
  const inline = contentId === null ? '' : html` · inline as <span class="code">${contentId}</span>`
  return html`<li class="line">${blobKey === null ? html`<span>${name}</span>` : html`<a href="/console/emails/${emailId}/attachments/${id}">${name}</a>`}
<span class="soft">${contentType} · ${blobKey === null ? 'not fetched yet' : sizeOf(size)}${inline}</span></li>`
}

const KB = 1_024
function sizeOf(bytes: number): string {
  if (bytes < KB) return `${bytes} bytes`
  return bytes < KB * KB ? `${(bytes / KB).toFixed(1)} KB` : `${(bytes / KB / KB).toFixed(1)} MB`
}
