// Writing a broadcast: a new one, or a draft that is changed.
import { html, type SafeHtml } from '@remix-run/html-template'
import { BROADCAST_NAME_LENGTH_MAX } from '../../modules/broadcasts/broadcasts.schema.ts'
import { consolePage } from '../shell/console-page.ts'
import { formIdField } from '../shell/form-ids.ts'
import { type FormProblem, isAbout, PROBLEM_ID, problemNote } from '../shell/form-problem.ts'
import { ADDRESS } from './broadcast-words.ts'
import { BROADCAST_FILES } from './broadcasts-style.ts'
import type { DraftForm } from './draft-forms.ts'

type Choice = { id: string; name: string }

export type DraftView = {
  teamName: string
  /** Where the form is sent, and where one returns to. */
  action: string
  back: string
  title: string
  segments: Choice[]
  topics: Choice[]
  form: DraftForm
  /** Null if it changes a draft. */
  formId: string | null
  problem: FormProblem | null
}

const TEXT_FIELDS = ['name', 'from', 'subject', 'preview_text', 'reply_to', 'html', 'text', 'rate_per_hour']

export const draftPage = ({ teamName, action, back, title, segments, topics, form, formId, problem }: DraftView): string =>
  consolePage({
    title,
    section: ADDRESS,
    teamName,
    files: BROADCAST_FILES,
    main: html`<div class="head"><h1>${title}</h1><p><a href="${back}">← Back</a></p></div>
${
  segments.length === 0
    ? html`<p class="sheet">A broadcast goes to a segment, and you have none yet. <a href="/console/segments/new">Create one</a>, and add contacts to it.</p>`
    : html`<section class="sheet"><form class="fields draft" method="post" action="${action}">
${problemNote(problem, TEXT_FIELDS)}
${formId === null ? '' : formIdField(formId)}
${line('name', 'Name', 'Only your team sees it. By default the beginning of the subject.', { form, problem })}
${choice('segment_id', 'Segment', segments, form)}
${choice('topic_id', 'Topic', [{ id: '', name: 'None' }, ...topics], form)}
${line('from', 'From', 'Such as Acme <hello@example.com>.', { form, problem })}
${line('reply_to', 'Reply to', 'Addresses, with commas between them.', { form, problem })}
${line('subject', 'Subject', 'It may hold placeholders such as {{{contact.first_name|you}}}.', { form, problem })}
${line('preview_text', 'Preview text', 'What mail programs show beside the subject.', { form, problem })}
${area('html', 'HTML', { form, problem })}
${area('text', 'Text', { form, problem })}
${line('rate_per_hour', 'Recipients an hour', 'At most so many get it in an hour, evenly spread, which leaves time to pause it. Empty: as fast as the mail servers take it.', { form, problem })}
<div><button>Save the draft</button></div></form></section>`
}`,
  })

type State = { form: DraftForm; problem: FormProblem | null }

/** More than is valid, so that the sentence about a long one is that of the API. */
const TYPED_LENGTH_MAX = 1_100

const line = (name: string, label: string, hint: string, { form, problem }: State): SafeHtml =>
  html`<div><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${form[name] ?? ''}" maxlength="${name === 'name' ? BROADCAST_NAME_LENGTH_MAX : TYPED_LENGTH_MAX}" autocomplete="off"${wrong(problem, name)}>
<p class="note" id="${name}-hint">${hint}</p></div>`

const area = (name: string, label: string, { form, problem }: State): SafeHtml =>
  html`<div><label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="12" spellcheck="false" dir="auto"${isAbout(problem, name) ? html` aria-invalid="true" autofocus aria-describedby="${PROBLEM_ID}"` : ''}>${form[name] ?? ''}</textarea></div>`

const choice = (name: string, label: string, choices: Choice[], form: DraftForm): SafeHtml =>
  html`<div><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${choices.map(({ id, name: words }) => html`<option value="${id}"${id === (form[name] ?? '') ? html` selected` : ''}>${words}</option>`)}</select></div>`

const wrong = (problem: FormProblem | null, name: string): SafeHtml =>
  isAbout(problem, name)
    ? html` aria-invalid="true" autofocus aria-describedby="${PROBLEM_ID} ${name}-hint"`
    : html` aria-describedby="${name}-hint"`
