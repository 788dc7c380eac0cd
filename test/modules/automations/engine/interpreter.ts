// What a run must do, as simply as it can be said: it goes from step to step, and stands still at delays and waits. Nothing is stored or lost.
import type { ConnectionType, Graph } from '../../../../src/modules/automations/graph/graph.ts'

/** `event`: the event that is waited for comes. `hour`: an hour passes. `look`: the run does what it can. */
export type Input = 'event' | 'hour' | 'look'

export type Told = { path: string[]; acts: string[]; late: string[]; isOver: boolean }

export function interpret({ steps, connections }: Graph, { yes, inputs }: { yes: boolean; inputs: readonly Input[] }): Told {
  const told: Told = { path: [], acts: [], late: [], isOver: false }
  const timedOut: string[] = []
  const now: { place: { key: string; events: number; hours: number } | null } = { place: null }
  let unseen: string[] = []

  function go(key: string | undefined): void {
    now.place = null
    const step = steps.find((each) => each.key === key)
    if (!step) {
      told.isOver = true
      return
    }
    told.path.push(step.key)
    if (step.type === 'delay' || step.type === 'wait_for_event') now.place = { key: step.key, events: 0, hours: 0 }
    else if (step.type === 'condition') go(next(step.key, yes ? 'condition_met' : 'condition_not_met'))
    else {
      if (step.type !== 'trigger') told.acts.push(step.key)
      go(next(step.key, 'default'))
    }
  }

  const next = (from: string, type: ConnectionType) => connections.find((each) => each.from === from && each.type === type)?.to

  function look(): void {
    told.late = [...new Set([...told.late, ...unseen])]
    unseen = []
    const { place } = now
    if (!place) return
    const isWait = steps.some(({ key, type }) => key === place.key && type === 'wait_for_event')
    if (isWait && place.events > 0) {
      const actsBefore = told.acts.length
      go(next(place.key, 'event_received'))
      // A run that ends with the first event knows nothing of the second.
      const isOverAtOnce = told.isOver && told.acts.length === actsBefore
      if (place.events > 1 && !isOverAtOnce) told.late.push(place.key)
    } else if (place.hours > 0) {
      if (isWait) timedOut.push(place.key)
      go(next(place.key, isWait ? 'timeout' : 'default'))
    }
  }

  go('s0')
  for (const input of inputs) {
    if (input === 'look') look()
    else if (input === 'hour') {
      if (now.place) now.place.hours += 1
    } else {
      if (now.place) now.place.events += 1
      if (!told.isOver) unseen.push(...timedOut)
    }
  }
  return told
}
