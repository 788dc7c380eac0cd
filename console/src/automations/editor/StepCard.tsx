import { Box, Group, Text, ThemeIcon, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Handle, type NodeProps, Position } from '@xyflow/react'
import { CircleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { EDITOR_TEXTS as TEXTS } from '../../texts/automation-editor'
import { CONNECTION_NAMES } from '../../texts/automations'
import { UNSEEN } from '../drawing'
import { placeOfWay } from '../layout'
import { CARD_SIZE, CARD_WIDTH, type CardNode, STEP_PART, WAYS_PART } from './canvas-parts'
import { StepMenu } from './StepMenu'
import { STEP_ICONS } from './step-icons'

/** The drawing takes no clicks itself. */
const CLICKABLE = { pointerEvents: 'all' } as const
const LINE = '1.5px solid var(--mantine-color-gray-5)'

/** A step: what it does, whether something is missing, and below its ways, each with what can be added there. */
export function StepCard({ data }: NodeProps<CardNode>) {
  const { stepKey, type, sentence, isWrong, isSelected, ways, acts } = data
  const Icon = STEP_ICONS[type]
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isSelected) button.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [isSelected])
  return (
    <Box w={CARD_WIDTH} h={CARD_SIZE.height}>
      <Handle id="in" type="target" position={Position.Top} isConnectable={false} style={UNSEEN} />
      <UnstyledButton
        ref={button}
        onClick={() => acts.current.onSelect(stepKey)}
        aria-pressed={isSelected}
        data-step={stepKey}
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
              <bdi>{stepKey}</bdi>
            </Text>
          </Box>
        </Group>
      </UnstyledButton>
      <Group gap={0} wrap="nowrap" h={WAYS_PART} align="stretch">
        {ways.map(({ type: way, isOpen }) => (
          <Box key={way} flex={1} pos="relative" ta="center">
            <Box pos="absolute" left="calc(50% - 0.75px)" top={0} h={isOpen ? WAYS_PART / 2 : WAYS_PART} style={{ borderLeft: LINE }} />
            <Box pos="relative" pt={ways.length > 1 ? 4 : 14}>
              {ways.length > 1 && (
                <Text size="xs" fw={500} mb={2} lh={1.3} pl={20} ta="left" ml="50%">
                  {CONNECTION_NAMES[way]}
                </Text>
              )}
              <Box lh={0}>
                <StepMenu stepKey={stepKey} way={way} isOpen={isOpen} acts={acts} />
              </Box>
              {isOpen && (
                <Text size="xs" c="dimmed" lh={1.3} mt={2}>
                  {TEXTS.end}
                </Text>
              )}
            </Box>
          </Box>
        ))}
      </Group>
      {ways.map(({ type: way }, index) => (
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
