// The templates of a team.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { TemplateSummaryRow } from '../../modules/templates/template-versions.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { pager } from '../shell/pager.ts'
import { ADDRESS, templateAddress, templateMark } from './template-words.ts'
import { TEMPLATE_FILES } from './templates-style.ts'

export type TemplateListView = {
  teamName: string
  now: Date
  page: Page<TemplateSummaryRow>
  /** The id after which this page begins; null if it is the first page. */
  after: string | null
  /** What was done last, in a sentence. */
  note: string
}

export const templateListPage = ({ teamName, now, page, after, note }: TemplateListView): string =>
  consolePage({
    title: 'Templates',
    section: ADDRESS,
    teamName,
    files: TEMPLATE_FILES,
    main: html`<div class="head"><h1>Templates</h1><p class="note" role="status">${note}</p></div>
${page.rows.length > 0 ? table(page.rows, now) : after === null ? NOTHING_YET : html`<p class="sheet">There are no older templates.</p>`}
${pager(page, { address: ADDRESS, after })}`,
  })

const NOTHING_YET = html`<section class="sheet"><h2>No templates yet</h2>
<p>A template is an email that is written once and sent many times. A program creates it with <code>POST /templates</code>. Here you can look at it, publish it and go back to an older version.</p></section>`

const table = (rows: TemplateSummaryRow[], now: Date): SafeHtml => html`<table class="sheet list templates"><thead><tr>
<th scope="col">Template</th><th scope="col">State</th><th scope="col">Published</th><th scope="col">Changed</th>
</tr></thead><tbody>${rows.map((row) => line(row, now))}</tbody></table>`

const line = (row: TemplateSummaryRow, now: Date): SafeHtml => html`<tr>
<th scope="row"><a href="${templateAddress(row)}" dir="auto">${row.name}</a>${row.alias === null ? '' : html`<div class="soft">${row.alias}</div>`}</th>
<td>${templateMark(row)}</td>
<td class="soft"><span class="only-slim">published: </span>${row.publishedAt === null ? 'never' : timeElement(row.publishedAt, now)}</td>
<td class="soft"><span class="only-slim">changed: </span>${timeElement(row.updatedAt, now)}</td></tr>`
