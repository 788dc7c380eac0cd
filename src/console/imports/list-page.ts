// The imports of a team, newest first, and the form that takes a file.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { ContactImportRow } from '../../modules/audience/imports/imports.repository.ts'
import { AUDIENCE_STYLE } from '../contacts/audience-style.ts'
import { count } from '../contacts/contact-words.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { pager } from '../shell/pager.ts'
import { ADDRESS, importMark, pathOf } from './import-words.ts'

export type ImportListView = {
  teamName: string
  now: Date
  page: Page<ContactImportRow>
  after: string | null
  bytesMax: number
  problem: FormProblem | null
}

const MIB = 1024 * 1024

export const importListPage = ({ teamName, now, page, after, bytesMax, problem }: ImportListView): string =>
  consolePage({
    title: 'Imports',
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<div class="head"><h1>Imports</h1></div>
<section class="sheet"><h2>Import contacts from a file</h2>
<form class="fields" method="post" action="${ADDRESS}/upload" enctype="multipart/form-data">
${problemNote(problem, [])}
<div><label for="file">CSV file</label><input type="file" id="file" name="file" accept=".csv,.txt,.tsv,text/csv" required>
<p class="note">Its first line names the columns, and one of them holds addresses. At most ${count(Math.floor(bytesMax / MIB))} MB. You choose the columns next; nothing is imported before.</p></div>
<div><button>Upload the file</button></div></form></section>
${page.rows.length > 0 ? table(page.rows, now) : after === null ? html`<p class="sheet">No file was imported yet.</p>` : html`<p class="sheet">There are no older imports.</p>`}
${pager(page, { address: ADDRESS, after })}`,
  })

const table = (rows: ContactImportRow[], now: Date): SafeHtml => html`<table class="sheet list"><thead><tr>
<th scope="col">Import</th><th scope="col">State</th><th scope="col">Rows</th><th scope="col">Refused</th></tr></thead>
<tbody>${rows.map(
  (row) => html`<tr><th scope="row"><a href="${pathOf(row)}">${timeElement(row.createdAt, now)}</a></th><td>${importMark(row.status)}</td>
<td class="soft">${count(row.total)}<span class="only-slim"> rows</span></td><td class="soft">${count(row.failed)}<span class="only-slim"> refused</span></td></tr>`,
)}</tbody></table>`
