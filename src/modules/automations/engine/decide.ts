// What a run does next: a pure function of its graph, its state and one thing that has become known. Everything around it only reads, calls it and stores.
import { assertNever } from '../../../lib/problem.ts'
import { type ConnectionType, type Graph, type Step, stepDurationMs } from '../graph/graph.ts'
import { datesOfAwaited, type Fields, heardFields, isMet, type Known } from '../graph/references.ts'
import {
  cutOutput,
  cutText,
  ERROR_LENGTH_MAX,
  HEARD_BYTES_MAX,
  jsonBytes,
  type RunState,
  type StepState,
  stepStateOf,
} from './run-state.ts'

/** What became of an act. A skipped one was not done, and the run continues; a failed one ends it. */
export type Outcome =
  | { status: 'completed' | 'skipped'; output: Record<string, unknown> }
  | { status: 'failed'; output?: Record<string, unknown>; error: string }

export type Fact =
  | { kind: 'begun' }
  /** Time has passed. */
  | { kind: 'time' }
  /** An event that the wait with this key asked for. */
  | { kind: 'event'; key: string; event: { id: string; name: string; payload: Fields } }
  | { kind: 'acted'; key: string; outcome: Outcome }
  | { kind: 'cancelled'; reason: string }
  | { kind: 'failed'; reason: string }

/** Steps that do something outside of their run: all but those through which the run itself goes. */
export type ActStep = Exclude<Step, { type: 'trigger' | 'delay' | 'wait_for_event' | 'condition' }>

/** What a run needs now. */
export type Action =
  | { kind: 'act'; step: ActStep }
  | { kind: 'sleep'; key: string; until: Date }
  /** `until`: null if it waits until the event comes. */
  | { kind: 'wait'; key: string; eventName: string; until: Date | null }
  | { kind: 'end' }

/** What a run does not know of itself. */
export type KnownOutside = Omit<Known, 'heard'>

export type Decision = { state: RunState; action: Action }

/** A fact that comes too late, or that the run does not ask for, changes nothing, or is only noted. */
export function decide(graph: Graph, state: RunState, fact: Fact, { at, known }: { at: Date; known: KnownOutside }): Decision {
  const walk = startWalk(graph, state, { at, known })
  if (state.status === 'running') take(walk, state, fact)
  return { state: walk.state(), action: nextAction(graph, walk.state()) }
}

function take(walk: Walk, { at: key, steps }: RunState, fact: Fact): void {
  switch (fact.kind) {
    case 'begun':
      if (Object.keys(steps).length === 0) walk.begin()
      return
    case 'time':
      if (key !== null) walk.passTime(key)
      return
    case 'event':
      if (fact.key === key) walk.observe(key, fact.event)
      else walk.noteLate(fact.key, fact.event)
      return
    case 'acted':
      if (fact.key === key) walk.complete(key, fact.outcome)
      return
    case 'cancelled':
      walk.end('cancelled', fact.reason)
      return
    case 'failed':
      walk.end('failed', fact.reason)
      return
    default:
      assertNever(fact)
  }
}

type Walk = ReturnType<typeof startWalk>

function startWalk(graph: Graph, before: RunState, { at: moment, known }: { at: Date; known: KnownOutside }) {
  const at = moment.toISOString()
  let state = before

  const set = (key: string, step: StepState): void => {
    state = { ...state, steps: { ...state.steps, [key]: step } }
  }
  const begun = (status: StepState['status'], until: string | null = null): StepState => ({
    status,
    startedAt: at,
    completedAt: null,
    until,
    output: null,
    error: null,
  })

  function end(status: Exclude<RunState['status'], 'running'>, reason: string | null): void {
    const step = state.at === null ? undefined : stepStateOf(state.steps, state.at)
    if (state.at !== null && step && step.completedAt === null) set(state.at, { ...step, status: 'skipped', completedAt: at })
    state = { ...state, status, reason, at: null }
  }

  function leave(key: string, outcome: Outcome, by: ConnectionType): void {
    const step = stepStateOf(state.steps, key) ?? begun('running')
    const error = outcome.status === 'failed' ? cutText(outcome.error, ERROR_LENGTH_MAX) : null
    const output = outcome.output ? cutOutput(outcome.output) : null
    set(key, { ...step, status: outcome.status, completedAt: at, output, error })
    const following = graph.connections.find(({ from, type }) => from === key && type === by)
    if (error !== null) end('failed', `Step \`${key}\`: ${error}`)
    // Without its contact there is nothing that it could do.
    else if (following && stepOf(graph, key).type !== 'contact_delete') enter(following.to)
    else end('completed', null)
  }

  function enter(key: string): void {
    const step = stepOf(graph, key)
    state = { ...state, at: key }
    if (step.type === 'trigger') {
      const { id, name } = state.trigger
      leave(key, { status: 'completed', output: { event: name, event_id: id } }, 'default')
    } else if (step.type === 'condition') {
      const met = isMet(step.config, { ...known, heard: state.heard })
      leave(key, { status: 'completed', output: { met } }, met ? 'condition_met' : 'condition_not_met')
    } else if (step.type === 'delay') wait(key, step.config.duration)
    else if (step.type === 'wait_for_event') wait(key, step.config.timeout ?? null)
    else set(key, begun('running'))
  }

  /** Null: without an end. */
  function wait(key: string, duration: string | null): void {
    const ms = duration === null ? null : stepDurationMs(duration)
    if (duration !== null && ms === null) leave(key, { status: 'failed', error: 'Its duration cannot be read.' }, 'default')
    else set(key, begun('waiting', ms === null ? null : new Date(moment.getTime() + ms).toISOString()))
  }

  /** The event that started the run is never the one that a wait asks for. */
  function isAskedFor(key: string, { id, payload }: EventFact): boolean {
    const step = stepOf(graph, key)
    if (step.type !== 'wait_for_event' || id === state.trigger.id) return false
    // A filter sees the event that is waited for, and not the one that started the run.
    if (!step.config.filter_rule) return true
    const dates = datesOfAwaited(known.dates, step.config.event_name)
    return isMet(step.config.filter_rule, { ...known, event: payload, heard: state.heard, ...(dates && { dates }) })
  }

  return {
    state: () => state,
    end,

    begin(): void {
      const trigger = graph.steps.find(({ type }) => type === 'trigger')
      if (trigger) enter(trigger.key)
      else end('failed', 'The automation has no trigger.')
    },

    passTime(key: string): void {
      const waiting = stepStateOf(state.steps, key)
      if (waiting?.status !== 'waiting' || waiting.until === null || Date.parse(waiting.until) > moment.getTime()) return
      if (stepOf(graph, key).type === 'delay') leave(key, { status: 'completed', output: {} }, 'default')
      else leave(key, { status: 'completed', output: { timed_out: true } }, 'timeout')
    },

    observe(key: string, event: EventFact): void {
      const { id, name, payload } = event
      const waiting = stepStateOf(state.steps, key)
      if (waiting?.status !== 'waiting' || !isAskedFor(key, event)) return
      const isPastTimeout = waiting.until !== null && Date.parse(waiting.until) <= moment.getTime()
      const output = { timed_out: false, event: name, event_id: id, ...(isPastTimeout && { late_timeout: waiting.until }) }
      const heard = { ...state.heard, [name]: heardFields(graph, name, payload) }
      if (jsonBytes(heard) > HEARD_BYTES_MAX) leave(key, { status: 'failed', output, error: TOO_MUCH_HEARD }, 'event_received')
      else {
        state = { ...state, heard }
        leave(key, { status: 'completed', output }, 'event_received')
      }
    },

    /** The time of the wait was over first, or another event was. */
    noteLate(key: string, event: EventFact): void {
      const { id, name } = event
      const step = stepStateOf(state.steps, key)
      if (step?.output?.timed_out === undefined || step.output.late_event !== undefined || !isAskedFor(key, event)) return
      // Told again.
      if (step.output.event_id === id) return
      set(key, { ...step, output: { ...step.output, late_event: { event: name, event_id: id, at } } })
    },

    complete(key: string, outcome: Outcome): void {
      if (stepStateOf(state.steps, key)?.status !== 'running') return
      leave(key, outcome, 'default')
    },
  }
}

const TOO_MUCH_HEARD = `The run would keep more than ${HEARD_BYTES_MAX / 1024} KB of the events that it waited for. Send less in the event fields that later steps use.`

type EventFact = Extract<Fact, { kind: 'event' }>['event']

function stepOf({ steps }: Graph, key: string): Step {
  const step = steps.find((each) => each.key === key)
  if (!step) throw new Error('A run is at a step that its graph does not have')
  return step
}

/** What a run in this state needs. */
export function nextAction(graph: Graph, { at, steps }: RunState): Action {
  if (at === null) return { kind: 'end' }
  const step = stepOf(graph, at)
  const ends = stepStateOf(steps, at)?.until ?? null
  const until = ends === null ? null : new Date(ends)
  if (step.type === 'wait_for_event') return { kind: 'wait', key: at, eventName: step.config.event_name, until }
  if (step.type === 'delay' && until !== null) return { kind: 'sleep', key: at, until }
  if (step.type === 'trigger' || step.type === 'condition' || step.type === 'delay')
    throw new Error('A run stands at a step that is not waited for')
  return { kind: 'act', step }
}
