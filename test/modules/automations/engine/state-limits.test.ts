import { describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { decide, type Fact } from '../../../../src/modules/automations/engine/decide.ts'
import {
  cutOutput,
  HEARD_BYTES_MAX,
  jsonBytes,
  newState,
  OUTPUT_BYTES_MAX,
  OUTPUT_TEXT_LENGTH_MAX,
  type RunState,
  STATE_BYTES_MAX,
} from '../../../../src/modules/automations/engine/run-state.ts'
import type { Graph, Step } from '../../../../src/modules/automations/graph/graph.ts'
import { STEP_KEY_LENGTH_MAX, STEPS_MAX } from '../../../../src/modules/automations/graph/steps.schema.ts'
import { EVENT_NAME_LENGTH_MAX, PAYLOAD_BYTES_MAX } from '../../../../src/modules/events/events.schema.ts'

const CONTACT = { email: 'ada@example.org', first_name: null, last_name: null, unsubscribed: false, properties: {} }
const follow = (graph: Graph, state: RunState, fact: Fact) =>
  decide(graph, state, fact, { at: new Date('2026-03-01T00:00:00.000Z'), known: { event: {}, contact: CONTACT } })

const long = 'x'.repeat(OUTPUT_TEXT_LENGTH_MAX + 1)
const short = `${'x'.repeat(OUTPUT_TEXT_LENGTH_MAX - 1)}…`

describe('an output', () => {
  it('that is short enough is kept as it is, however long its texts are', () => {
    const output = { to: ['ada@example.org'], template: { id: 'welcome', variables: { PRODUCT: long, COUNT: 2, NONE: null } } }
    expect(cutOutput(output)).toEqual(output)
  })

  it('that is too long has shorter texts, loses what comes last, and says so', () => {
    const variables = Object.fromEntries(['A', 'B', 'C', 'D', 'E', 'F'].map((key) => [key, long]))
    const output = cutOutput({ to: ['ada@example.org'], template: { id: 'welcome', variables } })
    expect(output).toEqual({
      to: ['ada@example.org'],
      template: { id: 'welcome', variables: { A: short, B: short, C: short, D: short } },
      is_cut: true,
    })
    expect(jsonBytes(output)).toBeLessThanOrEqual(OUTPUT_BYTES_MAX)
  })

  it.each([
    ['a text', 'x'.repeat(PAYLOAD_BYTES_MAX)],
    ['a text of characters that JSON escapes', '\u0001'.repeat(PAYLOAD_BYTES_MAX)],
    ['a text that would be cut within a character', '😀'.repeat(PAYLOAD_BYTES_MAX)],
    ['a list', Array.from({ length: 10_000 }, (_, index) => index)],
    ['lists in lists', JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`)],
    ['an object', Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key${index}`, { on: true }]))],
    ['a long key', { ['k'.repeat(PAYLOAD_BYTES_MAX)]: 1 }],
  ])('is bounded whatever its value is: %s', (_name, value) => {
    const output = cutOutput({ to: ['ada@example.org'], value })
    expect(output).toMatchObject({ to: ['ada@example.org'], is_cut: true })
    expect(jsonBytes(output)).toBeLessThanOrEqual(OUTPUT_BYTES_MAX)
    expect(JSON.stringify(output).isWellFormed()).toBe(true)
  })
})

describe('a run that would remember too much', () => {
  const wait = (name: string): Step => ({ key: name, type: 'wait_for_event', config: { event_name: name } })
  const names = ['one', 'two', 'three']
  const mail: Step = {
    key: 'mail',
    type: 'send_email',
    config: {
      template: { id: 'welcome', variables: Object.fromEntries(names.map((name) => [name, { var: `wait_events.${name}.text` }])) },
    },
  }
  const steps: Step[] = [{ key: 'start', type: 'trigger', config: { event_name: 'begun' } }, ...names.map(wait), mail]
  const graph: Graph = {
    steps,
    connections: steps.slice(0, -1).map(({ key, type }, index) => ({
      from: key,
      to: steps[index + 1]?.key ?? '',
      type: type === 'trigger' ? 'default' : 'event_received',
    })),
  }
  const hear = (state: RunState, name: string, length: number) =>
    follow(graph, state, { kind: 'event', key: name, event: { id: createId(), name, payload: { text: 'x'.repeat(length) } } }).state

  it('fails at the wait, says why, and remembers what it knew before', () => {
    const begun = follow(graph, newState({ id: createId(), name: 'begun' }), { kind: 'begun' }).state
    const two = hear(hear(begun, 'one', HEARD_BYTES_MAX / 2 - 100), 'two', HEARD_BYTES_MAX / 2 - 100)
    expect(two).toMatchObject({ status: 'running', at: 'three' })
    const three = hear(two, 'three', 200)
    const error =
      'The run would keep more than 128 KB of the events that it waited for. Send less in the event fields that later steps use.'
    expect(three).toMatchObject({
      status: 'failed',
      reason: `Step \`three\`: ${error}`,
      steps: { three: { status: 'failed', error, output: { timed_out: false, event: 'three' } } },
    })
    expect(three.heard).toEqual(two.heard)
  })
})

describe('the state of a run', () => {
  // JSON writes six bytes for each of these characters.
  const WIDE = '\u0001'
  const key = (index: number) => `${index}`.padEnd(STEP_KEY_LENGTH_MAX, WIDE)
  const name = 'e'.padEnd(EVENT_NAME_LENGTH_MAX, WIDE)
  const output = { variables: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`V${index}`, WIDE.repeat(OUTPUT_BYTES_MAX)])) }

  it('stays bounded with the most steps, the longest keys and the largest outputs', () => {
    const steps: Step[] = [
      { key: 'start', type: 'trigger', config: { event_name: name } },
      ...Array.from(
        { length: STEPS_MAX - 1 },
        (_, index): Step => ({ key: key(index), type: 'send_email', config: { template: { id: 'welcome' } } }),
      ),
    ]
    const connections = steps.slice(1).map((step, index) => ({ from: steps[index]?.key ?? '', to: step.key, type: 'default' as const }))
    const graph = { steps, connections }
    let state = follow(graph, newState({ id: createId(), name }), { kind: 'begun' }).state
    while (state.at !== null) {
      const isLast = Object.keys(state.steps).length === STEPS_MAX
      const outcome = isLast
        ? ({ status: 'failed', output, error: WIDE.repeat(PAYLOAD_BYTES_MAX) } as const)
        : ({ status: 'completed', output } as const)
      state = follow(graph, state, { kind: 'acted', key: state.at, outcome }).state
    }
    expect(Object.keys(state.steps)).toHaveLength(STEPS_MAX)
    expect(state.status).toBe('failed')
    expect(jsonBytes(state) + HEARD_BYTES_MAX).toBeLessThanOrEqual(STATE_BYTES_MAX)
  })
})
