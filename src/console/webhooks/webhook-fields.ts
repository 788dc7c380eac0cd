// The fields of a webhook's forms.
import { html, type SafeHtml } from '@remix-run/html-template'
import {
  CONCURRENCY_DEFAULT,
  CONCURRENCY_MAX,
  ENDPOINT_LENGTH_MAX,
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from '../../modules/webhooks/webhooks.schema.ts'
import { type FormProblem, isAbout, PROBLEM_ID } from '../shell/form-problem.ts'
import type { WebhookForm } from './webhook-forms.ts'

/** The fields beside which a problem is shown. */
export const TEXT_FIELDS = ['endpoint', 'concurrency']

/** More than is valid, so that the sentence about a long one is that of the API. */
const TYPED_LENGTH_MAX = ENDPOINT_LENGTH_MAX + 100

export const webhookFields = (values: WebhookForm, problem: FormProblem | null, endpointHint: string): SafeHtml => {
  const areEventsWrong = isAbout(problem, 'events')
  return html`<div><label for="endpoint">Endpoint</label>
<input id="endpoint" name="endpoint" value="${values.endpoint ?? ''}" maxlength="${TYPED_LENGTH_MAX}" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="https://example.com/webhooks"${wrong(problem, 'endpoint')}>
<p class="note" id="endpoint-hint">${endpointHint}</p></div>
<fieldset${areEventsWrong ? html` class="refused" aria-describedby="${PROBLEM_ID}"` : ''}><legend>Events</legend>
${groupsOf(WEBHOOK_EVENT_TYPES).map(([name, types]) => html`<div class="types" role="group" aria-label="Events of ${name}">${types.map((type) => box(values, type, type))}</div>`)}
</fieldset>
<details id="advanced"${problem !== null && isAbout(problem, 'concurrency') ? html` open` : ''}><summary>Advanced settings</summary>
<div class="fields"><div>${box(values, 'ordered', 'Keep the order of the events of each email and contact')}
<p class="note">An event that fails then holds back later ones of the same email or contact, until it is accepted or given up.</p></div>
<div><label for="concurrency">Requests at once</label>
<input id="concurrency" name="concurrency" value="${values.concurrency ?? ''}" maxlength="${NUMBER_LENGTH_MAX}" inputmode="numeric" autocomplete="off"${wrong(problem, 'concurrency')}>
<p class="note" id="concurrency-hint">How many requests the endpoint gets at the same time: from 1 to ${CONCURRENCY_MAX}; otherwise ${CONCURRENCY_DEFAULT}.</p></div></div></details>`
}

const NUMBER_LENGTH_MAX = 10

const wrong = (problem: FormProblem | null, name: string): SafeHtml =>
  isAbout(problem, name)
    ? html` aria-invalid="true" autofocus aria-describedby="${PROBLEM_ID} ${name}-hint"`
    : html` aria-describedby="${name}-hint"`

const box = (values: WebhookForm, name: string, words: string): SafeHtml =>
  html`<label class="box"><input type="checkbox" name="${name}" value="on"${values[name] === 'on' ? html` checked` : ''}> ${words}</label>`

/** Groups the types by what they are about. */
const groupsOf = <Type extends string>(types: readonly Type[]): [string, Type[]][] => [
  ...Map.groupBy(types, (type) => `${type.split('.', 1)[0]}s`),
]

export const typeOptions = (chosen: WebhookEventType): SafeHtml[] =>
  groupsOf(WEBHOOK_EVENT_TYPES).map(
    ([name, types]) =>
      html`<optgroup label="${name}">${types.map((type) => html`<option value="${type}"${type === chosen ? html` selected` : ''}>${type}</option>`)}</optgroup>`,
  )
