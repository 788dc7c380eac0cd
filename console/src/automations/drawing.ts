// What the drawing of an automation and the canvas of its editor have in common: where steps stand, and that neither is moved by hand.
import { useQuery } from '@tanstack/react-query'
import { type Graph, waysOf } from './graph'
import { type Layout, layoutGraph } from './layout'
import { RoutedEdge } from './RoutedEdge'

/** The layout says where a step is, and the page scrolls as any other. */
export const STILL = {
  nodesDraggable: false,
  nodesConnectable: false,
  nodesFocusable: false,
  edgesFocusable: false,
  elementsSelectable: false,
  zoomOnScroll: false,
  preventScrolling: false,
  edgeTypes: { routed: RoutedEdge },
  proOptions: { hideAttribution: true },
} as const

/** The points where connections end. Nothing can be connected there. */
export const UNSEEN = { opacity: 0 }

/** Made anew only when steps or connections come and go; until then the one before stays. */
export function useLayout(graph: Graph, sizes?: Parameters<typeof layoutGraph>[1]): { layout: Layout | undefined; error: Error | null } {
  const { data, error } = useQuery({
    queryKey: ['layouts', sizes ?? null, graph.steps.map((step) => [step.key, waysOf(step, graph)]), graph.connections],
    queryFn: () => layoutGraph(graph, sizes),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    placeholderData: (before: Layout | undefined) => before,
  })
  return { layout: data, error }
}
