// Chooses what is claimed next: a pure choice over lanes (class x team x destination), by deficit round robin. A flow (class x team) gets its share
// of the places whatever the others have queued. Within a flow, destinations take turns, each only as far as it has capacity. So one team's bulk
// mail delays neither another team's mail nor its own transactional mail, and one slow destination delays no other.
import type { LaneClass } from '../emails/new-delivery.ts'

export type Lane = { class: LaneClass; teamId: string; destination: string }
export type Allotment = Lane & { count: number }

/** Lanes that one round reads, for each class. The next round continues after the last one. */
export const LANES_MAX = 500

/** Rows that one statement brings into their lanes, parks or takes back. If it moved this many, there may be more. */
export const ROWS_MOVED_MAX = 1_000

/** What is remembered between two choices. Plain data: the choice changes nothing except what it returns. */
export type RoundRobinState = {
  /** Choices so far. */
  choices: number
  /** For each flow, what it may still take of its share. Kept only for flows that have work. */
  deficits: Readonly<Record<string, number>>
  /** For each flow and lane that has work, the choice that served it last, or else the one before it was first seen. */
  servedAt: ReadonlyMap<string, number>
}

export const NEW_ROUND_ROBIN: RoundRobinState = { choices: 0, deficits: {}, servedAt: new Map() }

export type LaneRoom = {
  /** Places that are free in all. */
  free: number
  /** Places that are free for bulk mail. A share of all places is reserved for transactional mail. */
  freeForBulk: number
  /** How many more messages this destination takes now; 0 while it is paused. */
  at: (destination: string) => number
}

/** Places that a flow gets in a turn. People wait for transactional mail. */
const QUANTA: Record<LaneClass, number> = { transactional: 8, bulk: 2 }

/**
 * Chooses what to claim next from lanes that have work.
 *
 * @returns at most `room.free` places over all allotments, and as many as the lanes have capacity for.
 */
export function chooseLanes(
  lanes: readonly Lane[],
  room: LaneRoom,
  turns: RoundRobinState,
): { allotments: Allotment[]; turns: RoundRobinState } {
  const flows = flowsInTurn(lanes, turns)
  const choice = turns.choices + 1
  const places = { free: room.free, bulk: room.freeForBulk }
  const roomAt = new Map<string, number>()
  for (const { destination } of lanes) if (!roomAt.has(destination)) roomAt.set(destination, room.at(destination))
  const reserved = reserve(flows, roomAt, places.bulk > 0)

  sweep()
  // Reserved places that remain are free for all.
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
      // A flow that could not use its share does not save it up, because it would return with a burst.
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

/** Flows with their destinations, the longest wait first. */
function flowsInTurn(lanes: readonly Lane[], turns: RoundRobinState): Flow[] {
  // A new flow has waited no longer than one that was just served. Otherwise flows that come and go would always be first.
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
 * The longest wait comes first: a flow that took the last place of a destination, or of bulk mail, comes after those that got none. Flows that were
 * served together start with a different one each time, so that none is always the one that finds no place.
 */
function inTurn<Item extends Waiting>(items: Item[], choices: number): Item[] {
  const sorted = items.sort((a, b) => (a.key < b.key ? -1 : 1))
  const first = choices % sorted.length
  // Sorting is stable, so equal items keep the order of the rotation.
  return [...sorted.slice(first), ...sorted.slice(0, first)].sort((a, b) => a.servedAt - b.servedAt)
}

type Serving = { hasRoom: (lane: Destination) => boolean; take: (lane: Destination) => void }

/** One place at a time for each destination, so that destinations share a flow's turn evenly. A turn that stopped in the middle continues there. */
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
 * Reserves a place at each destination for as many lanes as it has capacity for, the longest wait first. Otherwise the small capacity of a slow
 * destination could go to the same flow every time, while the others are served elsewhere and so never count as waiting.
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

// Parts of the queue, as an operator names them: by class, team and destination, each of which may be omitted.

/** Null means any. A lane is the narrowest part. */
export type QueuePart = { class: LaneClass | null; teamId: string | null; destination: string | null }

export const WHOLE_QUEUE: QueuePart = { class: null, teamId: null, destination: null }

/** Whether `outer` contains all of `inner`. */
export const covers = (outer: QueuePart, inner: QueuePart): boolean =>
  FIELDS.every((field) => isOpen(outer, field) || outer[field] === inner[field])

/** Whether a lane may belong to both. */
export const overlap = (one: QueuePart, other: QueuePart): boolean =>
  FIELDS.every((field) => isOpen(one, field) || isOpen(other, field) || one[field] === other[field])

const FIELDS = ['class', 'teamId', 'destination'] as const

const isOpen = (part: QueuePart, field: (typeof FIELDS)[number]): boolean => part[field] === null
