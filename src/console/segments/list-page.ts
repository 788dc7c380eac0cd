// The segments of a team, newest first.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { SegmentSummaryRow } from '../../modules/audience/segments/segments.repository.ts'
import { AUDIENCE_STYLE } from '../contacts/audience-style.ts'
import { consolePage } from '../shell/console-page.ts'
import { pager } from '../shell/pager.ts'
import { type Removal, removalSection } from './removal-progress.ts'
import { ADDRESS, pathOf } from './segment-words.ts'

export type SegmentListView = {
  teamName: string
  now: Date
  page: Page<SegmentSummaryRow>
  after: string | null
  /** The removal of the segment that was just deleted. */
  removal: Removal | null
  note: string
}

export const segmentListPage = ({ teamName, now, page, after, removal, note }: SegmentListView): string =>
  consolePage({
    title: 'Segments',
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<div class="head"><h1>Segments</h1><p class="note" role="status">${note}</p><p><a class="button" href="${ADDRESS}/new">New segment</a></p></div>
${removalSection(removal)}
${page.rows.length > 0 ? table(page.rows, now) : after === null ? NOTHING_YET : html`<p class="sheet">There are no older segments.</p>`}
${pager(page, { address: ADDRESS, after })}`,
  })

const NOTHING_YET = html`<section class="sheet"><h2>No segments yet</h2>
<p>A segment is a group of contacts that gets a broadcast. You add contacts to it one by one or by an import, or it has a filter, which finds them: everyone in a city, everyone who was added this month. <a href="${ADDRESS}/new">Create one</a>.</p></section>`

const table = (rows: SegmentSummaryRow[], now: Date): SafeHtml => html`<table class="sheet list"><thead><tr>
<th scope="col">Name</th><th scope="col">Created</th></tr></thead>
<tbody>${rows.map((row) => html`<tr><th scope="row"><a href="${pathOf(row)}" dir="auto">${row.name}</a></th><td class="soft"><span class="only-slim">created </span>${timeElement(row.createdAt, now)}</td></tr>`)}</tbody></table>`
