// Asks which column of an uploaded file holds what.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { PropertyRow } from '../../modules/audience/properties/properties.repository.ts'
import { SEGMENT_NAME_LENGTH_MAX } from '../../modules/audience/segments/segments.schema.ts'
import { AUDIENCE_STYLE } from '../contacts/audience-style.ts'
import { consolePage } from '../shell/console-page.ts'
import { formIdField } from '../shell/form-ids.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { COLUMNS_SHOWN_MAX, columnField, FIELDS, IGNORED, type ImportForm, NEW_NUMBER, NEW_TEXT, propertyChoice } from './column-choices.ts'
import { ADDRESS } from './import-words.ts'

export type ColumnsView = {
  teamName: string
  /** Names the uploaded file. */
  token: string
  names: string[]
  properties: Pick<PropertyRow, 'key' | 'type'>[]
  /** Segments without a filter. */
  segments: { id: string; name: string }[]
  form: ImportForm
  formId: string
  problem: FormProblem | null
}

export const columnsPage = ({ teamName, token, names, properties, segments, form, formId, problem }: ColumnsView): string =>
  consolePage({
    title: 'Choose the columns',
    section: ADDRESS,
    teamName,
    files: [AUDIENCE_STYLE],
    main: html`<div class="head"><h1>Choose the columns</h1><p><a href="${ADDRESS}">← Imports</a></p></div>
<form class="sheet parts" method="post" action="${ADDRESS}">
<input type="hidden" name="file" value="${token}">${formIdField(formId)}
${problemNote(problem, [])}
<div class="fields">${names.slice(0, COLUMNS_SHOWN_MAX).map((name, index) => columnChoice(name, index, { properties, form }))}
${names.length > COLUMNS_SHOWN_MAX ? html`<p class="note">The file has ${names.length} columns. The first ${COLUMNS_SHOWN_MAX} are shown; the others are ignored, unless one has the name of a property.</p>` : ''}
${segmentChoice(segments, form)}
<fieldset><legend>Contacts who are known already</legend>
${radio('upsert', 'Add what the file says to them', form)}${radio('skip', 'Leave them as they are, except for opt-outs', form)}</fieldset>
<p class="note">A person who unsubscribed stays unsubscribed.</p>
<div><button>Import the contacts</button></div></div></form>`,
  })

/** A broadcast goes to a segment, so that people who are in none get nothing. */
const segmentChoice = (segments: ColumnsView['segments'], { segment_id: chosen = '', new_segment: name = '' }: ImportForm): SafeHtml =>
  html`${segments.length === 0 ? '' : html`<div><label for="segment_id">Add the contacts to a segment</label><select id="segment_id" name="segment_id">${option('', 'None', chosen)}${segments.map((one) => option(one.id, one.name, chosen))}</select></div>`}
<div><label for="new_segment">${segments.length === 0 ? 'Add the contacts to a segment' : 'Or to a new segment'}</label><input type="text" id="new_segment" name="new_segment" value="${name}" maxlength="${2 * SEGMENT_NAME_LENGTH_MAX}" autocomplete="off" aria-describedby="new-segment-hint">
<p class="note" id="new-segment-hint">Its name, such as Customers. A broadcast goes to the contacts of a segment.</p></div>`

type Known = Pick<ColumnsView, 'properties' | 'form'>

function columnChoice(name: string, index: number, { properties, form }: Known): SafeHtml {
  const field = columnField(index)
  const chosen = form[field] ?? IGNORED
  return html`<div><label for="${field}" dir="auto">${name || '(no name)'}</label><select id="${field}" name="${field}">
${option(IGNORED, 'Ignore this column', chosen)}
<optgroup label="Fields">${Object.entries(FIELDS).map(([value, words]) => option(value, words, chosen))}</optgroup>
<optgroup label="Properties">${properties.map(({ key }) => option(propertyChoice(key), key, chosen))}${option(NEW_TEXT, 'A new property: text', chosen)}${option(NEW_NUMBER, 'A new property: number', chosen)}</optgroup></select></div>`
}

const option = (value: string, words: string, chosen: string): SafeHtml =>
  html`<option value="${value}"${value === chosen ? html` selected` : ''}>${words}</option>`

const radio = (value: string, words: string, form: ImportForm): SafeHtml =>
  html`<label class="box"><input type="radio" name="on_conflict" value="${value}"${value === (form.on_conflict ?? 'upsert') ? html` checked` : ''}> ${words}</label>`
