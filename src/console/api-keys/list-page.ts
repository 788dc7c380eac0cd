// The API keys of a team, and the form that creates one.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import { API_KEY_NAME_LENGTH_MAX } from '../../modules/accounts/api-keys.schema.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, isAbout, PROBLEM_ID, problemNote } from '../shell/form-problem.ts'
import { pager } from '../shell/pager.ts'
import { keyName } from '../shell/senders.ts'
import type { KeyForm } from './key-forms.ts'
import { ADDRESS, domainWords, keyAddress, lastUse, permissionWords, type ShownKey } from './key-words.ts'

export type KeyListView = {
  teamName: string
  now: Date
  page: Page<ShownKey>
  /** The id after which this page begins; null if it is the first page. */
  after: string | null
  /** The key of the session. */
  /** What was typed, or the defaults. */
  form: KeyForm
  problem: FormProblem | null
  /** What was done last, in a sentence. */
  note: string
}

export function keyListPage({ teamName, now, page, after, form, problem, note }: KeyListView): string {
  return consolePage({
    title: 'API keys',
    section: ADDRESS,
    teamName,
    main: html`<div class="head"><h1>API keys</h1><p class="note" role="status">${note}</p></div>
<p class="note">A program sends its key with every request. The <a href="/docs">API documentation</a> says how.</p>
<details class="sheet" id="add"${problem === null ? '' : html` open`}><summary><h2>Create an API key</h2></summary>
${createForm(form, problem)}</details>
${page.rows.length === 0 ? html`<p class="sheet">There are no older keys.</p>` : table(page.rows, { now })}
${pager(page, { address: ADDRESS, after })}`,
  })
}

/** Each longer than is valid, so that the sentence about a long one is that of the API. */
const TYPED_LENGTH_MAX = API_KEY_NAME_LENGTH_MAX + 200
const DOMAIN_LENGTH_MAX = 300

const createForm = (form: KeyForm, problem: FormProblem | null): SafeHtml => html`<form class="fields" method="post" action="${ADDRESS}">
${problemNote(problem, ['name', 'domain'])}
<input type="hidden" name="id" value="${form.id ?? ''}">
${nameField(form.name ?? '', problem)}
<fieldset><legend>It may</legend>
${permission(form, 'full_access', 'do everything: it has full access')}
${permission(form, 'sending_access', 'only send emails')}</fieldset>
<div><label for="domain">Only from the domain</label>
<input id="domain" name="domain" value="${form.domain ?? ''}" maxlength="${DOMAIN_LENGTH_MAX}" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="example.com"${wrong(problem, 'domain')}>
<p class="note" id="domain-hint">For keys that only send emails. Leave it empty for all domains of your team.</p></div>
<div><button>Create the key</button></div>
</form>`

export const nameField = (name: string, problem: FormProblem | null): SafeHtml => html`<div><label for="name">Name</label>
<input id="name" name="name" value="${name}" dir="auto" maxlength="${TYPED_LENGTH_MAX}" autocomplete="off" placeholder="Production"${wrong(problem, 'name')}>
<p class="note" id="name-hint">Says what the key is for: at most ${API_KEY_NAME_LENGTH_MAX} characters.</p></div>`

const wrong = (problem: FormProblem | null, name: string): SafeHtml =>
  isAbout(problem, name)
    ? html` aria-invalid="true" autofocus aria-describedby="${PROBLEM_ID} ${name}-hint"`
    : html` aria-describedby="${name}-hint"`

const permission = (form: KeyForm, value: string, words: string): SafeHtml =>
  html`<label class="box"><input type="radio" name="permission" value="${value}"${form.permission === value ? html` checked` : ''}> ${words}</label>`

type Surroundings = { now: Date }

const table = (rows: ShownKey[], surroundings: Surroundings): SafeHtml => html`<table class="sheet list"><thead><tr>
<th scope="col">Name</th><th scope="col">May</th><th scope="col">Last used</th><th scope="col">Created</th>
</tr></thead><tbody>${rows.map((row) => line(row, surroundings))}</tbody></table>`

const line = (key: ShownKey, { now }: Surroundings): SafeHtml => html`<tr>
<th scope="row"><a href="${keyAddress(key)}"><bdi>${keyName(key)}</bdi></a></th>
<td>${permissionWords(key)}${fromDomain(key)}</td>
<td class="soft"><span class="only-slim">last used </span>${lastUse(key, now)}</td>
<td class="soft"><span class="only-slim">created </span>${timeElement(key.createdAt, now)}</td></tr>`

function fromDomain(key: ShownKey): SafeHtml {
  const words = domainWords(key)
  return words === null ? html`` : html`<div class="soft">from ${words}</div>`
}
