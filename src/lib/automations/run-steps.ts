// What became of the steps of a run, for people: those that it has come to, those that it may still come to, and those that it never will.
import type { Graph, Step } from './graph.ts'
import { stepsInOrder } from './graph-order.ts'

export const RUN_STATUSES = ['running', 'completed', 'failed', 'cancelled'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export const STEP_STATUSES = ['pending', 'running', 'waiting', 'completed', 'failed', 'skipped'] as const
export type StepStatus = (typeof STEP_STATUSES)[number]

/** Of a step that a run has come to. */
export type ReachedStep = {
  status: Exclude<StepStatus, 'pending'>
  startedAt: string
  completedAt: string | null
  until: string | null
  output: Record<string, unknown> | null
  error: string | null
}

/** `at`: the key of the step that it is at; null once it has ended. */
export type StepsOfRun = { at: string | null; steps: Readonly<Record<string, ReachedStep>> }

export type ShownStep = { step: Step; status: StepStatus; reached: ReachedStep | null }

/** In graph order. `endedAt`: when the run was cancelled, if its steps do not know yet. */
export function stepsOfRun(graph: Graph, { at, steps }: StepsOfRun, { endedAt }: { endedAt: string | null }): ShownStep[] {
  const ahead = endedAt === null && at !== null ? stepsAfter(graph, at) : new Set<string>()
  return stepsInOrder(graph).map((step) => {
    const reached = Object.hasOwn(steps, step.key) ? steps[step.key] : undefined
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
