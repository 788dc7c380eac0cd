// A filter as people read it: nested lists.
import { html, type SafeHtml } from '@remix-run/html-template'
import { asksOnlyWhetherSet } from '../../modules/audience/segments/filters/segment-rules.ts'
import { type DraftGroup, type DraftLeaf, type GroupKind, isGroup } from './filter-draft.ts'
import { OPERATOR_WORDS, type SubjectGroup, subjectNamed } from './filter-subjects.ts'

export const filterWords = ({ kind, rules }: DraftGroup, groups: SubjectGroup[]): SafeHtml =>
  html`${rules.length > 1 || kind === 'none' || kind === 'not_all' ? html`<p>${KIND_WORDS[kind]}:</p>` : ''}<ul>${rules.map((rule) => html`<li>${isGroup(rule) ? filterWords(rule, groups) : ruleWords(rule, groups)}</li>`)}</ul>`

const KIND_WORDS: Record<GroupKind, string> = {
  all: 'All of these',
  any: 'At least one of these',
  none: 'None of these',
  not_all: 'Not all of these',
}

function ruleWords({ subject: key, operator, value }: DraftLeaf, groups: SubjectGroup[]): SafeHtml {
  const { words, choices } = subjectNamed(groups, key)
  const chosen = choices?.find(([one]) => one === value)?.[1] ?? value
  const compared = choices ? html`` : html`${OPERATOR_WORDS[operator] ?? operator} `
  const shown = asksOnlyWhetherSet(operator) ? html`` : choices ? html`${chosen}` : html`<strong dir="auto">${chosen}</strong>`
  return html`<bdi>${words}</bdi>${choices ? ': ' : ' '}${compared}${shown}`
}
