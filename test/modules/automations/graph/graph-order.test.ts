import { expect, test } from 'vitest'
import { type Graph, stepsInOrder } from '../../../../src/modules/automations/graph/graph.ts'

const graph: Graph = {
  steps: [
    { key: 'goodbye', type: 'contact_delete', config: {} },
    { key: 'no-1', type: 'delay', config: { duration: '1 day' } },
    { key: 'big', type: 'condition', config: { type: 'rule', field: 'event.total', operator: 'gt', value: 100 } },
    { key: 'yes', type: 'delay', config: { duration: '2 days' } },
    { key: 'no-2', type: 'delay', config: { duration: '1 hour' } },
    { key: 'start', type: 'trigger', config: { event_name: 'order.paid' } },
  ],
  connections: [
    { from: 'no-2', to: 'goodbye', type: 'default' },
    { from: 'big', to: 'no-1', type: 'condition_not_met' },
    { from: 'big', to: 'yes', type: 'condition_met' },
    { from: 'start', to: 'big', type: 'default' },
    { from: 'no-1', to: 'no-2', type: 'default' },
    { from: 'yes', to: 'goodbye', type: 'default' },
  ],
}

test('puts each step after all that lead to it, with the steps of a branch together', () => {
  expect(stepsInOrder(graph).map(({ key }) => key)).toEqual(['start', 'big', 'yes', 'no-1', 'no-2', 'goodbye'])
})

test('a graph without a trigger has no order', () => {
  expect(stepsInOrder({ steps: [], connections: [] })).toEqual([])
})
