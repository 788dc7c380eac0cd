// The domains of a team, and the form that adds one.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { DomainRow } from '../../modules/domains/domain-rows.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, isAbout, problemNote } from '../shell/form-problem.ts'
import { pager } from '../shell/pager.ts'
import { stateMark } from '../shell/state-marks.ts'
import { nameField, returnPathField, settingFields } from './domain-fields.ts'
import type { DomainForm } from './domain-forms.ts'
import { DOMAIN_FILES } from './domains-style.ts'

export type DomainListView = {
  teamName: string
  now: Date
  page: Page<DomainRow>
  /** The id after which this page begins; null if it is the first page. */
  after: string | null
  /** What was typed, or the defaults. */
  form: DomainForm
  problem: FormProblem | null
  /** What was done last, in a sentence. */
  note: string
}

const ADDRESS = '/console/domains'

export function domainListPage({ teamName, now, page, after, form, problem, note }: DomainListView): string {
  const isEmpty = page.rows.length === 0
  return consolePage({
    title: 'Domains',
    section: ADDRESS,
    teamName,
    files: DOMAIN_FILES,
    main: html`<div class="head"><h1>Domains</h1><p class="note" role="status">${note}</p></div>
${isEmpty && after === null ? NOTHING_YET : ''}
<details class="sheet" id="add"${problem !== null || (isEmpty && after === null) ? html` open` : ''}><summary><h2>Add a domain</h2></summary>
${addForm(form, problem)}</details>
${isEmpty ? (after === null ? '' : html`<p class="sheet">There are no older domains.</p>`) : table(page.rows, now)}
${pager(page, { address: ADDRESS, after })}`,
  })
}

const NOTHING_YET = html`<section class="sheet"><h2>No domains yet</h2>
<p>Add the domain from which you send. Its page then shows the DNS records to publish, and which of them are found.</p></section>`

function addForm(values: DomainForm, problem: FormProblem | null): SafeHtml {
  const filled = { values, problem }
  const isOpen = problem !== null && !isAbout(problem, 'name') && ADVANCED.some((field) => isAbout(problem, field))
  return html`<form class="fields" method="post" action="${ADDRESS}">
${problemNote(problem, ['name', 'custom_return_path', 'tracking_subdomain'])}
${nameField(filled)}
<details id="advanced"${isOpen ? html` open` : ''}><summary>Advanced settings</summary>
<div class="fields">${returnPathField(filled)}
${settingFields(filled)}</div></details>
<div><button>Add the domain</button></div>
</form>`
}

const ADVANCED = ['custom_return_path', 'tracking_subdomain', 'capabilities', 'tls']

const table = (rows: DomainRow[], now: Date): SafeHtml => html`<table class="sheet list domains"><thead><tr>
<th scope="col">Name</th><th scope="col">State</th><th scope="col">For</th><th scope="col">Registered</th><th scope="col">Next check</th>
</tr></thead><tbody>${rows.map((row) => line(row, now))}</tbody></table>`

const line = ({ id, name, status, sending, receiving, createdAt, checkDueAt }: DomainRow, now: Date): SafeHtml => html`<tr>
<th scope="row"><a href="${ADDRESS}/${id}">${name}</a></th><td>${stateMark(status)}</td>
<td><span class="soft">${[...(sending ? ['sending'] : []), ...(receiving ? ['receiving'] : [])].join(', ')}</span></td>
<td class="soft"><span class="only-slim">registered </span>${timeElement(createdAt, now)}</td>
<td class="soft"><span class="only-slim">next check </span>${checkDueAt === null ? 'on request' : checkDueAt <= now ? 'now' : timeElement(checkDueAt, now)}</td></tr>`
