// Who is next: a pure choice over lanes (class x team x destination), by deficit round robin. A flow (class x team) gets its share of
// the places whatever the others have queued; within a flow destinations take turns, each only as far as it has room. So one team's bulk
// mail holds up neither another's nor its own transactional mail, and one slow destination holds up nobody else's.

export type LaneClass = 'transactional' | 'bulk'
export type Lane = { class: LaneClass; teamId: string; destination: string }
export type Allotment = Lane & { count: number }

/** Lanes looked at in one round, of each class: the next round goes on behind the last. */
export const LANES_MAX = 500

/** Rows that one statement brings into their lanes, puts aside or takes back: as many say that there may be more. */
export const ROWS_MOVED_MAX = 1_000

/** What is remembered between two choices. Plain data: the choice changes nothing but what it returns. */
export type LaneTurns = {
  /** Choices so far. */
  choices: number
  /** Per flow, what it may still take of its share. Kept only for flows that have work. */
  deficits: Readonly<Record<string, number>>
  /** Per flow and per lane that has work, the choice that served it last, or else the one before it was first seen. */
  servedAt: ReadonlyMap<string, number>
}

export const NO_TURNS: LaneTurns = { choices: 0, deficits: {}, servedAt: new Map() }

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
  const choice = turns.choices + 1
  const places = { free: room.free, bulk: room.freeForBulk }
  const roomAt = new Map<string, number>()
  for (const { destination } of lanes) if (!roomAt.has(destination)) roomAt.set(destination, room.at(destination))
  const reserved = reserve(flows, roomAt, places.bulk > 0)

  sweep()
  // What was reserved for those that found no place is anybody's.
  reserved.clear()
  sweep()

  function sweep(): void {
    const hasRoom = ({ name, key }: Destination) => {
      const others = reserved.get(name)
      return (roomAt.get(name) ?? 0) > (others && !others.has(key) ? others.size : 0)
    }
    const take = (lane: Destination) => {
      roomAt.set(lane.name, (roomAt.get(lane.name) ?? 0) - 1)
      reserved.get(lane.name)?.delete(lane.key)
      lane.servedAt = choice
    }
    for (let isServing = true; isServing && places.free > 0; ) {
      isServing = false
      for (const flow of flows) {
        const available = flow.class === 'bulk' ? Math.min(places.free, places.bulk) : places.free
        if (available <= 0 || !flow.destinations.some(hasRoom)) continue
        flow.deficit += QUANTA[flow.class]
        const served = serve(flow, Math.min(flow.deficit, available), { hasRoom, take })
        flow.deficit -= served
        places.free -= served
        if (flow.class === 'bulk') places.bulk -= served
        flow.servedAt = choice
        isServing = true
      }
    }
  }

  return {
    allotments: flows.flatMap(({ allotments }) => [...allotments.values()]),
    turns: {
      choices: choice,
      // A flow that could not use its share does not save it up: it would come back with a burst.
      deficits: Object.fromEntries(flows.map(({ key, deficit, class: kind }) => [key, Math.min(deficit, QUANTA[kind])])),
      servedAt: new Map(flows.flatMap((flow) => [flow, ...flow.destinations].map(({ key, servedAt }) => [key, servedAt] as const))),
    },
  }
}

/** Something that waits for its turn. */
type Waiting = { key: string; servedAt: number }
type Destination = Waiting & { name: string }
type Flow = Waiting & {
  class: LaneClass
  teamId: string
  destinations: Destination[]
  /** Index of the destination that is served next. */
  next: number
  deficit: number
  allotments: Map<string, Allotment>
}

/** Flows with their destinations, those first that have waited longest. */
function flowsInTurn(lanes: readonly Lane[], turns: LaneTurns): Flow[] {
  // Who is new has waited no longer than who was served a moment ago: otherwise those that come and go would always be first.
  const servedAt = (key: string): number => turns.servedAt.get(key) ?? turns.choices
  const flows = new Map<string, Flow>()
  for (const { class: kind, teamId, destination } of lanes) {
    const key = `${kind} ${teamId}`
    const flow: Flow = flows.get(key) ?? {
      key,
      servedAt: servedAt(key),
      class: kind,
      teamId,
      destinations: [],
      next: 0,
      deficit: turns.deficits[key] ?? 0,
      allotments: new Map(),
    }
    const laneKey = `${key} ${destination}`
    flow.destinations.push({ key: laneKey, servedAt: servedAt(laneKey), name: destination })
    flows.set(key, flow)
  }
  for (const flow of flows.values()) flow.destinations = inTurn(flow.destinations, turns.choices)
  return inTurn([...flows.values()], turns.choices)
}

/**
 * Who has waited longest comes first: whoever took the last place of a destination, or of bulk mail, is behind those that got none. Those
 * that were served together begin with another one each time, so that none of them is always the one for whom no room is left.
 */
function inTurn<Item extends Waiting>(items: Item[], choices: number): Item[] {
  const sorted = items.sort((a, b) => (a.key < b.key ? -1 : 1))
  const first = choices % sorted.length
  // Sorting is stable: what is equal keeps the order of the rotation.
  return [...sorted.slice(first), ...sorted.slice(0, first)].sort((a, b) => a.servedAt - b.servedAt)
}

type Serving = { hasRoom: (lane: Destination) => boolean; take: (lane: Destination) => void }

/** One place at a time per destination, so that they share a flow's turn evenly. A turn that ended in the middle goes on there. */
function serve(flow: Flow, limit: number, { hasRoom, take }: Serving): number {
  const { destinations } = flow
  let served = 0
  for (let passedOver = 0; served < limit && passedOver < destinations.length; ) {
    const destination = destinations[flow.next]
    flow.next = (flow.next + 1) % destinations.length
    if (!destination || !hasRoom(destination)) {
      passedOver += 1
      continue
    }
    const { name } = destination
    const allotment = flow.allotments.get(name) ?? { class: flow.class, teamId: flow.teamId, destination: name, count: 0 }
    allotment.count += 1
    flow.allotments.set(name, allotment)
    take(destination)
    served += 1
    passedOver = 0
  }
  return served
}

/**
 * Keeps a place at each destination for as many lanes as it has room for, those that have waited longest. Without this the little room of a
 * slow destination could fall to the same flow every time, while the others are served elsewhere and so never counted as waiting.
 */
function reserve(flows: Flow[], roomAt: ReadonlyMap<string, number>, hasBulkPlaces: boolean): Map<string, Set<string>> {
  const lanesAt = new Map<string, Destination[]>()
  for (const flow of flows) {
    if (flow.class === 'bulk' && !hasBulkPlaces) continue
    for (const lane of flow.destinations) {
      const others = lanesAt.get(lane.name)
      if (others) others.push(lane)
      else lanesAt.set(lane.name, [lane])
    }
  }
  const reserved = new Map<string, Set<string>>()
  for (const [name, waiting] of lanesAt) {
    const longest = waiting.sort((a, b) => a.servedAt - b.servedAt).slice(0, Math.max(0, roomAt.get(name) ?? 0))
    reserved.set(name, new Set(longest.map(({ key }) => key)))
  }
  return reserved
}
