// Who is next: a pure choice over lanes (class x team x destination), by deficit round robin. A flow (class x team) gets its share of
// the places whatever the others have queued; within a flow destinations take turns, each only as far as it has room. So one team's bulk
// mail holds up neither another's nor its own transactional mail, and one slow destination holds up nobody else's.

export type LaneClass = 'transactional' | 'bulk'
export type Lane = { class: LaneClass; teamId: string; destination: string }
export type Allotment = Lane & { count: number }

/** Lanes looked at in one round, of each class: the next round goes on behind the last. */
export const LANES_MAX = 500

/** What is remembered between two choices. Plain data: the choice changes nothing but what it returns. */
export type LaneTurns = {
  /** The flow that was served last: the next choice goes on behind it. */
  lastFlow: string
  /** Per flow, what it may still take of its share. Kept only for flows that have work. */
  deficits: Readonly<Record<string, number>>
  /** Per flow, the destination that was served last. */
  lastDestinations: Readonly<Record<string, string>>
}

export const NO_TURNS: LaneTurns = { lastFlow: '', deficits: {}, lastDestinations: {} }

export type LaneRoom = {
  /** Places that are free in all. */
  free: number
  /** Places that are free for bulk mail: a share of all places is kept for transactional mail. */
  freeForBulk: number
  /** Further messages that this destination takes now; 0 while it is backing off. */
  at: (destination: string) => number
}

/** Places a flow gets per turn. Transactional mail is waited for by somebody. */
const QUANTA: Record<LaneClass, number> = { transactional: 8, bulk: 2 }

/**
 * Chooses what to claim next from lanes that have work.
 *
 * @returns at most `room.free` places over all allotments, and as many as the lanes have room for.
 */
export function chooseLanes(lanes: readonly Lane[], room: LaneRoom, turns: LaneTurns): { allotments: Allotment[]; turns: LaneTurns } {
  const flows = flowsInTurn(lanes, turns)
  const places = { free: room.free, bulk: room.freeForBulk }
  const taken = new Map<string, number>()
  const roomAt = (destination: string) => room.at(destination) - (taken.get(destination) ?? 0)
  let lastFlow = turns.lastFlow

  for (let isServing = true; isServing && places.free > 0; ) {
    isServing = false
    for (const flow of flows) {
      const available = flow.class === 'bulk' ? Math.min(places.free, places.bulk) : places.free
      if (available <= 0 || !flow.destinations.some((destination) => roomAt(destination) > 0)) continue
      flow.deficit += QUANTA[flow.class]
      const served = serve(flow, Math.min(flow.deficit, available), { roomAt, taken })
      flow.deficit -= served
      places.free -= served
      if (flow.class === 'bulk') places.bulk -= served
      lastFlow = flow.key
      isServing = true
      if (places.free <= 0) break
    }
  }

  return {
    allotments: flows.flatMap(({ allotments }) => [...allotments.values()]),
    turns: {
      lastFlow,
      // A flow that could not use its share does not save it up: it would come back with a burst.
      deficits: Object.fromEntries(flows.map(({ key, deficit, class: kind }) => [key, Math.min(deficit, QUANTA[kind])])),
      lastDestinations: Object.fromEntries(flows.map(({ key, lastDestination }) => [key, lastDestination])),
    },
  }
}

type Flow = {
  key: string
  class: LaneClass
  teamId: string
  destinations: string[]
  deficit: number
  lastDestination: string
  allotments: Map<string, Allotment>
}

/** Flows with their destinations, each list beginning behind the one that was served last. */
function flowsInTurn(lanes: readonly Lane[], turns: LaneTurns): Flow[] {
  const flows = new Map<string, Flow>()
  for (const { class: kind, teamId, destination } of lanes) {
    const key = `${kind} ${teamId}`
    const flow: Flow = flows.get(key) ?? {
      key,
      class: kind,
      teamId,
      destinations: [],
      deficit: turns.deficits[key] ?? 0,
      lastDestination: turns.lastDestinations[key] ?? '',
      allotments: new Map(),
    }
    flow.destinations.push(destination)
    flows.set(key, flow)
  }
  for (const flow of flows.values()) flow.destinations = rotated(flow.destinations.sort(), flow.lastDestination)
  const keys = rotated([...flows.keys()].sort(), turns.lastFlow)
  return keys.flatMap((key) => flows.get(key) ?? [])
}

const rotated = (sorted: string[], last: string): string[] => [
  ...sorted.filter((item) => item > last),
  ...sorted.filter((item) => item <= last),
]

/** One place at a time per destination, so that they share a flow's turn evenly. */
function serve(
  flow: Flow,
  limit: number,
  { roomAt, taken }: { roomAt: (destination: string) => number; taken: Map<string, number> },
): number {
  let served = 0
  for (let isServing = true; isServing && served < limit; ) {
    isServing = false
    for (const destination of rotatedOnce(flow)) {
      if (served >= limit) break
      if (roomAt(destination) <= 0) continue
      const allotment = flow.allotments.get(destination) ?? { class: flow.class, teamId: flow.teamId, destination, count: 0 }
      allotment.count += 1
      flow.allotments.set(destination, allotment)
      taken.set(destination, (taken.get(destination) ?? 0) + 1)
      flow.lastDestination = destination
      served += 1
      isServing = true
    }
  }
  return served
}

/** The destinations from behind the last served one: a turn that ended in the middle goes on there. */
function rotatedOnce({ destinations, lastDestination }: Flow): string[] {
  const at = destinations.indexOf(lastDestination)
  return at === -1 ? destinations : [...destinations.slice(at + 1), ...destinations.slice(0, at + 1)]
}
