import { describe, expect, it } from 'vitest'
import { inOrder, type StoredRule } from '../../../../../src/modules/audience/segments/filters/segment-rules.ts'

const unsubscribed: StoredRule = { field: 'unsubscribed', operator: 'equals', value: true }
const subscribed: StoredRule = { field: 'unsubscribed', operator: 'equals', value: false }
const named: StoredRule = { field: 'first_name', operator: 'equals', value: 'Ada' }
const otherwise: StoredRule = { field: 'first_name', operator: 'not_equals', value: 'Ada' }
const searched: StoredRule = { property: 1, type: 'string', operator: 'contains', value: 'engine' }

describe('the order in which rules are asked', () => {
  it('has first what most likely decides that not all hold, at the least cost', () => {
    expect(inOrder([otherwise, searched, named, unsubscribed], 'no')).toEqual([unsubscribed, named, searched, otherwise])
  })

  it('has first what most likely decides that one holds', () => {
    expect(inOrder([named, searched, otherwise, subscribed], 'yes')).toEqual([subscribed, otherwise, searched, named])
  })

  it('takes a group for what its rules are together, and its opposite for the opposite', () => {
    const both: StoredRule = { all: [named, searched] }
    expect(inOrder([{ not: both }, both, { any: [otherwise, searched] }], 'no')).toEqual([
      both,
      { any: [otherwise, searched] },
      { not: both },
    ])
  })

  it('keeps every rule', () => {
    const many: StoredRule = { all: Array(1_000).fill(otherwise) }
    const rules = [many, { not: many }, { any: Array(1_000).fill(named) }, named]
    for (const decidedBy of ['yes', 'no'] as const) expect(new Set(inOrder(rules, decidedBy))).toEqual(new Set(rules))
  })
})
