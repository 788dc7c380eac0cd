import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DraftGroup, draftIn, draftOf, filterOf, isGroup, withoutRule, withRule } from '../../../src/console/segments/filter-draft.ts'

const NUMBERS = (key: string) => key === 'age'
const leaf = (value: string) => ({ subject: 'field:email', operator: 'contains', value })

/** The fields as a browser sends them. */
function formOf(draft: DraftGroup, place = '0'): Record<string, string> {
  const below = draft.rules.map((rule, index) => {
    const at = `${place}.${index}`
    return isGroup(rule)
      ? formOf(rule, at)
      : { [`subject-${at}`]: rule.subject, [`operator-${at}`]: rule.operator, [`value-${at}`]: rule.value }
  })
  return Object.assign({ [`kind-${place}`]: draft.kind }, ...below)
}

const drafts = fc.letrec<{ group: DraftGroup; rule: DraftGroup | ReturnType<typeof leaf> }>((tie) => ({
  group: fc.record({ kind: fc.constantFrom('all', 'any', 'none', 'not_all'), rules: fc.array(tie('rule'), { maxLength: 12 }) }),
  rule: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.string().map(leaf), tie('group')),
})).group

describe('a draft of a filter', () => {
  it('is what stands in its fields', () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        expect(draftIn(formOf(draft))).toEqual(draft)
      }),
    )
  })

  it.each([
    [{ field: 'unsubscribed', operator: 'equals', value: true }],
    [{ field: 'created_at', operator: 'after', value: '2026-01-02T03:04:05.000Z' }],
    [{ property: 'age', operator: 'greater_than', value: 36 }],
    [{ property: 'company', operator: 'equals', value: '36' }],
    [{ property: 'company', operator: 'is_set' }],
    [{ topic: 'id', subscription: 'opt_in' }],
    [{ segment: 'id', member: false }],
  ] as const)('writes the rule that it was made of: %j', (rule) => {
    expect(filterOf(draftOf(rule), NUMBERS)).toEqual({ all: [rule] })
  })

  it('keeps groups within one another, and what is not true of them', () => {
    const rule = { field: 'email', operator: 'contains', value: '@' } as const
    const filter = { any: [{ all: [rule, { not: { any: [rule] } }] }, { not: { all: [rule, rule] } }] }
    expect(filterOf(draftOf(filter), NUMBERS)).toEqual(filter)
    expect(filterOf(draftOf({ not: rule }), NUMBERS)).toEqual({ not: { any: [rule] } })
  })

  it('leaves what is no number as it was typed, for the sentence about it', () => {
    const draft = (value: string): DraftGroup => ({ kind: 'all', rules: [{ subject: 'property:age', operator: 'equals', value }] })
    expect(filterOf(draft('old'), NUMBERS)).toEqual({ all: [{ property: 'age', operator: 'equals', value: 'old' }] })
    expect(filterOf(draft(' '), NUMBERS)).toEqual({ all: [{ property: 'age', operator: 'equals', value: ' ' }] })
  })

  it('gets and loses rules at any place', () => {
    const draft: DraftGroup = { kind: 'all', rules: [leaf('a'), { kind: 'any', rules: [leaf('b'), leaf('c')] }] }
    expect(withRule(draft, '0.1', leaf('d'))).toEqual({
      kind: 'all',
      rules: [leaf('a'), { kind: 'any', rules: ['b', 'c', 'd'].map(leaf) }],
    })
    expect(withoutRule(draft, '0.1.0')).toEqual({ kind: 'all', rules: [leaf('a'), { kind: 'any', rules: [leaf('c')] }] })
    expect(withoutRule(draft, '0.0')).toEqual({ kind: 'all', rules: [draft.rules[1]] })
    for (const place of ['', '0', '7', '0.9', '0.0.0', 'x']) expect(withoutRule(draft, place)).toEqual(draft)
    for (const place of ['', '0.9', '0.0', 'x']) expect(withRule(draft, place, leaf('d'))).toEqual(draft)
  })

  it('ends at a bound, whatever a form says', () => {
    const deep = Object.fromEntries(Array.from({ length: 500 }, (_, depth) => [`kind-0${'.0'.repeat(depth)}`, 'all']))
    const depthOf = (group: DraftGroup): number => 1 + Math.max(0, ...group.rules.map((rule) => (isGroup(rule) ? depthOf(rule) : 0)))
    expect(depthOf(draftIn(deep))).toBe(22)
    const wide = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`subject-0.${index}`, 'field:email']))
    expect(draftIn(wide).rules).toHaveLength(2_000)
    expect(draftIn({ 'kind-0.x': 'all', 'subject-0..1': 'a', 'kind-1.0': 'all', 'subject-0.00000': 'a' })).toEqual({
      kind: 'all',
      rules: [],
    })
  })
})
