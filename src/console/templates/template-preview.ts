// What a template says with the values that a person typed.
import { html, type SafeHtml } from '@remix-run/html-template'
import { shortBeginning } from '../../lib/main-thread.ts'
import { SHOWN_LENGTH_MAX } from '../../mail/html/contained-html.ts'
import { textFromHtml } from '../../mail/html/text-from-html.ts'
import { framed } from '../../modules/sharing/frame/email-frame.ts'
import type { AskedVariable, FilledTemplate } from '../../modules/templates/filled-template.ts'
import { textOfValue } from '../../modules/templates/template-fields.ts'
import { type FormProblem, isAbout, PROBLEM_ID, problemNote } from '../shell/form-problem.ts'
import { type PreviewPlace, previewQuery, TYPED_VALUE_LENGTH_MAX, VALUE_PREFIX } from './preview-values.ts'

export type Preview = {
  place: PreviewPlace
  asked: AskedVariable[]
  /** Null if a value was refused. */
  filled: FilledTemplate | null
  hasRemoteImages: boolean
  problem: FormProblem | null
}

/** @param address of the page of the template */
export const previewSection = (address: string, preview: Preview): SafeHtml =>
  html`<section class="sheet parts" id="preview"><h2>Preview</h2>
${preview.asked.length === 0 ? '' : valuesForm(address, preview)}
${preview.filled === null ? '' : shown(address, preview, preview.filled)}</section>`

function valuesForm(address: string, { place, asked, problem }: Preview): SafeHtml {
  const { version, view, remote, typed } = place
  return html`<form action="${address}#preview">
${problemNote(
  problem,
  asked.map(({ key }) => fieldOf(key)),
)}
${version === null ? '' : html`<input type="hidden" name="version" value="${version}">`}${view === 'text' ? html`<input type="hidden" name="view" value="text">` : ''}${remote ? html`<input type="hidden" name="remote" value="yes">` : ''}
<div class="values">${asked.map((variable) => field(variable, Object.hasOwn(typed, variable.key) ? (typed[variable.key] ?? '') : '', problem))}</div>
<p class="choice"><button class="quiet">Fill in</button></p></form>`
}

/** What the sentences of the API call it. */
const fieldOf = (key: string): string => `variables.${key}`

function field({ key, type, fallbackValue }: AskedVariable, text: string, problem: FormProblem | null): SafeHtml {
  const wrong = isAbout(problem, fieldOf(key)) ? html` aria-invalid="true" autofocus aria-describedby="${PROBLEM_ID}"` : ''
  const placeholder = fallbackValue === null ? '' : textOfValue(fallbackValue).slice(0, TYPED_VALUE_LENGTH_MAX)
  return html`<div><label for="v-${key}">${key}${type === null || type === 'string' ? '' : html` <span class="soft">${type}</span>`}</label>
<input id="v-${key}" name="${VALUE_PREFIX}${key}" value="${text}" maxlength="${TYPED_VALUE_LENGTH_MAX}" placeholder="${placeholder}" autocomplete="off" autocapitalize="off" spellcheck="false"${wrong}></div>`
}

const shown = (address: string, { place, hasRemoteImages }: Preview, filled: FilledTemplate): SafeHtml => html`${missing(filled)}
<dl><dt>Subject</dt><dd dir="auto">${filled.subject ?? html`<span class="soft">none: each email needs its own</span>`}</dd></dl>
<nav class="tabs" aria-label="Views of the content">${tab(address, place, 'html', 'HTML')}${tab(address, place, 'text', 'Text')}</nav>
${place.view === 'html' ? htmlOf(address, { place, hasRemoteImages }, filled) : textOf(filled)}`

function missing({ missing: names }: FilledTemplate): SafeHtml {
  if (names.length === 0) return html``
  return html`<p class="wrong">An email would still need: ${names.slice(0, NAMES_SHOWN_MAX).map((name, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`)}${names.length > NAMES_SHOWN_MAX ? ` and ${names.length - NAMES_SHOWN_MAX} more` : ''}</p>`
}

const NAMES_SHOWN_MAX = 20

const tab = (address: string, place: PreviewPlace, view: PreviewPlace['view'], name: string): SafeHtml =>
  html`<a href="${address}${previewQuery({ ...place, view })}#preview"${view === place.view ? html` aria-current="page"` : ''}>${name}</a>`

type HtmlView = Pick<Preview, 'place' | 'hasRemoteImages'>

function htmlOf(address: string, { place, hasRemoteImages }: HtmlView, { html: content }: FilledTemplate): SafeHtml {
  if (content === '') return html`<p class="note">This template has no HTML.</p>`
  const other = `${address}${previewQuery({ ...place, remote: !place.remote })}#preview`
  const question = place.remote
    ? html`<p class="remote note">Images from other servers are loaded. <a href="${other}">Do not load them</a></p>`
    : html`<p class="remote note">Images from other servers are not loaded. <a href="${other}">Load remote images</a></p>`
  const isCut = content.length > SHOWN_LENGTH_MAX ? html`<p class="note">This is the beginning. An email has all of it.</p>` : ''
  return html`<div>${hasRemoteImages ? question : ''}${isCut}
${framed({ title: 'Content of the template', address: `${address}/html${previewQuery({ ...place, view: 'html' })}` })}</div>`
}

/** More than anyone reads. */
const TEXT_LENGTH_MAX = 256 * 1024

function textOf({ html: content, text }: FilledTemplate): SafeHtml {
  const whole = text ?? textFromHtml(shortBeginning(content))
  if (whole === '') return html`<p class="note">This template has no text.</p>`
  return html`<div>${text === null ? html`<p class="remote note">Made from the HTML, as it is sent.</p>` : ''}<pre class="prose" dir="auto" tabindex="0" role="region" aria-label="Text of the template">${whole.slice(0, TEXT_LENGTH_MAX)}</pre></div>`
}
