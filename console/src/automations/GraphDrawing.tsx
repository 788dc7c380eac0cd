import '@xyflow/react/dist/style.css'
import { Box, Paper, Text, useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import {
  Background,
  Controls,
  Handle,
  MarkerType,
  type Node,
  type NodeHandle,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react'
import { useEffect, useState } from 'react'
import { NotLoaded } from '../parts/ErrorAlert'
import { LoadingMark } from '../parts/Loading'
import { SegmentName, TemplateName } from '../parts/names'
import { countOf } from '../parts/numbers'
import { CONNECTION_NAMES, AUTOMATION_TEXTS as TEXTS } from '../texts/automations'
import { Counts } from './Counts'
import { STILL, UNSEEN, useLayout } from './drawing'
import { stepWords } from './editor/sentences'
import type { Connection, Graph, Step, StepCounts } from './graph'
import { connectionId, STEP_HEIGHT, STEP_WIDTH } from './layout'
import type { RoutedEdgeType } from './RoutedEdge'

type GraphDrawingProps = {
  graph: Graph
  counts?: ReadonlyMap<string, StepCounts>
  /** How many runs went this way. */
  runsOn?: (connection: Connection) => number | undefined
  /** What became of each step in a run. */
  stateOf?: (key: string) => string | undefined
  /** Whether the run took this way. */
  isFollowed?: (connection: Connection) => boolean
}

const HEIGHT_MIN = 260
/** A higher drawing is scaled down to this height, but not below `ZOOM_READABLE`. */
const HEIGHT_WANTED = 760
/** A longer drawing begins in its frame, and is moved there. */
const HEIGHT_MAX = 2_400
const MARGIN = 60
const FIT = { maxZoom: 1, padding: 0.1 }

/** Smaller steps cannot be read. Where there is no room for the width of the drawing, they are smaller nevertheless: the list has them in words. */
const ZOOM_READABLE = 0.8

/** In a smaller drawing, steps could not be told apart. */
const ZOOM_MIN = 0.3

/** The width of a frame that has not been measured yet. */
const WIDTH_USUAL = 1_000

const STEP_SIZE = { width: STEP_WIDTH, height: STEP_HEIGHT }
/** Where connections end, so that they are there at once and whenever the page is drawn anew: the library would measure each step again first. */
const ENDS: NodeHandle[] = [
  { type: 'target', position: Position.Top, x: STEP_WIDTH / 2, y: 0 },
  { type: 'source', position: Position.Bottom, x: STEP_WIDTH / 2, y: STEP_HEIGHT },
]

/** How large all of the drawing is shown at first, and how high the frame is for that. */
function frameOf(layout: { width: number; height: number }, width: number): { zoom: number; height: number } {
  const fitting = Math.min(1, (width - MARGIN / 2) / layout.width, Math.max(ZOOM_READABLE, (HEIGHT_WANTED - MARGIN) / layout.height))
  const zoom = Math.max(ZOOM_MIN, fitting)
  return { zoom, height: Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, Math.ceil(layout.height * zoom) + MARGIN)) }
}

/** The graph as a drawing, to look at; the list beside it says the same in words. It is large: load it lazily. */
export default function GraphDrawing({ graph, counts, runsOn, stateOf, isFollowed }: GraphDrawingProps) {
  const colorMode = useComputedColorScheme('light')
  const { layout, error } = useLayout(graph)
  // A phone that is turned has another width.
  const [flow, setFlow] = useState<ReactFlowInstance<StepNode> | null>(null)
  const { ref, width } = useElementSize()
  const [shownZoom, setShownZoom] = useState(0)
  useEffect(() => {
    if (width === 0 || !flow || !layout) return
    const { zoom, height } = frameOf(layout, width)
    const left = height - layout.height * zoom
    void flow.setViewport({ x: (width - layout.width * zoom) / 2, y: Math.max(MARGIN, left) / 2, zoom })
  }, [flow, width, layout])
  if (error) return <NotLoaded error={error} />
  if (!layout) return <LoadingMark label={TEXTS.layout} />
  const nodes = graph.steps.map(
    (step): StepNode => ({
      id: step.key,
      type: 'step',
      position: layout.places.get(step.key) ?? { x: 0, y: 0 },
      data: { step, counts: counts?.get(step.key), state: stateOf?.(step.key) },
      ...STEP_SIZE,
      measured: STEP_SIZE,
      handles: ENDS,
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
  const { height } = frameOf(layout, width || WIDTH_USUAL)
  return (
    <Box ref={ref} h={height} bd="1px solid var(--mantine-color-default-border)" bdrs="md" role="group" aria-label={TEXTS.graph}>
      <ReactFlow
        {...STILL}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        colorMode={colorMode}
        fitView
        fitViewOptions={FIT}
        onInit={setFlow}
        onViewportChange={(viewport) => setShownZoom(viewport.zoom)}
        // A finger on a drawing that is all there scrolls the page.
        panOnDrag={layout.height * shownZoom > height || layout.width * shownZoom > width}
        minZoom={0.1}
      >
        <Background />
        <Controls showInteractive={false} position="top-left" />
      </ReactFlow>
    </Box>
  )
}

/** "Yes, 120" */
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
  const words = stepWords(step)
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
      <Text size="sm" fw={600} truncate title={step.type === 'send_email' || step.type === 'add_to_segment' ? undefined : words}>
        {step.type === 'send_email' ? (
          <>
            {TEXTS.sends} <TemplateName id={step.config.template.id} />
          </>
        ) : step.type === 'add_to_segment' ? (
          <>
            {TEXTS.addsTo} <SegmentName id={step.config.segment_id} />
          </>
        ) : (
          <bdi>{words}</bdi>
        )}
      </Text>
      <Text size="xs" c="dimmed" truncate title={step.key}>
        {step.key}
      </Text>
      {counts && <Counts counts={counts} />}
      <Handle type="source" position={Position.Bottom} isConnectable={false} style={UNSEEN} />
    </Paper>
  )
}
const FADED = 0.65

const NODE_TYPES = { step: StepBox }
