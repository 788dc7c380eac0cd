// The fields of an event's forms.
import { html, type SafeHtml } from '@remix-run/html-template'
import { EVENT_NAME_LENGTH_MAX, FIELD_TYPES } from '../../modules/events/events.schema.ts'
import { type FormProblem, isAbout, PROBLEM_ID } from '../shell/form-problem.ts'

/** The fields beside which a problem is shown. */
export const TEXT_FIELDS = ['name', 'schema']

/** More than is valid, so that the sentence about a long one is that of the API. */
const TYPED_LENGTH_MAX = EVENT_NAME_LENGTH_MAX + 200

export const nameField = (name: string, problem: FormProblem | null): SafeHtml => html`<div><label for="name">Name</label>
<input id="name" name="name" value="${name}" dir="auto" maxlength="${TYPED_LENGTH_MAX}" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="order.shipped"${wrong(problem, 'name')}>
<p class="note" id="name-hint">Programs send the event under this name.</p></div>`

export const schemaField = (
  schema: string,
  problem: FormProblem | null,
): SafeHtml => html`<div><label for="schema">Fields of its payload</label>
<textarea id="schema" name="schema" class="code" rows="6" autocomplete="off" spellcheck="false" placeholder="{ &quot;order_id&quot;: &quot;string&quot; }"${wrong(problem, 'schema')}>
${schema}</textarea>
<p class="note" id="schema-hint">As JSON, each with its type: ${FIELD_TYPES.join(', ')}. Leave it empty to accept any payload.</p></div>`

const wrong = (problem: FormProblem | null, name: string): SafeHtml =>
  isAbout(problem, name)
    ? html` aria-invalid="true" autofocus aria-describedby="${PROBLEM_ID} ${name}-hint"`
    : html` aria-describedby="${name}-hint"`
