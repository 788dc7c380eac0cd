import '@xyflow/react/dist/style.css'
import { ActionIcon, Box, Stack, useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { ReactFlow } from '@xyflow/react'
import { ZoomIn, ZoomOut } from 'lucide-react'
import { useState } from 'react'
import { NotLoaded } from '../../parts/ErrorAlert'
import { LoadingMark } from '../../parts/Loading'
import { EDITOR_TEXTS as TEXTS } from '../../texts/automation-editor'
import { AUTOMATION_TEXTS } from '../../texts/automations'
import { STILL, useLayout } from '../drawing'
import type { ConnectionType, Graph, StepType } from '../graph'
import type { Layout } from '../layout'
import { CARD_SIZE, useEdges, useNodes } from './canvas-parts'
import { possibleFollowers } from './draft'
import { StepCard } from './StepCard'

export type CanvasProps = {
  graph: Graph
  selected: string | null
  sentenceOf: (key: string) => string
  problemsOf: (key: string) => readonly string[]
  onSelect: (key: string) => void
  onAdd: (from: string, way: ConnectionType, type: StepType) => void
  onConnect: (from: string, way: ConnectionType, to: string) => void
}

const NODE_TYPES = { step: StepCard }

const SIZES = { ...CARD_SIZE, between: 36 }
/** The place around it has the same color. */
const CLEAR = { backgroundColor: 'transparent' }
const MARGIN = 24
const ZOOMS = [0.5, 0.75, 1]

/**
 * The steps from top to bottom. It is as large as it needs to be within a place that scrolls, so that keys, fingers and readers of the screen move in it
 * as in any page. Steps stand in the document in their order, each followed by its ways.
 */
export default function Canvas(props: CanvasProps) {
  const { layout, error } = useLayout(props.graph, SIZES)
  if (error) return <NotLoaded error={error} />
  if (!layout) return <LoadingMark label={AUTOMATION_TEXTS.layout} />
  return <Drawn {...props} layout={layout} />
}

function Drawn({ layout, ...props }: CanvasProps & { layout: Layout }) {
  const { graph, onSelect, onAdd, onConnect } = props
  const colorMode = useComputedColorScheme('light')
  const [zoomAt, setZoomAt] = useState(ZOOMS.length - 1)
  const zoom = ZOOMS[zoomAt] ?? 1
  const { ref, width } = useElementSize()
  const nodes = useNodes(props, layout, { onSelect, onAdd, onConnect, followersOf: (key) => possibleFollowers(graph, key) })
  const edges = useEdges(graph, layout)
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
            {...STILL}
            nodes={nodes}
            edges={edges}
            nodeTypes={NODE_TYPES}
            colorMode={colorMode}
            style={CLEAR}
            viewport={{ x, y: MARGIN, zoom }}
            minZoom={ZOOMS[0] ?? 1}
            panOnDrag={false}
            panOnScroll={false}
            zoomOnPinch={false}
            zoomOnDoubleClick={false}
            disableKeyboardA11y
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
