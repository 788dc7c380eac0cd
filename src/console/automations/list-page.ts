// The automations of a team, newest first, with their runs by state.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { AutomationSummaryRow } from '../../modules/automations/automations.repository.ts'
import type { RunCounts } from '../../modules/automations/runs/run-records.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { pager } from '../shell/pager.ts'
import { ADDRESS, automationAddress, automationMark } from './automation-words.ts'
import { AUTOMATIONS_STYLE } from './automations-style.ts'
import { runCountWords } from './run-count-words.ts'

export type AutomationListView = {
  teamName: string
  now: Date
  page: Page<AutomationSummaryRow>
  counts: ReadonlyMap<string, RunCounts>
  after: string | null
}

export const automationListPage = ({ teamName, now, page, counts, after }: AutomationListView): string =>
  consolePage({
    title: 'Automations',
    section: ADDRESS,
    teamName,
    files: [AUTOMATIONS_STYLE],
    main: html`<div class="head"><h1>Automations</h1></div>
${page.rows.length > 0 ? table(page.rows, counts, now) : after === null ? NOTHING_YET : html`<p class="sheet">There are no older automations.</p>`}
${pager(page, { address: ADDRESS, after })}`,
  })

const NOTHING_YET = html`<section class="sheet"><h2>No automations yet</h2>
<p>An automation says what contacts get when something happens to them. <a href="/docs">Create one over the API</a>; here you see its steps and its runs.</p></section>`

const table = (
  rows: AutomationSummaryRow[],
  counts: AutomationListView['counts'],
  now: Date,
): SafeHtml => html`<table class="sheet list"><thead><tr>
<th scope="col">Name</th><th scope="col">State</th><th scope="col">Runs</th><th scope="col">Changed</th>
</tr></thead><tbody>${rows.map((row) => line(row, counts.get(row.id), now))}</tbody></table>`

const line = (row: AutomationSummaryRow, counts: RunCounts | undefined, now: Date): SafeHtml => html`<tr>
<th scope="row"><a href="${automationAddress(row)}">${row.name}</a></th>
<td>${automationMark(row.status)}</td>
<td class="soft">${counts === undefined ? '' : runCountWords(counts)}</td>
<td class="soft"><span class="only-slim">changed </span>${timeElement(row.updatedAt, now)}</td></tr>`
