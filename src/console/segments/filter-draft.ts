// A filter while people write it: groups of rules, as fields of a form. It becomes the rule tree of the API, and is made of one.
import { type FilterLeaf, type FilterRule, isAll, isAny, isNot } from '../../modules/audience/segments/filters/segment-rules.ts'
import { FILTER_DEPTH_MAX, FILTER_LEAVES_MAX } from '../../modules/audience/segments/segments.schema.ts'

/** `none`: not any of them. `not_all`: not all of them. */
export const GROUP_KINDS = ['all', 'any', 'none', 'not_all'] as const
export type GroupKind = (typeof GROUP_KINDS)[number]

export type DraftGroup = { kind: GroupKind; rules: DraftRule[] }
/** `subject`: what it tests, such as `field:email`, `property:company`, `topic:ID` and `segment:ID`. */
export type DraftLeaf = { subject: string; operator: string; value: string }
export type DraftRule = DraftGroup | DraftLeaf

export type FilterForm = Readonly<Record<string, string>>

/** Beyond what the API accepts, so that its sentences about the bounds are shown. */
const DEPTH_READ_MAX = FILTER_DEPTH_MAX + 2
const RULES_READ_MAX = 2 * FILTER_LEAVES_MAX

export const isGroup = (rule: DraftRule): rule is DraftGroup => 'kind' in rule

/** The place of the whole filter. Those within it have numbers after it: `0.2`. */
export const ROOT = '0'

/** What stands in the fields of a form. */
export function draftIn(form: FilterForm): DraftGroup {
  const below = childrenIn(form)
  let left = RULES_READ_MAX

  function read(place: string, depth: number): DraftRule {
    const subject = form[`subject-${place}`]
    if (subject !== undefined) return { subject, operator: form[`operator-${place}`] ?? '', value: form[`value-${place}`] ?? '' }
    return group(place, depth)
  }

  function group(place: string, depth: number): DraftGroup {
    const kind = GROUP_KINDS.find((one) => one === form[`kind-${place}`]) ?? 'all'
    if (depth >= DEPTH_READ_MAX) return { kind, rules: [] }
    const rules: DraftRule[] = []
    for (const child of below.get(place) ?? []) {
      if (left-- <= 0) break
      rules.push(read(child, depth + 1))
    }
    return { kind, rules }
  }

  return group(ROOT, 1)
}

/** Places by the place that they lie in, in the order of their numbers. */
function childrenIn(form: FilterForm): Map<string, string[]> {
  const below = new Map<string, string[]>()
  for (const name of Object.keys(form)) {
    const place = /^(?:kind|subject)-(0(?:\.\d{1,4})+)$/.exec(name)?.[1]
    if (place === undefined) continue
    const parent = place.slice(0, place.lastIndexOf('.'))
    const known = below.get(parent)
    if (known) known.push(place)
    else below.set(parent, [place])
  }
  const numberOf = (place: string): number => Number(place.slice(place.lastIndexOf('.') + 1))
  for (const places of below.values()) places.sort((a, b) => numberOf(a) - numberOf(b))
  return below
}

/** Adds a rule to the group at a place. */
export const withRule = (draft: DraftGroup, place: string, rule: DraftRule): DraftGroup =>
  changed(draft, place, (found) => (isGroup(found) ? { ...found, rules: [...found.rules, rule] } : found))

/** Removes the rule at a place. */
export function withoutRule(draft: DraftGroup, place: string): DraftGroup {
  const at = place.lastIndexOf('.')
  const gone = Number(place.slice(at + 1))
  return changed(draft, place.slice(0, Math.max(at, 0)), (found) =>
    isGroup(found) ? { ...found, rules: found.rules.filter((_rule, index) => index !== gone) } : found,
  )
}

function changed(draft: DraftGroup, place: string, change: (rule: DraftRule) => DraftRule): DraftGroup {
  const walk = (rule: DraftRule, here: string): DraftRule => {
    if (here === place) return change(rule)
    if (!isGroup(rule) || !place.startsWith(`${here}.`)) return rule
    return { ...rule, rules: rule.rules.map((one, index) => walk(one, `${here}.${index}`)) }
  }
  const whole = walk(draft, ROOT)
  return isGroup(whole) ? whole : draft
}

/** The filter as a client of the API would write it. It is not checked yet. */
export function filterOf(draft: DraftRule, isNumber: (key: string) => boolean): object {
  if (!isGroup(draft)) return leafOf(draft, isNumber)
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

function leafOf({ subject, operator, value }: DraftLeaf, isNumber: (key: string) => boolean): object {
  const [, kind = '', name = ''] = /^(\w+):([\s\S]*)$/.exec(subject) ?? []
  if (kind === 'topic') return { topic: name, subscription: value }
  if (kind === 'segment') return { segment: name, member: value === 'true' }
  const compared = operator === 'is_set' || operator === 'is_not_set' ? {} : { value: valueIn(kind, name) }
  return kind === 'property' ? { property: name, operator, ...compared } : { field: name, operator, ...compared }

  /** What is no number stays a text, about which the API has a sentence. */
  function valueIn(of: string, key: string): string | number | boolean {
    if (of === 'property' && isNumber(key) && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
    return of === 'field' && key === 'unsubscribed' ? value === 'true' : value
  }
}

/** A stored filter, as a draft that has the same meaning. */
export function draftOf(rule: FilterRule): DraftGroup {
  const draft = anyDraftOf(rule)
  return isGroup(draft) ? draft : { kind: 'all', rules: [draft] }
}

function anyDraftOf(rule: FilterRule): DraftRule {
  if (isAll(rule)) return { kind: 'all', rules: rule.all.map(anyDraftOf) }
  if (isAny(rule)) return { kind: 'any', rules: rule.any.map(anyDraftOf) }
  if (!isNot(rule)) return draftOfLeaf(rule)
  if (isAll(rule.not)) return { kind: 'not_all', rules: rule.not.all.map(anyDraftOf) }
  return { kind: 'none', rules: isAny(rule.not) ? rule.not.any.map(anyDraftOf) : [anyDraftOf(rule.not)] }
}

function draftOfLeaf(leaf: FilterLeaf): DraftLeaf {
  if ('topic' in leaf) return { subject: `topic:${leaf.topic}`, operator: '', value: leaf.subscription }
  if ('segment' in leaf) return { subject: `segment:${leaf.segment}`, operator: '', value: String(leaf.member) }
  const value = String(leaf.value ?? '')
  if ('property' in leaf) return { subject: `property:${leaf.property}`, operator: leaf.operator, value }
  return { subject: `field:${leaf.field}`, operator: leaf.operator, value }
}
