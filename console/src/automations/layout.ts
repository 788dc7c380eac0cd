// Where the steps of a graph are drawn, from top to bottom.
import ELK, { type ElkNode } from 'elkjs/lib/elk-api.js'
import { type Connection, type Graph, waysOf } from './graph'

export type Place = { x: number; y: number }
export type Layout = {
  places: ReadonlyMap<string, Place>
  /** The corners of each connection, by `connectionId`. */
  lines: ReadonlyMap<string, readonly Place[]>
  width: number
  height: number
}
/** `between`: steps that follow each other. */
type Sizes = { width: number; height: number; between: number }

export const STEP_WIDTH = 260
export const STEP_HEIGHT = 76
const DRAWN: Sizes = { width: STEP_WIDTH, height: STEP_HEIGHT, between: 56 }

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.spacing.nodeNode': '36',
}

/** Made once, because starting its worker takes longer than most graphs. */
let made: InstanceType<typeof ELK> | undefined
function elk(): InstanceType<typeof ELK> {
  made ??= new ELK({ workerFactory: () => new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' }) })
  return made
}

/** In a worker, so that the page answers meanwhile: a graph has up to 150 steps. */
export async function layoutGraph(graph: Graph, { width, height, between }: Sizes = DRAWN): Promise<Layout> {
  // Keys are any texts: numbers keep the names of steps and of their ends apart.
  const { steps, connections } = graph
  const known = connections.filter(({ from, to }) => [from, to].every((end) => steps.some(({ key }) => key === end)))
  const ids = new Map(steps.map(({ key }, index) => [key, `step${index}`]))
  const root: ElkNode = {
    id: 'graph',
    layoutOptions: { ...OPTIONS, 'elk.layered.spacing.nodeNodeBetweenLayers': String(between) },
    children: steps.map((step) => {
      const id = ids.get(step.key) ?? ''
      const ways = waysOf(step, graph)
      return {
        ...{ id, width, height, layoutOptions: { 'elk.portConstraints': 'FIXED_POS' } },
        ports: [
          { id: `${id}.in`, x: width / 2, y: 0, layoutOptions: { 'elk.port.side': 'NORTH' } },
          ...ways.map((type, index) => ({
            ...{ id: `${id}.${type}`, x: placeOfWay(index, ways.length) * width, y: height },
            layoutOptions: { 'elk.port.side': 'SOUTH' },
          })),
        ],
      }
    }),
    edges: known.map(({ from, to, type }, index) => ({
      ...{ id: `line${index}`, sources: [`${ids.get(from)}.${type}`], targets: [`${ids.get(to)}.in`] },
    })),
  }
  const laidOut: ElkNode = await elk().layout(root)
  const keyOf = new Map([...ids].map(([key, id]) => [id, key]))
  const places = (laidOut.children ?? []).map(({ id, x = 0, y = 0 }): [string, Place] => [keyOf.get(id) ?? '', { x, y }])
  const lines = (laidOut.edges ?? []).flatMap(({ id, sections = [] }): [string, Place[]][] => {
    const connection = known[Number(id.slice('line'.length))]
    const [section] = sections
    return connection && section ? [[connectionId(connection), [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]]] : []
  })
  return { places: new Map(places), lines: new Map(lines), width: laidOut.width ?? 0, height: laidOut.height ?? 0 }
}

/** A step is left by each way once. */
export const connectionId = ({ from, type }: Pick<Connection, 'from' | 'type'>): string => `${from} ${type}`

/** How far from the left of a step one of its ways begins: the middle of its part. */
export const placeOfWay = (index: number, count: number): number => (index + 0.5) / count
