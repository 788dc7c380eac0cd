import { describe, expect, it } from 'vitest'
import type { FieldRule, Rule } from '../../../../src/modules/automations/graph/graph.ts'
import { isMet, type Known } from '../../../../src/modules/automations/graph/references.ts'

const known: Known = {
  event: {
    total: 10,
    text: 'order-7',
    empty: '',
    nothing: null,
    none: [],
    tags: ['vip', 'new'],
    at: '2026-03-01T12:00:00+02:00',
    due: '2026-03-01T12:00:00+02:00',
    blank: ' \u00a0',
    shout: 'Order-É',
    basic: '20260301',
    never: '0001-01-01T00:00:00Z',
    day: '2026-03-01',
    leapDay: '2028-02-29',
    noDay: '2026-02-31',
    digits: '10',
    yes: true,
  },
  contact: { email: 'ada@xn--mnchen-3ya.example', first_name: 'Ada', last_name: ' ', unsubscribed: false, properties: { age: 36 } },
  heard: {},
  dates: new Set(['event.due']),
}

const rule = (field: string, operator: string, value?: unknown) =>
  ({ type: 'rule', field, operator, ...(value !== undefined && { value }) }) as FieldRule

describe('isMet', () => {
  it.each([
    ['event.total', 'eq', 10],
    ['event.total', 'neq', 11],
    ['event.total', 'gt', 9.5],
    ['event.total', 'gte', 10],
    ['event.total', 'lt', 100],
    ['event.total', 'lte', 10],
    ['event.nothing', 'eq', null],
    ['event.text', 'neq', null],
    ['event.yes', 'eq', true],
    ['event.text', 'contains', '-'],
    ['event.tags', 'contains', 'vip'],
    ['event.text', 'starts_with', 'order'],
    ['event.text', 'ends_with', '7'],
    ['event.text', 'exists'],
    ['event.empty', 'exists'],
    ['event.empty', 'is_empty'],
    ['event.nothing', 'is_empty'],
    ['event.none', 'is_empty'],
    ['event.missing', 'is_empty'],
    ['contact.last_name', 'is_empty'],
    ['event.blank', 'is_empty'],
    ['contact.first_name', 'eq', 'ADA'],
    ['contact.email', 'eq', 'Ada@MÜNCHEN.example'],
    ['contact.email', 'ends_with', '@münchen.EXAMPLE'],
    ['event.shout', 'eq', 'order-é'],
    ['event.shout', 'contains', 'DER-É'],
    ['event.shout', 'starts_with', 'oRDER'],
    ['event.shout', 'ends_with', '-é'],
    ['event.tags', 'contains', 'VIP'],
    ['event.at', 'neq', '2026-03-01T10:00:00Z'],
    ['event.basic', 'neq', '2026-03-01'],
    ['contact.age', 'gt', 35],
    ['contact.properties.age', 'lt', 37],
    ['contact.unsubscribed', 'eq', false],
    ['event.due', 'eq', '2026-03-01T10:00:00Z'],
    ['event.at', 'gt', '2026-03-01'],
    ['event.day', 'lt', '2026-03-01T00:00:01Z'],
    ['event.day', 'gte', '2026-03-01 00:00'],
    ['event.leapDay', 'lt', '2028-03-01'],
    ['event.noDay', 'eq', '2026-02-31'],
    // Every form that a rule and a schema take.
    ['event.at', 'gt', '20260301'],
    ['event.due', 'eq', '20260301T1000Z'],
    ['event.due', 'eq', '2026-03-01T12:00+02'],
    ['event.due', 'eq', '2026-03-01 05:00:00,000-0500'],
    ['event.never', 'lt', '1900-01-01'],
    ['event.basic', 'gte', '2026-03-01T00:00:00Z'],
    ['event.basic', 'lt', '2026-03-01T00:00:01Z'],
  ])('%s %s %j is met', (field, operator, value?: unknown) => expect(isMet(rule(field, operator, value), known)).toBe(true))

  it.each([
    ['event.missing', 'eq', null],
    ['event.at', 'eq', '2026-03-01T10:00:00Z'],
    ['event.basic', 'eq', '2026-03-01'],
    ['event.due', 'eq', '2026-03-01'],
    ['contact.first_name', 'neq', 'aDA'],
    ['event.missing', 'neq', 'x'],
    ['event.missing', 'gt', 0],
    ['event.missing', 'lt', 0],
    ['event.missing', 'contains', ''],
    ['event.missing', 'exists'],
    ['event.nothing', 'exists'],
    ['event.nothing', 'gt', -1],
    ['event.digits', 'eq', 10],
    ['event.digits', 'gt', 9],
    ['event.text', 'gt', '2026-01-01'],
    ['event.total', 'contains', '1'],
    ['event.text', 'is_empty'],
    ['event.at', 'lt', '2026-03-01'],
    ['event.day', 'gt', '2026-02-31T99:00:00Z'],
    ['event.day', 'lt', '2026-02-31'],
    ['event.noDay', 'gt', '2026-03-01'],
    ['event.noDay', 'eq', '2026-03-03'],
    ['event.noDay', 'eq', '2026-03-03T00:00:00Z'],
    ['unknown.field', 'exists'],
  ])('%s %s %j is not met', (field, operator, value?: unknown) => expect(isMet(rule(field, operator, value), known)).toBe(false))

  it('joins rules with and, and with or', () => {
    const yes = rule('event.total', 'eq', 10)
    const no = rule('event.total', 'eq', 11)
    const met = (type: 'and' | 'or', rules: Rule[]) => isMet({ type, rules }, known)
    expect([met('and', [yes, yes]), met('and', [yes, no]), met('or', [no, yes]), met('or', [no, no])]).toEqual([true, false, true, false])
    expect(met('and', [yes, { type: 'or', rules: [no, { type: 'and', rules: [yes, yes] }] }])).toBe(true)
  })
})
