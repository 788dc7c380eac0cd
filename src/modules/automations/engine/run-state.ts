// Where a run is, and what became of its steps. Stored as JSON with the run.
import type { Fields } from '../graph/references.ts'

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

// What a run keeps of what it was told. It is bounded, because the whole state of a run is stored anew with every step.

/** The state of a run, as JSON: what it remembers of events, and 150 steps with the longest keys and outputs. No run exceeds it. */
export const STATE_BYTES_MAX = 512 * 1024
/** The part of the state that holds events for which the run waited. A run that would remember more fails. */
export const HEARD_BYTES_MAX = 128 * 1024
/** The output of one step. What is longer is cut. */
export const OUTPUT_BYTES_MAX = 1024
/** A text in an output that is cut. */
export const OUTPUT_TEXT_LENGTH_MAX = 200
/** Why a step failed: it may quote what clients have sent. */
export const ERROR_LENGTH_MAX = 500

export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

export const cutText = (text: string, lengthMax: number): string =>
  text.length > lengthMax ? `${text.slice(0, lengthMax - 1).toWellFormed()}…` : text

type Output = Readonly<Record<string, unknown>>

/** An output that is too long has shorter texts, then fewer values, and says so with `is_cut`. */
export function cutOutput(output: Output): Output {
  if (jsonBytes(output) <= OUTPUT_BYTES_MAX) return output
  const room = { bytes: OUTPUT_BYTES_MAX - jsonBytes({ is_cut: true }) }
  return { ...(cut(output, room) as Output), is_cut: true }
}

/** Undefined if there is no room. */
function cut(value: unknown, room: { bytes: number }): unknown {
  if (typeof value !== 'object' || value === null) {
    const short = typeof value === 'string' ? cutText(value, OUTPUT_TEXT_LENGTH_MAX) : value
    return take(room, jsonBytes(short)) ? short : undefined
  }
  if (!take(room, BRACKETS_BYTES)) return undefined
  const isList = Array.isArray(value)
  const kept: [string, unknown][] = []
  for (const [key, entry] of Object.entries(value)) {
    const short = take(room, COMMA_BYTES + (isList ? 0 : jsonBytes(key) + COLON_BYTES)) ? cut(entry, room) : undefined
    if (short === undefined) break
    kept.push([key, short])
  }
  return isList ? kept.map(([, short]) => short) : Object.fromEntries(kept)
}

const BRACKETS_BYTES = 2
const COMMA_BYTES = 1
const COLON_BYTES = 1

function take(room: { bytes: number }, bytes: number): boolean {
  room.bytes -= bytes
  return room.bytes >= 0
}
