// What a person got and did, newest first.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { TimelineEntry } from '../../modules/privacy/contact-timelines.repository.ts'
import { stateMark } from '../shell/state-marks.ts'

export type Timeline = {
  page: Page<TimelineEntry>
  /** The place after which this page begins; null if it is the first. */
  after: string | null
  /** The names of topics, by their ids. */
  topicNames: ReadonlyMap<string, string>
}

export const timelineList = ({ page, after, topicNames }: Timeline, { path, now }: { path: string; now: Date }): SafeHtml => html`${
  page.rows.length === 0
    ? html`<p class="soft">${after === null ? 'Nothing is known yet.' : 'Nothing older is known.'}</p>`
    : html`<ol class="rows" aria-label="Timeline">${page.rows.map((entry) => line(entry, { topicNames, now }))}</ol>`
}
<nav class="pages" aria-label="Pages of the timeline"><span>${after === null ? '' : html`<a href="${path}#timeline">← Newest</a>`}</span>
<span>${page.hasMore ? html`<a href="${path}?after=${page.rows.at(-1)?.id ?? ''}#timeline" rel="next">Older →</a>` : ''}</span></nav>`

type Known = { topicNames: ReadonlyMap<string, string>; now: Date }

const line = (entry: TimelineEntry, { topicNames, now }: Known): SafeHtml =>
  html`<li class="line"><span>${words(entry, topicNames)}</span> <span class="soft">${timeElement(entry.createdAt, now)}</span></li>`

function words({ kind, data }: TimelineEntry, topicNames: ReadonlyMap<string, string>): SafeHtml {
  switch (kind) {
    case 'email':
      return html`Email <a href="/console/emails/${data.emailId}" dir="auto">${data.subject || '(no subject)'}</a> ${stateMark(data.state)}`
    case 'act':
      return html`${ACT_WORDS[data.type] ?? data.type.replace('email.', '')} <a href="/console/emails/${data.emailId}">the email</a>${linkIn(data.detail)}`
    case 'contact':
      return changeWords(data, topicNames)
    case 'event':
      return html`Event <code><bdi>${data.name}</bdi></code>`
    case 'run':
      return html`Automation <a href="/console/automations/${data.automationId}/runs/${data.runId}"><bdi>${data.automation}</bdi></a> <span class="soft">${data.status}</span>`
  }
}

/** Keyed by the type of the event. */
const ACT_WORDS: Partial<Record<string, string>> = {
  'email.opened': 'Opened',
  'email.clicked': 'Clicked a link in',
  'email.bounced': 'Bounced:',
  'email.complained': 'Reported as spam:',
  'email.suppressed': 'Not sent, because the address is suppressed:',
  'email.failed': 'Not sent:',
  'email.answered': 'Answered',
}

/** Which link was followed. Only web addresses are shown. */
function linkIn(detail: Record<string, unknown> | null): SafeHtml {
  const click = detail?.click
  const link = typeof click === 'object' && click !== null && 'link' in click ? click.link : null
  return typeof link === 'string' ? html`: <bdi class="soft">${link}</bdi>` : html``
}

function changeWords(
  { type, unsubscribed, topics }: Extract<TimelineEntry, { kind: 'contact' }>['data'],
  names: ReadonlyMap<string, string>,
): SafeHtml {
  if (type === 'contact.created') return unsubscribed ? html`Added, unsubscribed` : html`Added`
  if (type !== 'contact.topics.updated') return unsubscribed ? html`Changed, unsubscribed since then or before` : html`Changed`
  return html`${(topics ?? []).map(
    ({ id, subscription }, place) =>
      html`${place === 0 ? '' : ', '}${subscription === 'opt_in' ? 'Opted in to' : 'Opted out of'} ${names.has(id) ? html`<bdi>${names.get(id) ?? ''}</bdi>` : 'a topic that was deleted'}`,
  )}`
}
