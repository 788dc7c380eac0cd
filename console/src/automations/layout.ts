// Where the steps of a graph are drawn, from top to bottom.
import ELK, { type ElkNode } from 'elkjs/lib/elk-api.js'
import type { Graph } from './graph'

export type Place = { x: number; y: number }
export type Layout = { places: ReadonlyMap<string, Place>; width: number; height: number }

export const STEP_WIDTH = 230
export const STEP_HEIGHT = 76

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.spacing.nodeNodeBetweenLayers': '56',
  'elk.spacing.nodeNode': '36',
}

/** In a worker, so that the page answers meanwhile: a graph has up to 150 steps. */
export async function layoutGraph({ steps, connections }: Graph): Promise<Layout> {
  const elk = new ELK({ workerFactory: () => new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' }) })
  try {
    const root: ElkNode = {
      id: 'graph',
      layoutOptions: OPTIONS,
      children: steps.map(({ key }) => ({ id: key, width: STEP_WIDTH, height: STEP_HEIGHT })),
      edges: connections.map(({ from, to, type }) => ({ id: `${from} ${type}`, sources: [from], targets: [to] })),
    }
    const { children = [], width = 0, height = 0 }: ElkNode = await elk.layout(root)
    return { places: new Map(children.map(({ id, x = 0, y = 0 }) => [id, { x, y }])), width, height }
  } finally {
    elk.terminateWorker()
  }
}
