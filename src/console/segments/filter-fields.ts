// The fields of a filter: groups of rules within one another. Each button sends the form, so that it works without a script.
import { html, type SafeHtml } from '@remix-run/html-template'
import { FILTER_VALUE_LENGTH_MAX } from '../../modules/audience/segments/segments.schema.ts'
import { type DraftGroup, type DraftLeaf, GROUP_KINDS, type GroupKind, isGroup, ROOT } from './filter-draft.ts'
import { OPERATOR_WORDS, type SubjectGroup, subjectNamed } from './filter-subjects.ts'

/** @param wrongPlace of the rule that the sentence of a problem is about; null if there is none */
export const filterFields = (draft: DraftGroup, groups: SubjectGroup[], wrongPlace: string | null): SafeHtml =>
  groupFields(draft, ROOT, { groups, wrongPlace })

type Known = { groups: SubjectGroup[]; wrongPlace: string | null }

const KIND_WORDS: Record<GroupKind, string> = {
  all: 'All of these are true',
  any: 'At least one of these is true',
  none: 'None of these is true',
  not_all: 'Not all of these are true',
}

const groupFields = (
  { kind, rules }: DraftGroup,
  place: string,
  known: Known,
): SafeHtml => html`<fieldset class="group${place === known.wrongPlace ? ' refused' : ''}">
<div class="rule"><select name="kind-${place}" aria-label="How the rules of this group combine">${GROUP_KINDS.map((one) => option(one, KIND_WORDS[one], kind))}</select>
${place === ROOT ? '' : html`<button class="quiet" name="act" value="remove ${place}" aria-label="Remove this group">Remove</button>`}</div>
${rules.map((rule, index) => {
  const below = `${place}.${index}`
  return isGroup(rule) ? groupFields(rule, below, known) : ruleFields(rule, below, known)
})}
<div class="rule grouped"><select name="add-${place}" aria-label="What the new rule tests">${known.groups.map(({ words, subjects }) => (subjects.length === 0 ? '' : html`<optgroup label="${words}">${subjects.map((subject) => option(subject.key, subject.words, ''))}</optgroup>`))}</select>
<button class="quiet" name="act" value="add ${place}">Add a rule</button> <button class="quiet" name="act" value="group ${place}">Add a group</button></div>
</fieldset>`

function ruleFields({ subject: key, operator, value }: DraftLeaf, place: string, { groups, wrongPlace }: Known): SafeHtml {
  const { words, operators, choices } = subjectNamed(groups, key)
  const wrong = place === wrongPlace ? html` aria-invalid="true" autofocus` : ''
  const field = choices
    ? html`<select name="value-${place}" aria-label="Value of ${words}"${wrong}>${choices.map(([one, name]) => option(one, name, value))}</select>`
    : html`<input type="text" name="value-${place}" value="${value}" maxlength="${2 * FILTER_VALUE_LENGTH_MAX}" aria-label="Value of ${words}" autocomplete="off"${key === 'field:created_at' ? html` placeholder="YYYY-MM-DDTHH:MM:SSZ"` : ''}${wrong}>`
  return html`<div class="rule"><input type="hidden" name="subject-${place}" value="${key}"><span class="subject" dir="auto">${words}</span>
${operators.length === 0 ? '' : html`<select name="operator-${place}" aria-label="How to compare ${words}">${operators.map((one) => option(one, OPERATOR_WORDS[one] ?? one, operator))}</select>`}
${field}
<button class="quiet" name="act" value="remove ${place}" aria-label="Remove the rule about ${words}">Remove</button></div>`
}

const option = (value: string, words: string, chosen: string): SafeHtml =>
  html`<option value="${value}"${value === chosen ? html` selected` : ''}>${words}</option>`
