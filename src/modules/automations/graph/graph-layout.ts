// Where the steps of a graph stand when it is drawn, from top to bottom: each row below all that lead to it, and each step near those it is connected to.
import { type Connection, type Graph, type Step, stepsInOrder } from './graph.ts'

export type Point = { x: number; y: number }
/** `x`, `y`: its upper left corner. */
export type PlacedStep = Point & { step: Step }
/** `points`: from the lower edge of a step to the upper edge of the next, around what is between. */
export type PlacedConnection = { connection: Connection; points: Point[] }
export type GraphLayout = { width: number; height: number; steps: PlacedStep[]; connections: PlacedConnection[] }

export const STEP_WIDTH = 216
export const STEP_HEIGHT = 56
/** Room for what stands beside a connection. */
const ROW_GAP = 60
const GAP = 28
/** The space that a connection needs where it passes a row. */
const PASSAGE_WIDTH = 36
const MARGIN = 12
/** More change nothing that could be seen. */
const SWEEPS = 8

/** A step, or a connection on its way through a row. `x`: its center. */
type Place = { width: number; x: number; above: Place[]; below: Place[] }

export function layoutGraph(graph: Graph): GraphLayout {
  const ordered = stepsInOrder(graph)
  const rowOf = assignRows(ordered, graph.connections)
  const places = new Map(ordered.map(({ key }) => [key, placeOf(STEP_WIDTH)]))
  const rows: Place[][] = []
  const put = (place: Place, row: number): void => {
    rows[row] = [...(rows[row] ?? []), place]
  }
  for (const [key, place] of places) put(place, rowOf.get(key) ?? 0)
  const routes = graph.connections.map((connection) => {
    const [first, last] = [places.get(connection.from), places.get(connection.to)]
    const route = first ? [first] : []
    for (let row = (rowOf.get(connection.from) ?? 0) + 1; row < (rowOf.get(connection.to) ?? 0); row += 1) {
      const passage = placeOf(PASSAGE_WIDTH)
      put(passage, row)
      route.push(passage)
    }
    if (last) route.push(last)
    for (const [index, place] of route.entries()) join(place, route[index + 1])
    return { connection, route }
  })
  arrange(rows)
  return measured(ordered, { graph, rows, rowOf, places, routes })
}

const placeOf = (width: number): Place => ({ width, x: 0, above: [], below: [] })

function join(upper: Place, lower: Place | undefined): void {
  if (!lower) return
  upper.below.push(lower)
  lower.above.push(upper)
}

/** The longest way from the trigger, so that every connection leads down. `ordered`: each after those that lead to it. */
function assignRows(ordered: Step[], connections: Connection[]): Map<string, number> {
  const rows = new Map<string, number>()
  for (const { key } of ordered) {
    const above = connections.filter(({ to }) => to === key).map(({ from }) => rows.get(from) ?? 0)
    rows.set(key, above.length === 0 ? 0 : Math.max(...above) + 1)
  }
  return rows
}

/** Sorts each row by what it is connected to, and moves everything towards that, until it hardly moves. */
function arrange(rows: Place[][]): void {
  for (const row of rows)
    spread(
      row,
      row.map((_place, index) => index),
    )
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isDownward = sweep % 2 === 0
    for (const row of isDownward ? rows : rows.toReversed()) {
      const wanted = new Map(row.map((place) => [place, meanOf(isDownward ? place.above : place.below, place.x)]))
      // In the last sweeps nothing changes sides, so that connections do not cross again.
      if (sweep < SWEEPS / 2) row.sort((one, other) => (wanted.get(one) ?? 0) - (wanted.get(other) ?? 0))
      spread(
        row,
        row.map((place) => wanted.get(place) ?? 0),
      )
    }
  }
}

const meanOf = (places: Place[], otherwise: number): number =>
  places.length === 0 ? otherwise : places.reduce((sum, { x }) => sum + x, 0) / places.length

/** Puts the places of a row where they are wanted, in their order and with room between them. */
function spread(row: Place[], wanted: number[]): void {
  let right = Number.NEGATIVE_INFINITY
  for (const [index, place] of row.entries()) {
    place.x = Math.max(wanted[index] ?? 0, right + place.width / 2)
    right = place.x + place.width / 2 + GAP
  }
  const shift = row.reduce((sum, { x }, index) => sum + (wanted[index] ?? 0) - x, 0) / Math.max(1, row.length)
  for (const place of row) place.x += shift
}

type Arranged = {
  graph: Graph
  rows: Place[][]
  rowOf: Map<string, number>
  places: Map<string, Place>
  routes: { connection: Connection; route: Place[] }[]
}

function measured(ordered: Step[], { rows, rowOf, places, routes }: Arranged): GraphLayout {
  const all = rows.flat()
  const left = Math.min(...all.map(({ x, width }) => x - width / 2)) - MARGIN
  const right = Math.max(...all.map(({ x, width }) => x + width / 2)) + MARGIN
  const top = (row: number): number => MARGIN + row * (STEP_HEIGHT + ROW_GAP)
  const xOf = (place: Place | undefined): number => Math.round((place?.x ?? 0) - left)
  return {
    width: Math.ceil(right - left),
    height: top(rows.length) - ROW_GAP + MARGIN,
    steps: ordered.map((step) => ({ step, x: xOf(places.get(step.key)) - STEP_WIDTH / 2, y: top(rowOf.get(step.key) ?? 0) })),
    connections: routes.map(({ connection, route }) => ({
      connection,
      points: routePoints(route, rowOf.get(connection.from) ?? 0, connection),
    })),
  }

  function routePoints(route: Place[], firstRow: number, connection: Connection): Point[] {
    return route.flatMap((place, index) => {
      const [x, y] = [xOf(place), top(firstRow + index)]
      if (index === 0) return [{ x: x + offsetOf(place, route[1], connection), y: y + STEP_HEIGHT }]
      return index === route.length - 1
        ? [{ x, y }]
        : [
            { x, y },
            { x, y: y + STEP_HEIGHT },
          ]
    })
  }

  /** Two connections leave a step side by side. */
  function offsetOf(from: Place, to: Place | undefined, { type }: Connection): number {
    if (from.below.length < 2 || !to) return 0
    const [one, other] = from.below
    const isFirst = type === 'condition_met' || type === 'event_received'
    const isLeft = one === other ? isFirst : to.x < (to === one ? (other?.x ?? 0) : (one?.x ?? 0))
    return isLeft ? -STEP_WIDTH / 4 : STEP_WIDTH / 4
  }
}
