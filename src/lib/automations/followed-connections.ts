// Which connections runs have followed: what became of a step says by which it was left.

import type { StepState } from './engine/run-state.ts'
import type { Connection, Graph, StepType } from './graph.ts'

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
