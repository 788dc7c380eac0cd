import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import { SHOWN_LENGTH_MAX } from '../../mail/html/contained-html.ts'
import type { ReceivedAttachmentRow, ReceivedEmailRow } from '../../modules/inbound/received.repository.ts'
import { framed, REMOTE_IMAGES_LEFT_OUT } from '../../modules/sharing/frame/email-frame.ts'
import { EMAIL_FILES } from '../emails/emails-style.ts'
import { consolePage } from '../shell/console-page.ts'
import { ADDRESS } from './list-page.ts'
import { verdicts } from './verdicts.ts'

export const RECEIVED_VIEWS = ['html', 'text', 'headers'] as const
export type ReceivedPageView = (typeof RECEIVED_VIEWS)[number]

export type ReceivedPage = {
  teamName: string
  now: Date
  email: ReceivedEmailRow
  /** The contact who wrote it; null if none has the address. */
  senderId: string | null
  view: ReceivedPageView
  hasRemoteImages: boolean
  showsRemoteImages: boolean
  rawUrl: string
  fileUrlOf: (attachmentId: string) => string
}

/** More than anyone reads. */
const TEXT_LENGTH_MAX = 256 * 1024

export function receivedPage(page: ReceivedPage): string {
  const { teamName, now, email, senderId, view, rawUrl, fileUrlOf } = page
  const subject = email.subject || '(no subject)'
  return consolePage({
    title: subject,
    section: ADDRESS,
    teamName,
    files: EMAIL_FILES,
    main: html`<p><a href="${ADDRESS}">← All received mail</a></p>
<article class="sheet">
<h1 dir="auto">${subject}</h1>
${email.problem === null ? '' : html`<p class="note">${email.problem}</p>`}
${facts(email, senderId, now)}
<p><a href="${rawUrl}">Download the raw message</a></p>
</article>
<section class="sheet" aria-label="Content">
<nav class="tabs" aria-label="Views of the content">${RECEIVED_VIEWS.map((one) => tab(email, one, view))}</nav>
${contentOf(page)}
</section>
${email.attachments.length === 0 ? '' : files(email.attachments, fileUrlOf)}`,
  })
}

function facts(email: ReceivedEmailRow, senderId: string | null, now: Date): SafeHtml {
  const { from, to, cc, replyTo, receivedFor, messageId, inReplyToEmailId, sentEmailId, isAutoReply, createdAt, id } = email
  return html`<dl><dt>From</dt><dd>${senderId === null ? html`<bdi>${from || 'no sender'}</bdi>` : html`<a href="/console/contacts/${senderId}"><bdi>${from}</bdi></a>`}</dd>
${addresses('To', to)}${addresses('Cc', cc)}${addresses('Reply to', replyTo)}${addresses('Delivered to', receivedFor)}
<dt>Received</dt><dd>${timeElement(createdAt, now)}</dd>
${verdicts(email)}
${isAutoReply ? html`<dt>Written by</dt><dd>a program, as an automatic reply</dd>` : ''}
${inReplyToEmailId === null ? '' : html`<dt>Answers</dt><dd><a href="/console/emails/${inReplyToEmailId}">an email of your team</a></dd>`}
${sentEmailId === null ? '' : html`<dt>Is</dt><dd><a href="/console/emails/${sentEmailId}">an email of your team</a>, which came back</dd>`}
${messageId === null ? '' : html`<dt>Message-ID</dt><dd class="code">${messageId}</dd>`}
<dt>Id</dt><dd class="code">${id}</dd></dl>`
}

const ADDRESSES_SHOWN_MAX = 20

const addresses = (name: string, all: string[]): SafeHtml =>
  all.length === 0
    ? html``
    : html`<dt>${name}</dt><dd><bdi>${all.slice(0, ADDRESSES_SHOWN_MAX).join(', ')}</bdi>${all.length > ADDRESSES_SHOWN_MAX ? html` and ${all.length - ADDRESSES_SHOWN_MAX} more` : ''}</dd>`

const NAMES: Record<ReceivedPageView, string> = { html: 'HTML', text: 'Text', headers: 'Headers' }

function tab({ id, html: content }: ReceivedEmailRow, one: ReceivedPageView, current: ReceivedPageView): SafeHtml {
  if (one === 'html' && content === null) return html``
  return one === current
    ? html`<a href="${ADDRESS}/${id}?view=${one}" aria-current="page">${NAMES[one]}</a>`
    : html`<a href="${ADDRESS}/${id}?view=${one}">${NAMES[one]}</a>`
}

function contentOf(page: ReceivedPage): SafeHtml {
  if (page.view === 'headers') return headers(page.email.headers)
  return page.view === 'html' ? frame(page) : textOf(page.email)
}

function frame({ email: { id, html: content }, hasRemoteImages, showsRemoteImages }: ReceivedPage): SafeHtml {
  if (!content) return html`<p class="note">This email has no HTML.</p>`
  const question = showsRemoteImages
    ? html`<p class="ask note">Images from other servers are loaded. <a href="${ADDRESS}/${id}">Do not load them</a></p>`
    : html`<p class="ask note">${REMOTE_IMAGES_LEFT_OUT} <a href="${ADDRESS}/${id}?remote=yes">Load remote images</a></p>`
  const isCut = content.length > SHOWN_LENGTH_MAX ? html`<p class="note">This is the beginning. The message has all of it.</p>` : ''
  return html`${hasRemoteImages ? question : ''}${isCut}
${framed({ title: 'Content of the email', address: `${ADDRESS}/${id}/html${showsRemoteImages ? '?remote=yes' : ''}` })}`
}

function textOf({ text }: ReceivedEmailRow): SafeHtml {
  if (!text) return html`<p class="note">This email has no text.</p>`
  const isCut = text.length > TEXT_LENGTH_MAX ? html`<p class="note">This is the beginning. The message has all of it.</p>` : ''
  return html`<pre class="prose" dir="auto" tabindex="0" role="region" aria-label="Text of the email">${text.slice(0, TEXT_LENGTH_MAX)}</pre>${isCut}`
}

const headers = (stored: ReceivedEmailRow['headers']): SafeHtml =>
  html`<dl class="code">${Object.entries(stored ?? {}).map(([name, value]) => html`<dt>${name}</dt><dd>${String(value)}</dd>`)}</dl>`

const files = (
  attachments: ReceivedAttachmentRow[],
  urlOf: ReceivedPage['fileUrlOf'],
): SafeHtml => html`<section class="sheet"><h2>Attachments</h2>
<ul class="rows">${attachments.map(
  ({ id, filename, contentType, size }) => html`<li class="line"><a href="${urlOf(id)}"><bdi>${filename ?? 'attachment'}</bdi></a>
<span class="soft">${contentType} · ${size.toLocaleString('en')} bytes</span></li>`,
)}</ul></section>`
