import { html, type SafeHtml } from '@remix-run/html-template'
import { TOPIC_DESCRIPTION_LENGTH_MAX, TOPIC_NAME_LENGTH_MAX } from '../../modules/audience/topics/topics.schema.ts'
import { type FormProblem, isAbout, PROBLEM_ID } from '../shell/form-problem.ts'
import type { TopicForm } from './topic-forms.ts'
import { DEFAULT_WORDS, VISIBILITY_WORDS } from './topic-words.ts'

export const TEXT_FIELDS = ['name', 'description']

/** The fields of a topic. Its default is chosen once, when it is created. */
export const topicFields = (form: TopicForm, problem: FormProblem | null, { isNew }: { isNew: boolean }): SafeHtml => html`
<div><label for="name">Name</label><input type="text" id="name" name="name" value="${form.name ?? ''}" maxlength="${2 * TOPIC_NAME_LENGTH_MAX}" autocomplete="off"${wrong(problem, 'name')}><p class="note">Contacts see it.</p></div>
<div><label for="description">Description</label><input type="text" id="description" name="description" value="${form.description ?? ''}" maxlength="${2 * TOPIC_DESCRIPTION_LENGTH_MAX}" autocomplete="off"${wrong(problem, 'description')}><p class="note">Contacts see it below the name.</p></div>
${isNew ? choice('default_subscription', 'By default', DEFAULT_WORDS, form.default_subscription) : ''}
${choice('visibility', 'Visibility', VISIBILITY_WORDS, form.visibility)}`

const choice = (name: string, legend: string, words: Record<string, string>, chosen: string | undefined): SafeHtml =>
  html`<fieldset><legend>${legend}</legend>${Object.entries(words).map(([value, text]) => html`<label class="box"><input type="radio" name="${name}" value="${value}"${value === chosen ? html` checked` : ''}> ${text}</label>`)}</fieldset>`

const wrong = (problem: FormProblem | null, name: string): SafeHtml =>
  isAbout(problem, name) ? html` aria-invalid="true" aria-describedby="${PROBLEM_ID}" autofocus` : html``
