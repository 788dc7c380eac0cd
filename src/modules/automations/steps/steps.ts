// What a run does next, from what was loaded of it.
import { isGivenUp } from '../../../lib/limits/claims.ts'
import { type Decision, decide, type Fact, type Outcome } from '../engine/decide.ts'
import { type RunState, stepStateOf } from '../engine/run-state.ts'
import type { Graph } from '../graph/graph.ts'
import type { KnownContact } from '../graph/references.ts'
import type { Advance } from '../runs/advances.repository.ts'
import type { ClaimedRun, RunFact } from '../runs/due-runs.repository.ts'

/** A run that was claimed, with everything that decides. `hasMoreFacts`: than `facts`, which are the first. */
export type LoadedRun = {
  run: ClaimedRun
  graph: Graph
  contact: KnownContact
  /** Fields that rules compare as dates. */
  dates?: ReadonlySet<string>
  facts: RunFact[]
  hasMoreFacts: boolean
}

const NOBODY: KnownContact = { email: '', first_name: null, last_name: null, unsubscribed: true, properties: {} }

/** Why a run ends without a step; null if it continues. */
export function findEnd({ automation, contact, ...run }: ClaimedRun): Extract<Fact, { kind: 'cancelled' | 'failed' }> | null {
  if (automation === null) return { kind: 'cancelled', reason: 'The automation was deleted.' }
  if (automation.isStopped) return { kind: 'cancelled', reason: 'The automation was stopped.' }
  if (contact === null) return { kind: 'cancelled', reason: 'The contact was deleted.' }
  return isGivenUp(run) ? { kind: 'failed', reason: 'The run could not be processed.' } : null
}

/** What the run was told, in order. Whether the time of a delay or a wait is over is looked at afterwards. */
export function replayFacts(loaded: LoadedRun, at: Date): Decision {
  const first = follow(loaded, loaded.run.state, { kind: 'begun' }, at)
  return loaded.facts.reduce(
    ({ state }, { stepKey, eventId, eventName, payload }) =>
      follow(loaded, state, { kind: 'event', key: stepKey, event: { id: eventId, name: eventName, payload } }, at),
    first,
  )
}

export const passTime = (loaded: LoadedRun, { state }: Decision, at: Date): Decision => follow(loaded, state, { kind: 'time' }, at)

export const acted = (loaded: LoadedRun, { state }: Decision, { key, outcome }: { key: string; outcome: Outcome }, at: Date): Decision =>
  follow(loaded, state, { kind: 'acted', key, outcome }, at)

export const ended = (run: ClaimedRun, fact: Extract<Fact, { kind: 'cancelled' | 'failed' }>, at: Date): Decision =>
  decide({ steps: [], connections: [] }, run.state, fact, { at, known: { event: {}, contact: NOBODY } })

const follow = ({ run, graph, contact, dates }: LoadedRun, state: RunState, fact: Fact, at: Date): Decision =>
  decide(graph, state, fact, { at, known: { event: run.payload, contact, ...(dates && { dates }) } })

/** What is stored of a decision. */
export function toAdvance(
  { run, graph, facts }: Pick<LoadedRun, 'run' | 'graph' | 'facts'>,
  { state, action }: Decision,
  { at, emails = [] }: { at: Date; emails?: Advance['emails'] },
): Advance {
  const before = listeningWaits(graph, run.state)
  const after = listeningWaits(graph, state)
  return {
    id: run.id,
    teamId: run.teamId,
    contactId: run.contactId,
    state,
    stateBefore: run.state,
    wakeAt: nextWakeAt(action, at),
    noted: facts.map(({ seq, stepKey }) => ({ seq, stepKey })),
    waits: [...after].flatMap(([stepKey, eventName]) => (before.has(stepKey) ? [] : [{ stepKey, eventName }])),
    left: [...before.keys()].filter((key) => !after.has(key)),
    emails,
  }
}

/** A wait whose time is over, but whose event was not told yet, is looked at again after this. When it is told, the run is woken. */
const EXPECTED_MS = 500

function nextWakeAt(action: Decision['action'], at: Date): Date | null {
  if (action.kind === 'act') return at
  if (action.kind === 'end' || action.until === null) return null
  return action.until > at ? action.until : new Date(at.getTime() + EXPECTED_MS)
}

/** Waits whose event the run is told of, by their keys: the wait that it is at, and those that timed out and whose event would be late. */
function listeningWaits(graph: Graph, { steps, status }: RunState): Map<string, string> {
  if (status !== 'running') return new Map()
  return new Map(
    graph.steps.flatMap((step) => {
      const state = stepStateOf(steps, step.key)
      if (step.type !== 'wait_for_event' || !state) return []
      const isListening = state.status === 'waiting' || (state.output?.timed_out === true && state.output.late_event === undefined)
      return isListening ? [[step.key, step.config.event_name]] : []
    }),
  )
}

/** Whether a run through this graph asks what becomes of its emails. */
export const followsEmails = ({ steps }: Graph): boolean =>
  steps.some((step) => step.type === 'wait_for_event' && step.config.event_name.startsWith('resend:'))
