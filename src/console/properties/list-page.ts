// The contact properties of a team, newest first, and the form that creates one.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { PropertyRow } from '../../modules/audience/properties/properties.repository.ts'
import { PROPERTY_KEY_LENGTH_MAX, PROPERTY_VALUE_LENGTH_MAX } from '../../modules/audience/properties/properties.schema.ts'
import { AUDIENCE_STYLE } from '../contacts/audience-style.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, isAbout, PROBLEM_ID, problemNote } from '../shell/form-problem.ts'
import { lineText } from '../shell/line-text.ts'
import { pager } from '../shell/pager.ts'
import type { PropertyForm } from './property-forms.ts'
import { ADDRESS, pathOf, placeholderOf, TYPE_WORDS } from './property-words.ts'

export type PropertyListView = {
  teamName: string
  page: Page<PropertyRow>
  after: string | null
  form: PropertyForm
  problem: FormProblem | null
  note: string
}

export function propertyListPage({ teamName, page, after, form, problem, note }: PropertyListView): string {
  const isEmpty = page.rows.length === 0 && after === null
  return consolePage({
    title: 'Properties',
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<div class="head"><h1>Properties</h1><p class="note" role="status">${note}</p></div>
${isEmpty ? NOTHING_YET : ''}
<details class="sheet" id="add"${problem !== null || isEmpty ? html` open` : ''}><summary><h2>Create a property</h2></summary>
<form class="fields" method="post" action="${ADDRESS}">
${problemNote(problem, ['key', 'fallback_value'])}
<div><label for="key">Key</label><input type="text" id="key" name="key" value="${form.key ?? ''}" maxlength="${2 * PROPERTY_KEY_LENGTH_MAX}" required autocomplete="off" autocapitalize="off" spellcheck="false"${wrong(problem, 'key')}><p class="note">ASCII letters, digits and underscores. It cannot be changed later.</p></div>
<fieldset><legend>Type</legend>${Object.entries(TYPE_WORDS).map(([type, words]) => html`<label class="box"><input type="radio" name="type" value="${type}"${type === form.type ? html` checked` : ''}> ${words}</label>`)}</fieldset>
${fallbackField(form, problem)}
<div><button>Create the property</button></div></form></details>
${page.rows.length > 0 ? table(page.rows) : isEmpty ? '' : html`<p class="sheet">There are no older properties.</p>`}
${pager(page, { address: ADDRESS, after })}`,
  })
}

const NOTHING_YET = html`<section class="sheet"><h2>No properties yet</h2>
<p>A property is a field that your team adds to its contacts, such as a company or a plan. Broadcasts can show it, and filters of segments can test it.</p></section>`

export const fallbackField = (form: PropertyForm, problem: FormProblem | null): SafeHtml =>
  html`<div><label for="fallback_value">Fallback</label><input type="text" id="fallback_value" name="fallback_value" value="${form.fallback_value ?? ''}" maxlength="${2 * PROPERTY_VALUE_LENGTH_MAX}" autocomplete="off"${wrong(problem, 'fallback_value')}><p class="note">Stands in messages to contacts without a value. It may be empty.</p></div>`

const wrong = (problem: FormProblem | null, name: string): SafeHtml =>
  isAbout(problem, name) ? html` aria-invalid="true" aria-describedby="${PROBLEM_ID}" autofocus` : html``

const table = (rows: PropertyRow[]): SafeHtml => html`<table class="sheet list"><thead><tr>
<th scope="col">Key</th><th scope="col">Type</th><th scope="col">Fallback</th></tr></thead>
<tbody>${rows.map(line)}</tbody></table>`

const line = (row: PropertyRow): SafeHtml => html`<tr>
<th scope="row"><a href="${pathOf(row)}">${row.key}</a><div class="soft code">${placeholderOf(row)}</div></th>
<td>${TYPE_WORDS[row.type]}</td><td class="soft">${row.fallbackValue === null ? 'none' : html`<bdi>${lineText(String(row.fallbackValue))}</bdi>`}</td></tr>`
