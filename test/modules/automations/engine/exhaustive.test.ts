// Every graph of up to four steps, with every order of events and times, and a crash between any two writes, against a simple interpreter.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Decision, decide, type Fact } from '../../../../src/modules/automations/engine/decide.ts'
import { newState, type RunState } from '../../../../src/modules/automations/engine/run-state.ts'
import { CONNECTIONS_OF, type Graph } from '../../../../src/modules/automations/graph/graph.ts'
import { type Input, interpret, type Told } from './interpreter.ts'
import { choices, graphsOf, KINDS, stepOfKind, TRIGGER } from './small-graphs.ts'

const HOUR_MS = 3_600_000
const CONTACT = { email: 'ada@example.org', first_name: null, last_name: null, unsubscribed: false, properties: {} }

/** What is stored. Each write replaces it as a whole, as a transaction does. */
type Rows = {
  state: RunState
  /** Keys of waits, those included whose time is over. */
  waits: readonly string[]
  facts: readonly { key: string; id: string }[]
  acts: readonly string[]
}

/** Does what the workers do, on rows in memory. `crashesAt`: the number of the write that is lost with its process. */
function run(
  graph: Graph,
  { yes, inputs, crashesAt }: { yes: boolean; inputs: readonly Input[]; crashesAt: number | null },
): Rows & { writes: number; hasCrashed: boolean } {
  let rows: Rows = { state: newState({ id: 'trigger', name: 'begun' }), waits: [], facts: [], acts: [] }
  let ms = 0
  let events = 0
  let writes = 0
  let hasCrashed = false
  const store = (next: Rows): void => {
    writes += 1
    if (writes === crashesAt) hasCrashed = true
    else rows = next
  }
  const follow = (state: RunState, fact: Fact): Decision =>
    decide(graph, state, fact, { at: new Date(ms), known: { event: { yes }, contact: CONTACT } })

  /** One transaction: what has come, what the time is, and one act. */
  function look(): void {
    let decision = follow(rows.state, { kind: 'begun' })
    for (const { key, id } of rows.facts) {
      decision = follow(decision.state, { kind: 'event', key, event: { id, name: 'heard', payload: {} } })
    }
    decision = follow(decision.state, { kind: 'time' })
    const acts = [...rows.acts]
    if (decision.action.kind === 'act') {
      const { key } = decision.action.step
      acts.push(key)
      decision = follow(decision.state, { kind: 'acted', key, outcome: { status: 'completed', output: {} } })
    }
    const { state, action } = decision
    const waits = action.kind === 'end' ? [] : Object.keys(state.steps).filter((key) => isListening(graph, state, key))
    store({ state, waits, facts: [], acts })
  }

  /** As long as there is something to do at once; again after a crash. */
  function lookUntilQuiet(): void {
    for (let before: Rows | null = null; before?.state !== rows.state; ) {
      before = rows
      const written = writes
      look()
      if (writes === crashesAt && written < writes) before = null
      else if (JSON.stringify(before.state) === JSON.stringify(rows.state)) return
    }
  }

  lookUntilQuiet()
  for (const input of inputs) {
    if (input === 'hour') ms += HOUR_MS
    else if (input === 'look') lookUntilQuiet()
    else {
      const id = `event ${events++}`
      const facts = [...rows.facts, ...rows.waits.map((key) => ({ key, id }))]
      store({ ...rows, facts })
      // Its answer has not been given, so it is sent again, or handed out again.
      if (writes === crashesAt) store({ ...rows, facts })
    }
  }
  return { ...rows, writes, hasCrashed }
}

function isListening(graph: Graph, { steps }: RunState, key: string): boolean {
  const { status, output } = steps[key] ?? {}
  return (
    graph.steps.some((step) => step.key === key && step.type === 'wait_for_event') && (status === 'waiting' || output?.timed_out === true)
  )
}

function told({ state, acts }: Pick<Rows, 'state' | 'acts'>): Told {
  const late = Object.entries(state.steps).flatMap(([key, { output }]) => (output?.late_event === undefined ? [] : [key]))
  return { path: Object.keys(state.steps), acts: [...acts], late, isOver: state.status === 'completed' }
}

const sorted = ({ late, ...rest }: Told): Told => ({ ...rest, late: late.toSorted() })

const INPUTS = ['event', 'hour', 'look'] as const

/** With no common factor with the number of orders of inputs, so that an order is not lost at the same place in every graph. */
const PLACES = 31

it.each([
  { steps: 1, inputs: 6, at: 'any' },
  { steps: 2, inputs: 4, at: 'any' },
  { steps: 3, inputs: 3, at: 'any' },
  // Longer orders, each with a crash at a place that moves on.
  { steps: 2, inputs: 6, at: 'some' },
  { steps: 3, inputs: 4, at: 'some' },
] as const)(
  'runs through every graph of $steps steps and a trigger as it must with every order of $inputs inputs, whether $at write is lost',
  ({ steps, inputs: length, at }) => {
    let compared = 0
    let tried = 0
    let crashes = 0
    for (const graph of graphsOf(steps)) {
      for (const inputs of choices(length, INPUTS)) {
        const yes = compared % 2 === 0
        const expected = sorted(interpret(graph, { yes, inputs }))
        const runAndCompare = (crashesAt: number | null): number => {
          const { writes, hasCrashed, ...rows } = run(graph, { yes, inputs, crashesAt })
          const found = sorted(told(rows))
          if (JSON.stringify(found) !== JSON.stringify(expected)) expect({ graph, yes, inputs, crashesAt, found }).toEqual(expected)
          if (hasCrashed) crashes += 1
          return writes
        }
        const writes = runAndCompare(null)
        const places = at === 'any' ? Array.from({ length: writes }, (_, index) => index + 1) : [((compared % PLACES) % writes) + 1]
        for (const place of places) runAndCompare(place)
        tried += places.length
        compared += 1
      }
    }
    expect(compared).toBeGreaterThan(3 ** length)
    expect(tried).toBeGreaterThanOrEqual(compared)
    expect(crashes).toBe(tried)
  },
)

const bigGraph = fc.array(fc.constantFrom(...KINDS), { minLength: 4, maxLength: 29 }).chain((kinds) => {
  const steps = [TRIGGER, ...kinds.map((kind, index) => stepOfKind(kind, `s${index + 1}`))]
  const ports = steps.flatMap(({ key, type }, index) => CONNECTIONS_OF[type].map((port) => ({ from: key, type: port, index })))
  // Zero: it leads nowhere.
  return fc.tuple(...ports.map(() => fc.nat(4))).map(
    (hops): Graph => ({
      steps,
      connections: ports.flatMap(({ from, type, index }, place) => {
        const to = steps[index + (index === 0 ? 1 : (hops[place] ?? 0))]
        return to && to.key !== from ? [{ from, type, to: to.key }] : []
      }),
    }),
  )
})

it('runs through graphs of up to 30 steps as it must, with any inputs and a crash anywhere', () => {
  const inputs = fc.array(fc.constantFrom(...INPUTS), { maxLength: 60 })
  fc.assert(
    fc.property(bigGraph, inputs, fc.boolean(), fc.option(fc.integer({ min: 1, max: 90 })), (graph, given, yes, crashesAt) => {
      expect(sorted(told(run(graph, { yes, inputs: given, crashesAt })))).toEqual(sorted(interpret(graph, { yes, inputs: given })))
    }),
    { numRuns: 500 },
  )
})
