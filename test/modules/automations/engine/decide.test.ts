import { describe, expect, it } from 'vitest'
import { decide, type Fact, nextAction } from '../../../../src/modules/automations/engine/decide.ts'
import { newState, type RunState } from '../../../../src/modules/automations/engine/run-state.ts'
import type { Graph, Step } from '../../../../src/modules/automations/graph/graph.ts'

const CONTACT = { email: 'ada@example.org', first_name: 'Ada', last_name: null, unsubscribed: false, properties: {} }
const START = new Date('2026-03-01T00:00:00.000Z')
const later = (seconds: number): Date => new Date(START.getTime() + seconds * 1_000)

const trigger: Step = { key: 'start', type: 'trigger', config: { event_name: 'signed.up' } }
const mail: Step = { key: 'mail', type: 'send_email', config: { template: { id: 'welcome' } } }
const pause: Step = { key: 'pause', type: 'delay', config: { duration: '1 minute' } }
const paid: Step = {
  key: 'paid',
  type: 'wait_for_event',
  config: { event_name: 'paid', timeout: '1 minute', filter_rule: { type: 'rule', field: 'event.total', operator: 'gt', value: 5 } },
}
const chain = (...steps: Step[]): Graph => ({
  steps: [trigger, ...steps],
  connections: [trigger, ...steps].slice(0, -1).map(({ key, type }, index) => ({
    from: key,
    to: steps[index]?.key ?? '',
    type: type === 'wait_for_event' ? 'event_received' : 'default',
  })),
})

const fresh = newState({ id: 'e1', name: 'signed.up' })
const follow = (graph: Graph, state: RunState, fact: Fact, at = START) =>
  decide(graph, state, fact, { at, known: { event: {}, contact: CONTACT } })
const paidEvent = (total: number, id = 'e2'): Fact => ({ kind: 'event', key: 'paid', event: { id, name: 'paid', payload: { total } } })
const done = { startedAt: START.toISOString(), completedAt: START.toISOString(), until: null, error: null }

describe('a run', () => {
  it('begins with its trigger, and asks for an act', () => {
    const { state, action } = follow(chain(mail), fresh, { kind: 'begun' })
    expect(action).toEqual({ kind: 'act', step: mail })
    expect(state).toEqual({
      status: 'running',
      reason: null,
      at: 'mail',
      trigger: { id: 'e1', name: 'signed.up' },
      steps: {
        start: { ...done, status: 'completed', output: { event: 'signed.up', event_id: 'e1' } },
        mail: { ...done, status: 'running', completedAt: null, output: null },
      },
      heard: {},
    })
    expect(follow(chain(mail), state, { kind: 'begun' }).state).toEqual(state)
  })

  it('continues after an act that was skipped, and ends at one that failed', () => {
    const { state } = follow(chain(mail, pause), fresh, { kind: 'begun' })
    const acted = (outcome: Extract<Fact, { kind: 'acted' }>['outcome']) =>
      follow(chain(mail, pause), state, { kind: 'acted', key: 'mail', outcome }, later(1))
    expect(acted({ status: 'skipped', output: { why: 'unsubscribed' } }).action).toEqual({ kind: 'sleep', key: 'pause', until: later(61) })
    const failed = acted({ status: 'failed', error: 'No such template.' })
    expect(failed.action).toEqual({ kind: 'end' })
    expect(failed.state).toMatchObject({ status: 'failed', reason: 'Step `mail`: No such template.', at: null })
  })

  it('takes no note of what became of an act that it is not at', () => {
    const { state } = follow(chain(mail, pause), fresh, { kind: 'begun' })
    const acted: Fact = { kind: 'acted', key: 'mail', outcome: { status: 'completed', output: {} } }
    const after = follow(chain(mail, pause), state, acted).state
    expect(follow(chain(mail, pause), after, acted).state).toEqual(after)
  })

  it('sleeps until its delay is over, to the millisecond', () => {
    const { state } = follow(chain(pause), fresh, { kind: 'begun' })
    expect(follow(chain(pause), state, { kind: 'time' }, new Date(later(60).getTime() - 1)).state).toEqual(state)
    expect(follow(chain(pause), state, { kind: 'time' }, later(60)).state).toMatchObject({ status: 'completed', at: null })
  })

  it('ends after its contact was deleted by a step, whatever follows', () => {
    const graph = chain({ key: 'delete', type: 'contact_delete', config: {} }, mail)
    const { state } = follow(graph, fresh, { kind: 'begun' })
    const after = follow(graph, state, { kind: 'acted', key: 'delete', outcome: { status: 'completed', output: {} } })
    expect(after.state).toMatchObject({ status: 'completed', at: null })
    expect(Object.keys(after.state.steps)).toEqual(['start', 'delete'])
  })

  it.each(['cancelled', 'failed'] as const)('is %s where it stands, and nothing follows', (kind) => {
    const { state } = follow(chain(pause, mail), fresh, { kind: 'begun' })
    const after = follow(chain(pause, mail), state, { kind, reason: 'It was stopped.' })
    expect(after.state).toMatchObject({ status: kind, reason: 'It was stopped.', at: null, steps: { pause: { status: 'skipped' } } })
    expect(follow(chain(pause, mail), after.state, { kind: 'time' }, later(99))).toEqual({ state: after.state, action: { kind: 'end' } })
  })
})

describe('a wait', () => {
  const graph = chain(paid, mail)
  const { state, action } = follow(graph, fresh, { kind: 'begun' })

  it('asks for its event, until its time is over', () =>
    expect(action).toEqual({ kind: 'wait', key: 'paid', eventName: 'paid', until: later(60) }))

  it('hears an event that its filter finds', () => {
    const heard = follow(graph, state, paidEvent(6), later(1))
    expect(heard.action).toEqual({ kind: 'act', step: mail })
    expect(heard.state.steps.paid?.output).toEqual({ timed_out: false, event: 'paid', event_id: 'e2' })
  })

  it('notes the first of the events that come with the one that it hears', () => {
    const first = follow(graph, state, paidEvent(6), later(1)).state
    const noted = follow(graph, first, paidEvent(7, 'e3'), later(1)).state
    expect(follow(graph, first, paidEvent(5, 'e3'), later(1)).state).toEqual(first)
    expect(follow(graph, first, paidEvent(6), later(1)).state).toEqual(first)
    const late_event = { event: 'paid', event_id: 'e3', at: later(1).toISOString() }
    expect(noted.steps.paid?.output).toEqual({ timed_out: false, event: 'paid', event_id: 'e2', late_event })
    expect(follow(graph, noted, paidEvent(8, 'e4'), later(1)).state).toEqual(noted)
  })

  it.each([
    ['its filter does not find', paidEvent(5)],
    ['started the run', paidEvent(6, 'e1')],
  ])('does not hear an event that %s', (_which, fact) => expect(follow(graph, state, fact, later(1)).state).toEqual(state))

  it('lets the event win that is told before the time, and notes that the time is over', () => {
    const heard = follow(graph, state, paidEvent(6), later(61))
    expect(heard.state.steps.paid?.output).toEqual({
      timed_out: false,
      event: 'paid',
      event_id: 'e2',
      late_timeout: later(60).toISOString(),
    })
  })

  it('without a connection for its timeout ends the run, and notes the first event that comes late, and that its filter finds, only while the run lasts', () => {
    const ended = follow(graph, state, { kind: 'time' }, later(60))
    expect(ended.state).toMatchObject({
      status: 'completed',
      at: null,
      steps: { paid: { status: 'completed', output: { timed_out: true } } },
    })

    const goesOn: Graph = { ...graph, connections: [...graph.connections, { from: 'paid', to: 'mail', type: 'timeout' }] }
    const after = follow(goesOn, state, { kind: 'time' }, later(60))
    const late = follow(goesOn, after.state, paidEvent(6), later(62))
    expect(late.action).toEqual({ kind: 'act', step: mail })
    expect(follow(goesOn, after.state, paidEvent(5), later(61)).state).toEqual(after.state)
    const output = { timed_out: true, late_event: { event: 'paid', event_id: 'e2', at: later(62).toISOString() } }
    expect(late.state.steps.paid?.output).toEqual(output)
    expect(follow(goesOn, late.state, paidEvent(7, 'e3'), later(63)).state).toEqual(late.state)
  })
})

it('a join is gone through once, whichever branch leads to it', () => {
  const steps: Step[] = [trigger, paid, mail]
  const connections: Graph['connections'] = [
    { from: 'start', to: 'paid', type: 'default' },
    { from: 'paid', to: 'mail', type: 'timeout' },
    { from: 'paid', to: 'mail', type: 'event_received' },
  ]
  const { state } = follow({ steps, connections }, fresh, { kind: 'begun' })
  const heard = follow({ steps, connections }, state, paidEvent(6), later(61)).state
  expect(follow({ steps, connections }, heard, { kind: 'time' }, later(99)).state).toEqual(heard)
  expect(nextAction({ steps, connections }, heard)).toEqual({ kind: 'act', step: mail })
})
