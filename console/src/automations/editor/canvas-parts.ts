// What the canvas draws. A step that has not changed is the same object as before, so that typing in a form draws one step and not all.
import type { Node } from '@xyflow/react'
import { useMemo, useRef } from 'react'
import { type ConnectionType, followerOf, type Graph, type Step, type StepType, stepsInOrder, waysOf } from '../graph'
import { connectionId, type Layout } from '../layout'
import type { RoutedEdgeType } from '../RoutedEdge'

export type CanvasActs = {
  onSelect: (key: string) => void
  onAdd: (from: string, way: ConnectionType, type: StepType) => void
  onConnect: (from: string, way: ConnectionType, to: string) => void
  /** The steps to which a way of this one can lead. */
  followersOf: (key: string) => readonly Step[]
}

export type StepCardData = {
  stepKey: string
  type: StepType
  sentence: string
  isWrong: boolean
  isSelected: boolean
  ways: readonly { type: ConnectionType; isOpen: boolean }[]
  /** The present ones: a step that is not drawn again calls them too. */
  acts: { readonly current: CanvasActs }
}
export type CardNode = Node<StepCardData, 'step'>

export const CARD_WIDTH = 248
export const STEP_PART = 80
export const WAYS_PART = 66
export const CARD_SIZE = { width: CARD_WIDTH, height: STEP_PART + WAYS_PART }

type Shown = { graph: Graph; selected: string | null; sentenceOf: (key: string) => string; problemsOf: (key: string) => readonly string[] }

/** In their order, as they stand in the document. */
export function useNodes({ graph, selected, sentenceOf, problemsOf }: Shown, layout: Layout, given: CanvasActs): CardNode[] {
  const acts = useRef(given)
  acts.current = given
  const kept = useRef(new Map<string, { words: string; node: CardNode }>())
  const ordered = stepsInOrder(graph)
  const reached = new Set(ordered)
  return [...ordered, ...graph.steps.filter((step) => !reached.has(step))].flatMap((step): CardNode[] => {
    const { key, type } = step
    const position = layout.places.get(key)
    // A new step has its place a moment later.
    if (!position) return []
    const shown = {
      ...{ stepKey: key, type, sentence: sentenceOf(key), isWrong: problemsOf(key).length > 0, isSelected: key === selected },
      ways: waysOf(step, graph).map((way) => ({ type: way, isOpen: followerOf(graph, key, way) === null })),
    }
    const words = JSON.stringify([shown, position])
    const before = kept.current.get(key)
    if (before?.words === words) return [before.node]
    const node: CardNode = { id: key, type: 'step', position, data: { ...shown, acts }, ...CARD_SIZE }
    kept.current.set(key, { words, node })
    return [node]
  })
}

export const useEdges = ({ connections }: Graph, layout: Layout): RoutedEdgeType[] =>
  useMemo(
    () =>
      connections.map(({ from, to, type }) => ({
        ...{ id: connectionId({ from, type }), source: from, sourceHandle: type, target: to, targetHandle: 'in', type: 'routed' },
        data: { line: layout.lines.get(connectionId({ from, type })) ?? [] },
        style: { stroke: 'var(--mantine-color-gray-5)', strokeWidth: 1.5 },
      })),
    [connections, layout],
  )
