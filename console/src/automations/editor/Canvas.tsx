import '@xyflow/react/dist/style.css'
import { ActionIcon, Box, Loader, Stack, useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Node, ReactFlow } from '@xyflow/react'
import { ZoomIn, ZoomOut } from 'lucide-react'
import { useState } from 'react'
import { Problem } from '../../shell/problems'
import { EDITOR_TEXTS as TEXTS } from '../../texts/automation-editor'
import { AUTOMATION_TEXTS } from '../../texts/automations'
import { type ConnectionType, type Graph, type StepType, stepsInOrder, waysOf } from '../graph'
import { connectionId, layoutGraph } from '../layout'
import { RoutedEdge, type RoutedEdgeType } from '../RoutedEdge'
import { CARD_HEIGHT, CARD_WIDTH, StepCard, type StepCardData } from './StepCard'

export type CanvasProps = {
  graph: Graph
  selected: string | null
  sentenceOf: (key: string) => string
  problemsOf: (key: string) => readonly string[]
  onSelect: (key: string) => void
  onAdd: (from: string, way: ConnectionType, type: StepType) => void
  onConnect: (from: string, way: ConnectionType, to: string) => void
}

type CardNode = Node<StepCardData, 'step'>
const NODE_TYPES = { step: StepCard }
const EDGE_TYPES = { routed: RoutedEdge }

const SIZE = { width: CARD_WIDTH, height: CARD_HEIGHT }
const BETWEEN = 36
const MARGIN = 24
const ZOOMS = [0.5, 0.75, 1]

/**
 * The steps from top to bottom. It is as large as it needs to be within a place that scrolls, so that keys, fingers and readers of the screen move in it
 * as in any page. Steps stand in the document in their order, each followed by its ways.
 */
export default function Canvas({ graph, selected, sentenceOf, problemsOf, onSelect, onAdd, onConnect }: CanvasProps) {
  const colorMode = useComputedColorScheme('light')
  const [zoomAt, setZoomAt] = useState(ZOOMS.length - 1)
  const zoom = ZOOMS[zoomAt] ?? 1
  const { ref, width } = useElementSize()
  const shape = graph.steps.map((step) => [step.key, waysOf(step, graph)])
  const { data: layout, error } = useQuery({
    queryKey: ['layouts', 'editor', shape, graph.connections],
    queryFn: () => layoutGraph(graph, { ...SIZE, between: BETWEEN }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    placeholderData: keepPreviousData,
  })
  if (error) return <Problem error={error} />
  if (!layout) return <Loader aria-label={AUTOMATION_TEXTS.layout} />
  const ordered = stepsInOrder(graph)
  const lost = graph.steps.filter((step) => !ordered.includes(step))
  const nodes = [...ordered, ...lost].flatMap((step): CardNode[] => {
    const position = layout.places.get(step.key)
    // A new step has its place a moment later.
    if (!position) return []
    const data: StepCardData = {
      ...{ step, graph, sentence: sentenceOf(step.key), problems: problemsOf(step.key), isSelected: step.key === selected },
      onSelect: () => onSelect(step.key),
      onAdd: (way, type) => onAdd(step.key, way, type),
      onConnect: (way, to) => onConnect(step.key, way, to),
    }
    return [{ id: step.key, type: 'step', position, data, ...SIZE }]
  })
  const edges = graph.connections.map(
    ({ from, to, type }): RoutedEdgeType => ({
      id: connectionId({ from, type }),
      source: from,
      sourceHandle: type,
      target: to,
      targetHandle: 'in',
      type: 'routed',
      data: { line: layout.lines.get(connectionId({ from, type })) ?? [] },
      style: { stroke: 'var(--mantine-color-gray-5)', strokeWidth: 1.5 },
    }),
  )
  const drawn = { width: layout.width * zoom + 2 * MARGIN, height: layout.height * zoom + 2 * MARGIN }
  const x = Math.max(MARGIN, (width - layout.width * zoom) / 2)
  return (
    <Box pos="relative" h="100%" miw={0}>
      <Box
        ref={ref}
        h="100%"
        mih={260}
        role="group"
        aria-label={TEXTS.canvas}
        bd="1px solid var(--mantine-color-default-border)"
        bdrs="md"
        style={{ overflow: 'auto', scrollPadding: MARGIN }}
      >
        <Box w={Math.max(drawn.width, width)} h={drawn.height}>
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            colorMode={colorMode}
            viewport={{ x, y: MARGIN, zoom }}
            minZoom={ZOOMS[0] ?? 1}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            panOnDrag={false}
            panOnScroll={false}
            zoomOnScroll={false}
            zoomOnPinch={false}
            zoomOnDoubleClick={false}
            preventScrolling={false}
            disableKeyboardA11y
            proOptions={{ hideAttribution: true }}
          />
        </Box>
      </Box>
      <Stack pos="absolute" right={12} bottom={12} gap={4}>
        <ActionIcon
          variant="default"
          aria-label={TEXTS.zoomIn}
          disabled={zoomAt === ZOOMS.length - 1}
          onClick={() => setZoomAt(zoomAt + 1)}
        >
          <ZoomIn size={16} />
        </ActionIcon>
        <ActionIcon variant="default" aria-label={TEXTS.zoomOut} disabled={zoomAt === 0} onClick={() => setZoomAt(zoomAt - 1)}>
          <ZoomOut size={16} />
        </ActionIcon>
      </Stack>
    </Box>
  )
}
