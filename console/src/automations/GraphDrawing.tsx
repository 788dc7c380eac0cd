import '@xyflow/react/dist/style.css'
import { Box, Loader, Paper, Text, useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import {
  Background,
  Controls,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react'
import { useEffect, useState } from 'react'
import { SegmentName, TemplateName } from '../parts/names'
import { countOf } from '../parts/numbers'
import { Problem } from '../shell/problems'
import { CONNECTION_NAMES, STEP_NAMES, AUTOMATION_TEXTS as TEXTS } from '../texts/automations'
import { Counts } from './Counts'
import { type Connection, type Graph, type Step, type StepCounts, stepDetail } from './graph'
import { connectionId, layoutGraph, STEP_HEIGHT, STEP_WIDTH } from './layout'
import { RoutedEdge, type RoutedEdgeType } from './RoutedEdge'

type GraphDrawingProps = {
  graph: Graph
  counts?: ReadonlyMap<string, StepCounts>
  /** How many runs went this way. */
  runsOn?: (connection: Connection) => number | undefined
  /** Of a run: what became of each step. */
  stateOf?: (key: string) => string | undefined
  /** Of a run: whether it went this way. */
  isFollowed?: (connection: Connection) => boolean
}

const HEIGHT_MIN = 260
const HEIGHT_MAX = 680
const MARGIN = 60
const FIT = { maxZoom: 1, padding: 0.1 }

/** Smaller steps cannot be read. A phone shows the whole graph nevertheless, because it has no room for its width. */
const ZOOM_MIN = 0.65
const WIDE = 600

/** All of it, or its beginning if it is long. */
async function showBeginning(flow: ReactFlowInstance<StepNode>, { width, layoutHeight }: { width: number; layoutHeight: number }) {
  await flow.fitView({ ...FIT, ...(width >= WIDE && { minZoom: ZOOM_MIN }) })
  const { x, zoom } = flow.getViewport()
  if (layoutHeight * zoom > HEIGHT_MAX) await flow.setViewport({ x, y: MARGIN / 2, zoom })
}

/** The graph as a drawing, to look at; the list beside it says the same in words. It is large: load it lazily. */
export default function GraphDrawing({ graph, counts, runsOn, stateOf, isFollowed }: GraphDrawingProps) {
  const colorMode = useComputedColorScheme('light')
  const { data: layout, error } = useQuery({
    queryKey: ['layouts', graph.steps.map(({ key }) => key), graph.connections],
    queryFn: () => layoutGraph(graph),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  // A phone that is turned has another width.
  const [flow, setFlow] = useState<ReactFlowInstance<StepNode> | null>(null)
  const { ref, width } = useElementSize()
  useEffect(() => {
    if (width > 0 && flow && layout) void showBeginning(flow, { width, layoutHeight: layout.height })
  }, [flow, width, layout])
  if (error) return <Problem error={error} />
  if (!layout) return <Loader aria-label={TEXTS.layout} />
  const nodes = graph.steps.map(
    (step): StepNode => ({
      id: step.key,
      type: 'step',
      position: layout.places.get(step.key) ?? { x: 0, y: 0 },
      data: { step, counts: counts?.get(step.key), state: stateOf?.(step.key) },
      width: STEP_WIDTH,
      height: STEP_HEIGHT,
    }),
  )
  const edges = graph.connections.map((connection): RoutedEdgeType => {
    const isTaken = isFollowed?.(connection) ?? false
    const color = isTaken ? 'var(--mantine-color-indigo-6)' : 'var(--mantine-color-gray-5)'
    return {
      id: connectionId(connection),
      source: connection.from,
      target: connection.to,
      type: 'routed',
      data: { line: layout.lines.get(connectionId(connection)) ?? [] },
      label: labelOf(connection, runsOn?.(connection)),
      style: { stroke: color, strokeWidth: isTaken ? 2.5 : 1.5 },
      markerEnd: { type: MarkerType.ArrowClosed, color },
      zIndex: isTaken ? 1 : 0,
    }
  })
  return (
    <Box
      ref={ref}
      h={Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, layout.height + MARGIN))}
      bd="1px solid var(--mantine-color-default-border)"
      bdrs="md"
      role="group"
      aria-label={TEXTS.graph}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        colorMode={colorMode}
        fitView
        fitViewOptions={FIT}
        onInit={setFlow}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </Box>
  )
}

/** "met, 120" */
const labelOf = ({ type }: Connection, runs: number | undefined): string =>
  [CONNECTION_NAMES[type], runs === undefined ? '' : countOf(runs)].filter(Boolean).join(', ')

type StepNode = Node<{ step: Step; counts?: StepCounts; state?: string }, 'step'>

/** The border says what became of the step in a run. */
const BORDERS: Readonly<Record<string, string>> = {
  completed: 'green.6',
  running: 'blue.6',
  waiting: 'blue.6',
  failed: 'red.6',
}

function StepBox({ data: { step, counts, state } }: NodeProps<StepNode>) {
  const detail = stepDetail(step)
  const border = BORDERS[state ?? '']
  return (
    <Paper
      withBorder
      shadow="xs"
      p="xs"
      h={STEP_HEIGHT}
      opacity={state === 'skipped' || state === 'pending' ? FADED : 1}
      {...(border && { bd: `2px solid var(--mantine-color-${border.replace('.', '-')})` })}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} style={UNSEEN} />
      <Text size="sm" fw={600} truncate title={step.key}>
        {step.key}
      </Text>
      <Text size="xs" c="dimmed" truncate title={detail}>
        {STEP_NAMES[step.type] ?? step.type}
        {step.type === 'send_email' && (
          <>
            : <TemplateName id={step.config.template.id} />
          </>
        )}
        {step.type === 'add_to_segment' && (
          <>
            : <SegmentName id={step.config.segment_id} />
          </>
        )}
        {step.type !== 'send_email' && detail && `: ${detail}`}
      </Text>
      {counts && <Counts counts={counts} />}
      <Handle type="source" position={Position.Bottom} isConnectable={false} style={UNSEEN} />
    </Paper>
  )
}
/** Nothing can be connected here. */
const UNSEEN = { opacity: 0 }
const FADED = 0.65

const NODE_TYPES = { step: StepBox }
const EDGE_TYPES = { routed: RoutedEdge }
