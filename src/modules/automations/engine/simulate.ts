// A run on a clock of its own: the same decisions, without rows, and without waiting.
import type { Graph } from '../graph/graph.ts'
import type { Fields, Known, KnownContact } from '../graph/references.ts'
import { type ActStep, type Decision, decide, type Fact, type Outcome } from './decide.ts'
import { newState, type RunState } from './run-state.ts'

export type TimedEvent = { id: string; name: string; payload: Fields; at: Date }

export type Simulation = {
  trigger: { id: string; name: string; payload: Fields }
  contact: KnownContact
  /** Fields that rules compare as dates. */
  dates?: ReadonlySet<string>
  startsAt: Date
  /** What happens meanwhile. */
  events: TimedEvent[]
  /** What would become of an act. `contact`: as it would be afterwards, if the act changes it. */
  perform: (step: ActStep, known: Known, at: Date) => Promise<{ outcome: Outcome; contact?: KnownContact }>
}

/** The state at the end, or where the run would go on waiting for an event that none of the given ones is. */
export async function simulateRun(graph: Graph, simulation: Simulation): Promise<{ state: RunState; endsAt: Date }> {
  const { trigger, startsAt, perform, dates } = simulation
  const events = simulation.events.toSorted((one, other) => one.at.getTime() - other.at.getTime())
  let { contact } = simulation
  let at = startsAt
  const known = () => ({ event: trigger.payload, contact, ...(dates && { dates }) })
  const follow = ({ state }: Pick<Decision, 'state'>, fact: Fact): Decision => decide(graph, state, fact, { at, known: known() })

  let decision = follow({ state: newState(trigger) }, { kind: 'begun' })
  for (;;) {
    const { state, action } = decision
    if (action.kind === 'end') return { state, endsAt: at }
    if (action.kind === 'act') {
      const performed = await perform(action.step, { ...known(), heard: state.heard }, at)
      contact = performed.contact ?? contact
      decision = follow(decision, { kind: 'acted', key: action.step.key, outcome: performed.outcome })
      continue
    }
    const heard = action.kind === 'wait' ? nextEvent(events, action, at) : undefined
    if (heard) {
      events.splice(0, events.indexOf(heard) + 1)
      at = heard.at
      decision = follow(decision, { kind: 'event', key: action.key, event: heard })
    } else if (action.until !== null) {
      at = action.until
      decision = follow(decision, { kind: 'time' })
    } else return { state, endsAt: at }
  }
}

/** An event of the moment in which the wait begins is older than the wait; one of the moment in which it ends comes before its end. */
const nextEvent = (events: TimedEvent[], { eventName, until }: { eventName: string; until: Date | null }, from: Date) =>
  events.find(({ name, at }) => name === eventName && at > from && (until === null || at <= until))
