// The contacts of a team, newest first, or those that a search finds.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { ContactRow } from '../../modules/audience/contacts/contact-rows.repository.ts'
import { CONTACT_NAME_LENGTH_MAX } from '../../modules/audience/contacts/contacts.schema.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, isAbout, PROBLEM_ID, problemNote } from '../shell/form-problem.ts'
import { type FoundLines, linePages } from '../shell/found-lines.ts'
import { lineText } from '../shell/line-text.ts'
import { AUDIENCE_STYLE } from './audience-style.ts'
import type { ContactForm } from './contact-forms.ts'
import { ADDRESS, count, nameOf, pathOf, subscriptionMark, WORDS_LENGTH_MAX } from './contact-words.ts'

export type ContactListView = FoundLines<ContactRow> & {
  teamName: string
  now: Date
  words: string
  /** What was typed into the form of a new contact. */
  form: ContactForm
  problem: FormProblem | null
  /** What was done last, in a sentence. */
  note: string
}

const TEXT_FIELDS = ['email', 'first_name', 'last_name']

export function contactListPage(view: ContactListView): string {
  const { teamName, now, words, rows, form, problem, note } = view
  return consolePage({
    title: 'Contacts',
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<div class="head"><h1>Contacts</h1>${searchForm(words)}</div>
${note === '' ? '' : html`<p class="sheet" role="status">${note}</p>`}
<details class="sheet" id="add"${problem === null ? '' : html` open`}><summary><h2>Add a contact</h2></summary>
<form class="fields" method="post" action="${ADDRESS}">
${problemNote(problem, TEXT_FIELDS)}
${field('email', 'Address', { form, problem })}
<div class="pair">${field('first_name', 'First name', { form, problem })}${field('last_name', 'Last name', { form, problem })}</div>
<div><button>Add the contact</button></div></form></details>
${rows.length > 0 ? contactTable(rows, now) : nothing(view)}
${pages(view)}`,
  })
}

const searchForm = (words: string): SafeHtml => html`<form class="search" role="search" action="${ADDRESS}">
<input type="search" name="q" value="${words}" maxlength="${WORDS_LENGTH_MAX}" placeholder="Address or name" aria-label="Address or name, or a part of it">
<button class="quiet">Search</button></form>`

type State = { form: ContactForm; problem: FormProblem | null }

/** More than is valid, so that the sentence about a long one is that of the API. */
const TYPED_LENGTH_MAX = 2 * CONTACT_NAME_LENGTH_MAX

const field = (name: string, label: string, { form, problem }: State): SafeHtml =>
  html`<div><label for="${name}">${label}</label><input type="text" id="${name}" name="${name}" value="${form[name] ?? ''}" maxlength="${TYPED_LENGTH_MAX}" autocomplete="off"${name === 'email' ? html` inputmode="email" autocapitalize="off" spellcheck="false" required` : ''}${isAbout(problem, name) ? html` aria-invalid="true" aria-describedby="${PROBLEM_ID}" autofocus` : ''}></div>`

/** Contacts as a table, here and in a segment. */
export const contactTable = (rows: ContactRow[], now: Date): SafeHtml => html`<table class="sheet list"><thead><tr>
<th scope="col">Address</th><th scope="col">State</th><th scope="col">Added</th></tr></thead>
<tbody>${rows.map((row) => line(row, now))}</tbody></table>`

const line = (row: ContactRow, now: Date): SafeHtml => html`<tr>
<th scope="row"><a href="${pathOf(row)}"><bdi>${lineText(row.email)}</bdi></a>${nameOf(row) === '' ? '' : html`<div class="soft"><bdi>${lineText(nameOf(row))}</bdi></div>`}</th>
<td>${subscriptionMark(row.unsubscribed)}</td>
<td class="soft"><span class="only-slim">added </span>${timeElement(row.createdAt, now)}</td></tr>`

function nothing({ words, newer, searchedMax }: ContactListView): SafeHtml {
  if (words !== '')
    return html`<p class="sheet">No contact found${newer === null && searchedMax === null ? '' : ' here'}. <a href="${ADDRESS}">Show all contacts</a></p>`
  return newer === null ? NOTHING_YET : html`<p class="sheet">There are no older contacts.</p>`
}

const NOTHING_YET = html`<section class="sheet"><h2>No contacts yet</h2>
<p>Contacts are the people to whom you send broadcasts. Add one above, or <a href="/console/imports">import a file</a>. A program adds them with <code>POST /contacts</code>.</p></section>`

const pages = (view: ContactListView): SafeHtml => html`${
  view.searchedMax === null
    ? ''
    : html`<p class="note">One search for a part of a word looks at ${count(view.searchedMax)} contacts. A whole address is found among all of them.</p>`
}
${linePages(view, { pathOf: (position) => listPath(view.words, position), searchFurther: 'Search older contacts →' })}`

/** The address of a page of what is sought. */
export function listPath(words: string, position: { after: string } | { before: string } | null): string {
  const query = new URLSearchParams({ ...(words && { q: words }), ...position }).toString()
  return query === '' ? ADDRESS : `${ADDRESS}?${query}`
}
