import { isObject } from '../parts/is-object'
// A filter while people write it: groups of rules, as fields of a form. It becomes the rule tree of the API, and is made of one.

/** `none`: not any of them. `not_all`: not all of them. */
export const GROUP_KINDS = ['all', 'any', 'none', 'not_all'] as const
export type GroupKind = (typeof GROUP_KINDS)[number]

export type DraftGroup = { kind: GroupKind; rules: readonly DraftRule[] }
/** `subject`: what it tests, such as `field:email`, `property:company`, `topic:ID` and `segment:ID`. */
export type DraftLeaf = { subject: string; operator: string; value: string }
export type DraftRule = DraftGroup | DraftLeaf

export const EMPTY_DRAFT: DraftGroup = { kind: 'all', rules: [] }

/** Deeper ones are read more easily as JSON. */
const DEPTH_MAX = 5

export const isGroup = (rule: DraftRule): rule is DraftGroup => 'kind' in rule
export const asksOnlyWhetherSet = (operator: string): boolean => operator === 'is_set' || operator === 'is_not_set'

/** The draft of a filter, or null if the form has no place for all of it. */
export function draftOf(filter: unknown): DraftGroup | null {
  const draft = ruleOf(filter, 1)
  if (draft === null || isGroup(draft)) return draft
  return { kind: 'all', rules: [draft] }
}

function ruleOf(rule: unknown, depth: number): DraftRule | null {
  if (!isObject(rule) || depth > DEPTH_MAX) return null
  if (hasOnly(rule, ['all'])) return groupOf('all', rule.all, depth)
  if (hasOnly(rule, ['any'])) return groupOf('any', rule.any, depth)
  if (!hasOnly(rule, ['not'])) return leafOf(rule)
  const { not } = rule
  if (isObject(not) && hasOnly(not, ['all'])) return groupOf('not_all', not.all, depth)
  return groupOf('none', isObject(not) && hasOnly(not, ['any']) ? not.any : [not], depth)
}

function groupOf(kind: GroupKind, rules: unknown, depth: number): DraftGroup | null {
  if (!Array.isArray(rules)) return null
  const drafts = rules.map((rule) => ruleOf(rule, depth + 1))
  return drafts.some((draft) => draft === null) ? null : { kind, rules: drafts.filter((draft) => draft !== null) }
}

function leafOf(leaf: Record<string, unknown>): DraftLeaf | null {
  const { topic, subscription, segment, member, operator, value, property, field } = leaf
  if (typeof topic === 'string' && hasOnly(leaf, ['topic', 'subscription']))
    return { subject: `topic:${topic}`, operator: '', value: String(subscription) }
  if (typeof segment === 'string' && hasOnly(leaf, ['segment', 'member']))
    return { subject: `segment:${segment}`, operator: '', value: String(member) }
  if (typeof operator !== 'string' || typeof value === 'object' ? value !== null : false) return null
  const compared = { operator: String(operator), value: String(value ?? '') }
  if (typeof property === 'string' && hasOnly(leaf, ['property', 'operator', 'value']))
    return { subject: `property:${property}`, ...compared }
  if (typeof field === 'string' && hasOnly(leaf, ['field', 'operator', 'value'])) return { subject: `field:${field}`, ...compared }
  return null
}

/** The filter as a client of the API writes it, which checks it. `isNumber`: of a property, by its key. */
export function filterOf(draft: DraftRule, isNumber: (key: string) => boolean): object {
  if (!isGroup(draft)) return toLeaf(draft, isNumber)
  const rules = draft.rules.map((rule) => filterOf(rule, isNumber))
  switch (draft.kind) {
    case 'all':
      return { all: rules }
    case 'any':
      return { any: rules }
    case 'none':
      return { not: { any: rules } }
    case 'not_all':
      return { not: { all: rules } }
  }
}

function toLeaf({ subject, operator, value }: DraftLeaf, isNumber: (key: string) => boolean): object {
  const kind = subject.slice(0, subject.indexOf(':'))
  const name = subject.slice(subject.indexOf(':') + 1)
  if (kind === 'topic') return { topic: name, subscription: value }
  if (kind === 'segment') return { segment: name, member: value === 'true' }
  const tested = kind === 'property' ? { property: name } : { field: name }
  if (asksOnlyWhetherSet(operator)) return { ...tested, operator }
  if (subject === 'field:unsubscribed') return { ...tested, operator, value: value === 'true' }
  const number = Number(value)
  const isSum = kind === 'property' && isNumber(name) && value.trim() !== '' && Number.isFinite(number)
  return { ...tested, operator, value: isSum ? number : value }
}

/** Where the rule is that a sentence of the API is about: `filter.all[2].not.any[0].value` is [2, 0]. Null if it is about none. */
export function placeIn(sentence: string): readonly number[] | null {
  const path = sentence.split('`')[1] ?? ''
  return path.startsWith('filter') ? [...path.matchAll(/\[(\d+)\]/g)].map(([, index]) => Number(index)) : null
}

const hasOnly = (object: object, names: readonly string[]): boolean =>
  names.length > 0 && Object.keys(object).every((name) => names.includes(name)) && Object.hasOwn(object, names[0] ?? '')
