// The fields of a domain's forms.
import { html, type SafeHtml } from '@remix-run/html-template'
import { type FormProblem, isAbout, PROBLEM_ID } from '../shell/form-problem.ts'
import type { DomainForm } from './domain-forms.ts'

type Filled = { values: DomainForm; problem: FormProblem | null }
type TextField = { name: 'name' | 'custom_return_path' | 'tracking_subdomain'; label: string; hint: SafeHtml; more?: SafeHtml }

/** More than any valid name, so that the sentence about a long one is that of the API. */
const TYPED_LENGTH_MAX = 300

export const nameField = (filled: Filled): SafeHtml =>
  textField(filled, {
    name: 'name',
    label: 'Domain',
    hint: html`Such as <code>example.com</code> or <code>mail.example.com</code>.`,
    more: html` required inputmode="url"`,
  })

export const returnPathField = (filled: Filled): SafeHtml =>
  textField(filled, {
    name: 'custom_return_path',
    label: 'Return path',
    hint: html`The label of the host to which bounces return: <code>send</code> for send.example.com. It cannot be changed later.`,
  })

/** What can be changed later too. */
export const settingFields = (filled: Filled): SafeHtml => {
  const { values, problem } = filled
  const isWrong = isAbout(problem, 'capabilities')
  return html`<fieldset${isWrong ? html` class="refused" aria-describedby="${PROBLEM_ID}"` : ''}><legend>Capabilities</legend>
${box(values, 'sending', 'Send emails from the domain')}
${box(values, 'receiving', 'Receive emails to the domain')}

</fieldset>
<div><label for="tls">TLS</label>
<select id="tls" name="tls"${isAbout(problem, 'tls') ? WRONG : ''}>${TLS.map(([value, words]) => html`<option value="${value}"${value === values.tls ? html` selected` : ''}>${words}</option>`)}</select></div>
<fieldset><legend>Tracking</legend>
${box(values, 'open_tracking', 'Track opens of emails')}
${box(values, 'click_tracking', 'Track clicks on links of emails')}
<p class="note">Needs a tracking subdomain whose record is verified.</p>
</fieldset>
${textField(filled, {
  name: 'tracking_subdomain',
  label: 'Tracking subdomain',
  hint: html`The label of the host through which opens and clicks are tracked: <code>links</code> for links.example.com.`,
})}`
}

const TLS = [
  ['opportunistic', 'Opportunistic: where it is offered'],
  ['enforced', 'Enforced: never without TLS'],
] as const

const WRONG = html` aria-invalid="true" aria-describedby="${PROBLEM_ID}"`

function textField({ values, problem }: Filled, { name, label, hint, more = html`` }: TextField): SafeHtml {
  const isWrong = isAbout(problem, name)
  const described = isWrong ? `${PROBLEM_ID} ${name}-hint` : `${name}-hint`
  return html`<div><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${values[name] ?? ''}" maxlength="${TYPED_LENGTH_MAX}" autocomplete="off" autocapitalize="off" spellcheck="false"${more}${isWrong ? html` aria-invalid="true" autofocus` : ''} aria-describedby="${described}">
<p class="note" id="${name}-hint">${hint}</p></div>`
}

const box = (values: DomainForm, name: 'sending' | 'receiving' | 'open_tracking' | 'click_tracking', words: string): SafeHtml =>
  html`<label class="box"><input type="checkbox" name="${name}" value="on"${values[name] === 'on' ? html` checked` : ''}> ${words}</label>`
