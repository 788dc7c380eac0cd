import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { SearchPage } from '../../lib/validation/common.schema.ts'
import type { ReceivedSummaryRow } from '../../modules/inbound/received.repository.ts'
import { EMAILS_STYLE } from '../emails/emails-style.ts'
import { consolePage } from '../shell/console-page.ts'
import { lineText, PART_LENGTH_MAX } from '../shell/line-text.ts'
import { pager } from '../shell/pager.ts'

export const ADDRESS = '/console/received'

/** Addresses that are looked for; empty ones match any. */
export type Sought = { to: string; from: string }

export type ReceivedListView = {
  teamName: string
  now: Date
  page: SearchPage<ReceivedSummaryRow>
  /** The id after which this page begins; null if it is the first. */
  after: string | null
  /** The id before which it ends; null if it was not reached from an older one. */
  before: string | null
  sought: Sought
  /** Where the team receives mail without a domain of its own; null if nowhere. */
  ownAddress: string | null
}

export function receivedListPage({ teamName, now, page, after, before, sought, ownAddress }: ReceivedListView): string {
  return consolePage({
    title: 'Received',
    section: ADDRESS,
    teamName,
    files: [EMAILS_STYLE],
    main: html`<div class="head"><h1>Received</h1>${searchForm(sought)}</div>
${ownAddress === null ? '' : html`<p class="note">Mail to any address at <span class="code">${ownAddress}</span> is received too.</p>`}
${page.rows.length > 0 ? html`<ul class="emails">${page.rows.map((row) => line(row, now))}</ul>` : nothing(sought, { after, searchedTo: page.searchedTo })}
${pager(page, { address: ADDRESS, after, before, sought: namedIn(sought) })}`,
  })
}

const namedIn = (sought: Sought): Record<string, string> =>
  Object.fromEntries(Object.entries(sought).filter(([, address]) => address !== ''))

/** The first page of what is looked for. */
export function listAddress(sought: Sought): string {
  const query = new URLSearchParams(namedIn(sought)).toString()
  return query === '' ? ADDRESS : `${ADDRESS}?${query}`
}

const searchForm = ({ to, from }: Sought): SafeHtml => html`<form class="search" role="search" action="${ADDRESS}">
<input type="search" name="to" value="${to}" maxlength="320" placeholder="Delivered to" aria-label="Address that it was delivered to">
<input type="search" name="from" value="${from}" maxlength="320" placeholder="From" aria-label="Address of the sender">
<button class="quiet">Search</button>
</form>`

const line = ({ id, from, receivedFor, subject, attachments, problem, createdAt }: ReceivedSummaryRow, now: Date): SafeHtml =>
  html`<li id="${id}"><a href="${ADDRESS}/${id}"><span class="what"><span class="subject" dir="auto">${lineText(subject || '(no subject)')}</span> ${attachments.length > 0 ? html`<span class="soft">${filesCount(attachments.length)}</span>` : ''}</span> <span class="who"><bdi>${lineText(from || 'no sender', PART_LENGTH_MAX)}</bdi> to <bdi>${lineText(receivedFor[0] ?? '', PART_LENGTH_MAX)}</bdi></span> ${problem === null ? '' : html`<span class="state bounced">incomplete</span>`} ${timeElement(createdAt, now)}</a></li>`

const filesCount = (count: number): string => (count === 1 ? '1 file' : `${count} files`)

function nothing({ to, from }: Sought, { after, searchedTo }: { after: string | null; searchedTo: string | null }): SafeHtml {
  if (searchedTo !== null) return html`<p class="sheet">No such email was found among those that were searched. There may be others.</p>`
  if (to !== '' || from !== '') return html`<p class="sheet">No such email was received. <a href="${ADDRESS}">Show all</a></p>`
  if (after !== null) return html`<p class="sheet">There is no older mail.</p>`
  return html`<section class="sheet"><h2>No mail yet</h2>
<p>Mail to your domains appears here. Switch on receiving for a <a href="/console/domains">domain</a>, and publish its record.</p></section>`
}
