// Where a run is, and what became of its steps. Stored as JSON with the run.
import type { Fields } from '../references.ts'

/** A step that a run has not reached has no state. */
export type StepStatus = 'running' | 'waiting' | 'completed' | 'failed' | 'skipped'

export type StepState = {
  status: StepStatus
  startedAt: string
  /** Null until it has ended. */
  completedAt: string | null
  /** When a delay ends, or when a wait is given up. Null if the step has no time. */
  until: string | null
  output: Record<string, unknown> | null
  error: string | null
}

export const RUN_STATUSES = ['running', 'completed', 'failed', 'cancelled'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export type RunState = {
  status: RunStatus
  /** Why it failed or was cancelled. */
  reason: string | null
  /** The key of the step that it is at; null once it has ended. */
  at: string | null
  /** What happened that started it. */
  trigger: { id: string; name: string }
  steps: Readonly<Record<string, StepState>>
  /** From the events that the run has waited for: the fields that its steps refer to. */
  heard: Readonly<Record<string, Fields>>
}

/** Undefined if the run has not reached the step. Clients choose the keys, such as `constructor`. */
export const stepStateOf = <State>(steps: Readonly<Record<string, State>>, key: string): State | undefined =>
  Object.hasOwn(steps, key) ? steps[key] : undefined

/** The state of a run that has not begun. */
export const newState = (trigger: RunState['trigger']): RunState => ({
  status: 'running',
  reason: null,
  at: null,
  trigger,
  steps: {},
  heard: {},
})

/** These waits begin at this moment, and their time with it. They were decided a little earlier. */
export function withWaitsBegun(state: RunState, keys: string[], at: Date): RunState {
  const begun = keys.flatMap((key): [string, StepState][] => {
    const step = stepStateOf(state.steps, key)
    if (step?.status !== 'waiting') return []
    const later = (text: string): string => new Date(Date.parse(text) + at.getTime() - Date.parse(step.startedAt)).toISOString()
    return [[key, { ...step, startedAt: at.toISOString(), until: step.until === null ? null : later(step.until) }]]
  })
  return begun.length === 0 ? state : { ...state, steps: { ...state.steps, ...Object.fromEntries(begun) } }
}
