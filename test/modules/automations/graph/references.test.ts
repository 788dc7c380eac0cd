import { describe, expect, it } from 'vitest'
import type { Graph } from '../../../../src/modules/automations/graph/graph.ts'
import { heardFields, type Known, parseReference, referredValue } from '../../../../src/modules/automations/graph/references.ts'

const known: Known = {
  event: { total: 49.9, firstName: 'Ada', 'a.b': 'whole name', a: { b: 'nested', c: [1, 2] }, toString: 'own' },
  contact: {
    email: 'ada@example.org',
    first_name: 'Ada',
    last_name: null,
    unsubscribed: false,
    properties: { plan: 'pro', email: 'not this' },
  },
  heard: { order: { 'paid.total': 'of order' }, 'order.paid': { total: 7 } },
}

describe('referredValue', () => {
  it.each([
    ['event.total', 49.9],
    ['event.firstName', 'Ada'],
    ['event.a.b', 'whole name'],
    ['event.a.c', [1, 2]],
    ['event.a.c.1', 2],
    ['event.missing', undefined],
    ['event.total.more', undefined],
    ['event.toString', 'own'],
    ['event.constructor', undefined],
    ['event.__proto__', undefined],
    ['contact.email', 'ada@example.org'],
    ['contact.last_name', null],
    ['contact.properties.plan', 'pro'],
    ['contact.plan', 'pro'],
    ['contact.properties.email', 'not this'],
    ['contact.properties.constructor', undefined],
    ['wait_events.order.paid.total', 7],
    ['wait_events.other.total', undefined],
  ])('%s', (text, expected) => {
    const reference = parseReference(text)
    expect(reference && referredValue(reference, known)).toEqual(expected)
  })
})

it.each(['', 'event', 'event.', 'contact.', 'contact', 'events.total', 'wait_events.', `event.${'x'.repeat(500)}`])(
  'is no reference: %j',
  (text) => expect(parseReference(text)).toBe(null),
)

it('keeps of an event that was waited for only what the steps refer to', () => {
  const graph: Graph = {
    steps: [
      {
        key: 'mail',
        type: 'send_email',
        config: { template: { id: 't', variables: { A: { var: 'wait_events.paid.total' }, B: 'paid.secret' } } },
      },
      {
        key: 'change',
        type: 'contact_update',
        config: { first_name: { var: 'wait_events.paid.who.name' }, properties: { p: { var: 'event.x' } } },
      },
    ],
    connections: [],
  }
  const payload = { total: 5, who: { name: 'Ada' }, secret: 'no', x: 1 }
  expect(heardFields(graph, 'paid', payload)).toEqual({ total: 5, who: { name: 'Ada' } })
  expect(heardFields(graph, 'other', payload)).toEqual({})
})
