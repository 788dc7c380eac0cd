// One import: how far it is, and which rows were refused.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { ContactImportRow } from '../../modules/audience/imports/imports.repository.ts'
import { AUDIENCE_STYLE } from '../contacts/audience-style.ts'
import { count } from '../contacts/contact-words.ts'
import { consolePage } from '../shell/console-page.ts'
import { withCode } from '../shell/form-problem.ts'
import { fragmentVersion } from '../shell/fragments.ts'
import { ADDRESS, importMark, pathOf } from './import-words.ts'

export type ImportProgress = {
  now: Date
  found: ContactImportRow
  ignoredColumns: string[]
  /** The first ones. */
  refusals: { line: number; reason: string }[]
  hasReport: boolean
}

export const importPage = ({ teamName, ...progress }: ImportProgress & { teamName: string }): string =>
  consolePage({
    title: 'Import',
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<p><a href="${ADDRESS}">← All imports</a></p>
<article class="sheet parts"><h1>Import of ${timeElement(progress.found.createdAt, progress.now)}</h1>
<div id="standing"${isOver(progress.found) ? '' : html` data-live="${pathOf(progress.found)}/progress" data-version="${fragmentVersion(importFragment(progress))}"`}>${standing(progress)}</div></article>
<div id="refusals">${refusedRows(progress)}</div>`,
  })

const isOver = ({ status }: ContactImportRow): boolean => status === 'completed' || status === 'failed'

/** The parts that change while the page is open, with the ids that they have there. */
export const importFragment = (progress: ImportProgress): SafeHtml =>
  html`<div id="standing">${standing(progress)}</div><div id="refusals">${refusedRows(progress)}</div>`

function standing({ found, ignoredColumns, now }: ImportProgress): SafeHtml {
  const { status, total, created, updated, skipped, failed, reason, completedAt } = found
  return html`<dl><dt>State</dt><dd>${importMark(status)}</dd>
${reason === null ? '' : html`<dt>Reason</dt><dd>${reason}</dd>`}
${completedAt === null ? '' : html`<dt>Ended</dt><dd>${timeElement(completedAt, now)}</dd>`}
${ignoredColumns.length === 0 ? '' : html`<dt>Ignored</dt><dd dir="auto">${ignoredColumns.join(', ')}</dd>`}</dl>
${isOver(found) ? '' : html`<progress aria-label="The import is running"></progress>`}
<dl class="counts">${Object.entries({ Rows: total, Created: created, Changed: updated, Skipped: skipped, Refused: failed }).map(([name, number]) => html`<div><dt>${name}</dt><dd>${count(number)}</dd></div>`)}</dl>
${status === 'completed' ? html`<p><a href="/console/contacts">See the contacts</a></p>` : ''}`
}

const refusedRows = ({ found, refusals, hasReport }: ImportProgress): SafeHtml =>
  refusals.length === 0
    ? html``
    : html`<section class="sheet"><h2>Refused rows</h2>
<ul class="rows">${refusals.map(({ line, reason }) => html`<li><strong>Line ${line}</strong> ${withCode(reason)}</li>`)}</ul>
${found.failed > refusals.length ? html`<p class="note">The first ${refusals.length} of ${count(found.failed)} are shown.</p>` : ''}
${hasReport ? html`<p><a class="button quiet" href="${pathOf(found)}/report">Download all of them</a></p>` : ''}</section>`
