import { Box, Group, Text, ThemeIcon, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { CircleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { EDITOR_TEXTS as TEXTS } from '../../texts/automation-editor'
import { CONNECTION_NAMES } from '../../texts/automations'
import { type ConnectionType, followerOf, type Graph, type Step, type StepType, waysOf } from '../graph'
import { placeOfWay } from '../layout'
import { StepMenu } from './StepMenu'
import { STEP_ICONS } from './step-icons'

export type StepCardData = {
  step: Step
  graph: Graph
  sentence: string
  problems: readonly string[]
  isSelected: boolean
  onSelect: () => void
  onAdd: (way: ConnectionType, type: StepType) => void
  onConnect: (way: ConnectionType, to: string) => void
}

export const CARD_WIDTH = 248
const STEP_PART = 80
const WAYS_PART = 66
export const CARD_HEIGHT = STEP_PART + WAYS_PART

/** Nothing is dragged from here. */
const UNSEEN = { opacity: 0 }
/** The drawing takes no clicks itself. */
const CLICKABLE = { pointerEvents: 'all' } as const
const LINE = '1.5px solid var(--mantine-color-gray-5)'

/** A step: what it does, whether something is missing, and below its ways, each with what can be added there. */
export function StepCard({ data }: NodeProps<Node<StepCardData, 'step'>>) {
  const { step, graph, sentence, problems, isSelected, onSelect, onAdd, onConnect } = data
  const Icon = STEP_ICONS[step.type]
  const ways = waysOf(step, graph)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isSelected) button.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [isSelected])
  const isWrong = problems.length > 0
  return (
    <Box w={CARD_WIDTH} h={CARD_HEIGHT}>
      <Handle id="in" type="target" position={Position.Top} isConnectable={false} style={UNSEEN} />
      <UnstyledButton
        ref={button}
        onClick={onSelect}
        aria-pressed={isSelected}
        data-step={step.key}
        h={STEP_PART}
        w="100%"
        p="xs"
        bg="var(--mantine-color-body)"
        bdrs="md"
        bd={`${isSelected ? 2 : 1}px solid var(--mantine-color-${isSelected ? 'indigo-6' : isWrong ? 'orange-6' : 'default-border'})`}
        style={{ ...CLICKABLE, boxShadow: 'var(--mantine-shadow-xs)', scrollMargin: 24 }}
      >
        <Group wrap="nowrap" gap="xs" h="100%">
          <ThemeIcon variant="light" color={isWrong ? 'orange' : 'indigo'} size={34} radius="md" style={{ flexShrink: 0 }}>
            {isWrong ? <CircleAlert size={18} /> : <Icon size={18} />}
          </ThemeIcon>
          <Box miw={0}>
            {isWrong && <VisuallyHidden>{TEXTS.problemAt} </VisuallyHidden>}
            <Text size="sm" fw={600} lineClamp={2} lh={1.25} style={{ overflowWrap: 'anywhere' }}>
              <bdi>{sentence}</bdi>
            </Text>
            <Text size="xs" c="dimmed" truncate>
              <bdi>{step.key}</bdi>
            </Text>
          </Box>
        </Group>
      </UnstyledButton>
      <Group gap={0} wrap="nowrap" h={WAYS_PART} align="stretch">
        {ways.map((way) => {
          const isOpen = followerOf(graph, step.key, way) === null
          return (
            <Box key={way} flex={1} pos="relative" ta="center">
              <Box pos="absolute" left="calc(50% - 0.75px)" top={0} h={isOpen ? WAYS_PART / 2 : WAYS_PART} style={{ borderLeft: LINE }} />
              <Box pos="relative" pt={ways.length > 1 ? 4 : 14}>
                {ways.length > 1 && (
                  <Text size="xs" fw={500} mb={2} lh={1.3} pl={20} ta="left" ml="50%">
                    {CONNECTION_NAMES[way]}
                  </Text>
                )}
                <Box lh={0}>
                  <StepMenu graph={graph} from={step} way={way} onAdd={(type) => onAdd(way, type)} onConnect={(to) => onConnect(way, to)} />
                </Box>
                {isOpen && (
                  <Text size="xs" c="dimmed" lh={1.3} mt={2}>
                    {TEXTS.end}
                  </Text>
                )}
              </Box>
            </Box>
          )
        })}
      </Group>
      {ways.map((way, index) => (
        <Handle
          key={way}
          id={way}
          type="source"
          position={Position.Bottom}
          isConnectable={false}
          style={{ ...UNSEEN, left: `${placeOfWay(index, ways.length) * 100}%` }}
        />
      ))}
    </Box>
  )
}
