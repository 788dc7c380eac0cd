// What became of the steps of a run, for people: those that it has come to, those that it may still come to, and those that it never will.
import { type RunState, type StepState, stepStateOf } from '../engine/run-state.ts'
import { type Connection, type Graph, type Step, type StepType, stepsInOrder } from '../graph/graph.ts'

// Which connections runs have followed: what became of a step says by which it was left.

/** `met`, `timedOut`: null unless the step decided that. */
export type LeftStep = { status: StepState['status']; hasOutput: boolean; met: boolean | null; timedOut: boolean | null }

/** Whether a run that left a step like this followed the connection. */
export function isFollowed({ type }: Connection, fromType: StepType, { status, hasOutput, met, timedOut }: LeftStep): boolean {
  // A step that was not done has said why; one at which a run ended has said nothing. Without its contact a run ends.
  const isLeft = status === 'completed' || (status === 'skipped' && hasOutput)
  if (!isLeft || fromType === 'contact_delete') return false
  if (fromType === 'condition') return type === (met ? 'condition_met' : 'condition_not_met')
  if (fromType === 'wait_for_event') return type === (timedOut ? 'timeout' : 'event_received')
  return type === 'default'
}

/** How many runs followed each connection, in the order of the graph. */
export function followedCounts({ steps, connections }: Graph, counts: (LeftStep & { key: string; count: number })[]): number[] {
  const types = new Map(steps.map(({ key, type }) => [key, type]))
  return connections.map((connection) => {
    const fromType = types.get(connection.from)
    const left = counts.filter((each) => each.key === connection.from && fromType && isFollowed(connection, fromType, each))
    return left.reduce((sum, { count }) => sum + count, 0)
  })
}

/** How one run left a step. */
export const leftStep = ({ status, output }: StepState): LeftStep => ({
  status,
  hasOutput: output !== null,
  met: typeof output?.met === 'boolean' ? output.met : null,
  timedOut: typeof output?.timed_out === 'boolean' ? output.timed_out : null,
})

export const STEP_STATUSES = ['pending', 'running', 'waiting', 'completed', 'failed', 'skipped'] as const
export type ShownStatus = (typeof STEP_STATUSES)[number]

export type StepsOfRun = Pick<RunState, 'at' | 'steps'>

export type ShownStep = { step: Step; status: ShownStatus; reached: StepState | null }

/** Lists the steps in graph order. `endedAt`: when the run was canceled, if its steps do not know yet. */
export function stepsOfRun(graph: Graph, { at, steps }: StepsOfRun, { endedAt }: { endedAt: string | null }): ShownStep[] {
  const ahead = endedAt === null && at !== null ? stepsAfter(graph, at) : new Set<string>()
  return stepsInOrder(graph).map((step) => {
    const reached = stepStateOf(steps, step.key)
    if (!reached) return { step, status: ahead.has(step.key) ? 'pending' : 'skipped', reached: null }
    if (endedAt === null || reached.completedAt !== null) return { step, status: reached.status, reached }
    return { step, status: 'skipped', reached: { ...reached, status: 'skipped', completedAt: endedAt } }
  })
}

/** The keys of all steps to which a way leads from this one. */
function stepsAfter({ connections }: Graph, key: string): Set<string> {
  const found = new Set<string>()
  const waiting = [key]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { from, to } of connections) {
      if (from !== next || found.has(to)) continue
      found.add(to)
      waiting.push(to)
    }
  }
  return found
}
