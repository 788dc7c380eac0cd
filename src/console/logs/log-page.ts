// One request with both bodies, and what it was about.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { RequestLogRow } from '../../modules/logs/logs.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type Sender, senderWords } from '../shell/senders.ts'
import { ADDRESS, statusMark } from './log-words.ts'
import { type RelatedRecord, relatedRecords } from './related-records.ts'

export type LogView = { teamName: string; now: Date; log: RequestLogRow; sender: Sender | null }

export function logPage({ teamName, now, log, sender }: LogView): string {
  const related = relatedRecords(log)
  return consolePage({
    title: `${log.method} ${log.endpoint}`,
    section: ADDRESS,
    teamName,
    main: html`<p><a href="${ADDRESS}">← All requests</a></p>
<article class="sheet parts">
<h1>${log.method} <bdi>${log.endpoint}</bdi></h1>
<dl><dt>Status</dt><dd>${statusMark(log.responseStatus)}</dd>
<dt>Time</dt><dd>${timeElement(log.createdAt, now)}</dd>
${sender === null ? '' : html`<dt>Sent with</dt><dd>${senderWords(sender)} (<a href="${ADDRESS}?key=${sender.id}">its requests</a>)</dd>`}
${log.userAgent === null ? '' : html`<dt>Program</dt><dd>${log.userAgent}</dd>`}
${related.length === 0 ? '' : html`<dt>About</dt><dd>${related.map(relatedLink)}</dd>`}
<dt>Id</dt><dd class="code">${log.id}</dd></dl>
</article>
${body('Request body', log.requestBody, log.requestBodyTruncated)}
${body('Response body', log.responseBody, log.responseBodyTruncated)}`,
  })
}

const relatedLink = ({ address, name }: RelatedRecord): SafeHtml => html`<div><a href="${address}">${name}</a></div>`

const body = (name: string, value: unknown, isCut: boolean): SafeHtml => html`<section class="sheet parts"><h2>${name}</h2>
${value === null ? html`<p class="soft">None, or none that is kept.</p>` : html`<pre class="code" tabindex="0" role="region" aria-label="${name}">${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>`}
${isCut ? html`<p class="note">This is its beginning: longer bodies are cut.</p>` : ''}</section>`
