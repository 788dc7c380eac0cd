// What became of the steps of a run, for people: those that it has come to, those that it may still come to, and those that it never will.
import { type RunState, type StepState, stepStateOf } from '../engine/run-state.ts'
import { type Graph, type Step, stepsInOrder } from '../graph/graph.ts'

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
