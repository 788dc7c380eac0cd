// The topics of a team, newest first, and the form that creates one.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { TopicRow } from '../../modules/audience/topics/topics.repository.ts'
import { AUDIENCE_STYLE } from '../contacts/audience-style.ts'
import { consolePage } from '../shell/console-page.ts'
import { formIdField } from '../shell/form-ids.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { pager } from '../shell/pager.ts'
import { TEXT_FIELDS, topicFields } from './topic-fields.ts'
import type { TopicForm } from './topic-forms.ts'
import { ADDRESS, DEFAULT_WORDS, pathOf, visibilityTag } from './topic-words.ts'

export type TopicListView = {
  teamName: string
  page: Page<TopicRow>
  after: string | null
  form: TopicForm
  formId: string
  problem: FormProblem | null
  note: string
}

export function topicListPage({ teamName, page, after, form, formId, problem, note }: TopicListView): string {
  const isEmpty = page.rows.length === 0 && after === null
  return consolePage({
    title: 'Topics',
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<div class="head"><h1>Topics</h1><p class="note" role="status">${note}</p></div>
${isEmpty ? NOTHING_YET : ''}
<details class="sheet" id="add"${problem !== null || isEmpty ? html` open` : ''}><summary><h2>Create a topic</h2></summary>
<form class="fields" method="post" action="${ADDRESS}">
${problemNote(problem, TEXT_FIELDS)}
${formIdField(formId)}
${topicFields(form, problem, { isNew: true })}
<div><button>Create the topic</button></div></form></details>
${page.rows.length > 0 ? table(page.rows) : isEmpty ? '' : html`<p class="sheet">There are no older topics.</p>`}
${pager(page, { address: ADDRESS, after })}`,
  })
}

const NOTHING_YET = html`<section class="sheet"><h2>No topics yet</h2>
<p>A topic is a kind of email, such as a newsletter. People can opt out of one topic without leaving the others.</p></section>`

const table = (rows: TopicRow[]): SafeHtml => html`<table class="sheet list"><thead><tr>
<th scope="col">Name</th><th scope="col">By default</th><th scope="col">Visibility</th></tr></thead>
<tbody>${rows.map(line)}</tbody></table>`

const line = (row: TopicRow): SafeHtml => html`<tr>
<th scope="row"><a href="${pathOf(row)}" dir="auto">${row.name}</a>${row.description === null ? '' : html`<div class="soft" dir="auto">${row.description}</div>`}</th>
<td class="soft">${DEFAULT_WORDS[row.defaultSubscription]}</td><td>${visibilityTag(row)}</td></tr>`
