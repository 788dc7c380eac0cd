// The addresses that get no mail from a team, and the forms that add some.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { SuppressionRow } from '../../modules/suppressions/suppression-changes.repository.ts'
import type { SuppressionOrigin } from '../../modules/suppressions/suppressions.schema.ts'
import type { ImportedSuppressions } from '../../modules/suppressions/suppressions.service.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, isAbout, PROBLEM_ID, problemNote, withCode } from '../shell/form-problem.ts'
import { type FoundLines, linePages } from '../shell/found-lines.ts'
import { lineText, PART_LENGTH_MAX } from '../shell/line-text.ts'
import { ADDRESS, ORIGIN_WORDS, type Sought, searchForm, searchPath } from './search-form.ts'
import { SUPPRESSIONS_STYLE } from './suppressions-style.ts'

/** What became of a pasted list. */
export type Imported = ImportedSuppressions & { refusals: { line: number; problem: string }[] }

export type SuppressionListView = FoundLines<SuppressionRow> & {
  teamName: string
  now: Date
  sought: Sought
  /** What was typed into the form of one address. */
  typed: string
  problem: FormProblem | null
  imported: Imported | null
  /** What was done last, in a sentence. */
  note: string
}

export function suppressionListPage(view: SuppressionListView): string {
  const { teamName, now, sought, rows, typed, problem, imported, note } = view
  return consolePage({
    title: 'Suppressions',
    section: ADDRESS,
    teamName,
    files: [SUPPRESSIONS_STYLE],
    main: html`<div class="head"><h1>Suppressions</h1>${searchForm(sought)}</div>
${note === '' ? '' : html`<p class="sheet done" role="status">${note}</p>`}
<p class="note">These addresses get no mail from any domain of your team: their server says that they do not exist, their owner reported your mail as spam, or your team added them.</p>
<details class="sheet" id="add"${problem === null ? '' : OPEN}><summary><h2>Suppress an address</h2></summary>${addForm(typed, problem)}</details>
<details class="sheet" id="import"${imported === null ? '' : OPEN}><summary><h2>Import addresses</h2></summary>${imported === null ? '' : resultOf(imported)}${IMPORT_FORM}</details>
${rows.length > 0 ? table(rows, now) : html`<p class="sheet">${nothing(view)}</p>`}
${pages(view)}`,
  })
}

const OPEN = html` open`

const addForm = (typed: string, problem: FormProblem | null): SafeHtml => html`<form class="fields" method="post" action="${ADDRESS}">
${problemNote(problem, ['email'])}
<div><label for="email">Address</label><input type="text" inputmode="email" id="email" name="email" value="${typed}" required autocapitalize="off" spellcheck="false" autocomplete="off"${isAbout(problem, 'email') ? html` aria-invalid="true" aria-describedby="${PROBLEM_ID}" autofocus` : ''}></div>
<div><button>Suppress the address</button></div>
</form>`

const IMPORT_FORM = html`<form class="fields" method="post" action="${ADDRESS}/import">
<div><label for="list">Addresses</label><textarea id="list" name="list" required spellcheck="false" aria-describedby="list-note"></textarea>
<p class="note" id="list-note">One on each line, or the text of a CSV file whose first line names a column <code>email</code>, and <code>origin</code> if there is one. For more than 4 MB use <code>posthaste suppressions import</code>.</p></div>
<div><button>Suppress these addresses</button></div>
</form>`

const resultOf = ({
  added,
  existing,
  refused,
  refusals,
}: Imported): SafeHtml => html`<div role="status"><p>${count(added)} added, ${count(existing)} suppressed before, ${count(refused)} refused.</p>
${refusals.length === 0 ? '' : html`<ul class="refusals">${refusals.map(({ line, problem }) => html`<li>Line ${line}: ${withCode(problem)}</li>`)}${refused > refusals.length ? html`<li>and ${count(refused - refusals.length)} more</li>` : ''}</ul>`}</div>`

const count = (number: number): string => number.toLocaleString('en')

const table = (rows: SuppressionRow[], now: Date): SafeHtml => html`<table class="sheet list suppressions"><thead><tr>
<th scope="col">Address</th><th scope="col">Why</th><th scope="col">Since</th><th scope="col">Email</th><td></td>
</tr></thead><tbody>${rows.map((row) => line(row, now))}</tbody></table>`

function line({ id, email, origin, sourceId, createdAt }: SuppressionRow, now: Date): SafeHtml {
  const shown = lineText(email, PART_LENGTH_MAX)
  return html`<tr>
<th scope="row"><a href="${contactSearch(email)}"><bdi>${shown}</bdi></a></th><td><span class="state ${STATES[origin]}">${ORIGIN_WORDS[origin]}</span></td>
<td class="soft"><span class="only-slim">since </span>${timeElement(createdAt, now)}</td>
<td>${sourceId === null ? '' : html`<a href="/console/emails/${sourceId}" aria-label="The email to ${shown}">the email</a>`}</td>
<td>${origin === 'complaint' ? html`<a class="button quiet" href="${ADDRESS}/${id}/remove" aria-label="Remove ${shown}">Remove</a>` : html`<form method="post" action="${ADDRESS}/${id}/remove"><button class="quiet" aria-label="Remove ${shown}">Remove</button></form>`}</td></tr>`
}

/** Not everyone who is suppressed is a contact. */
const contactSearch = (email: string): string => `/console/contacts?${new URLSearchParams({ q: email })}`

/** The color of the state of an email that leads to such a suppression. */
const STATES: Record<SuppressionOrigin, string> = { bounce: 'bounced', complaint: 'complained', manual: 'suppressed' }

function nothing({ sought, newer, searchedMax }: SuppressionListView): SafeHtml {
  if (sought.words === '' && sought.origin === '')
    return newer === null ? html`No address is suppressed.` : html`There are no older suppressions.`
  return html`No such address is suppressed${newer === null && searchedMax === null ? '' : ' among those that were searched'}. <a href="${ADDRESS}">Show all</a>`
}

const pages = (
  view: SuppressionListView,
): SafeHtml => html`${view.searchedMax === null ? '' : html`<p class="note">One search looks at ${count(view.searchedMax)} suppressions.</p>`}
${linePages(view, { pathOf: (position) => searchPath(view.sought, position), searchFurther: 'Search older ones →' })}`
