import { ActionIcon, Menu, Text } from '@mantine/core'
import { Plus } from 'lucide-react'
import { EDITOR_TEXTS as TEXTS } from '../../texts/automation-editor'
import { CONNECTION_NAMES, STEP_NAMES } from '../../texts/automations'
import type { ConnectionType } from '../graph'
import type { StepCardData } from './canvas-parts'
import { addedTypes } from './draft'
import { STEP_ICONS } from './step-icons'

type StepMenuProps = { stepKey: string; way: ConnectionType; isOpen: boolean; acts: StepCardData['acts'] }

/** The plus at a way out of a step: which step comes there. At an open end, it can also lead on to a step that is there. */
export function StepMenu({ stepKey, way, isOpen, acts }: StepMenuProps) {
  return (
    <Menu position="bottom" withArrow width={280} shadow="md" returnFocus={false}>
      <Menu.Target>
        <ActionIcon
          variant="default"
          radius="xl"
          size={28}
          aria-label={TEXTS.add(stepKey, CONNECTION_NAMES[way])}
          style={{ pointerEvents: 'all' }}
        >
          <Plus size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        <Menu.Label>{TEXTS.addLabel}</Menu.Label>
        {addedTypes(isOpen).map((type) => {
          const Icon = STEP_ICONS[type]
          return (
            <Menu.Item key={type} leftSection={<Icon size={18} />} onClick={() => acts.current.onAdd(stepKey, way, type)}>
              {STEP_NAMES[type]}
              <Text size="xs" c="dimmed">
                {TEXTS.about[type]}
              </Text>
            </Menu.Item>
          )
        })}
        {isOpen && <OtherSteps stepKey={stepKey} way={way} acts={acts} />}
      </Menu.Dropdown>
    </Menu>
  )
}

function OtherSteps({ stepKey, way, acts }: Omit<StepMenuProps, 'isOpen'>) {
  const others = acts.current.followersOf(stepKey)
  return (
    <>
      {others.length > 0 && <Menu.Label>{TEXTS.goOnWith}</Menu.Label>}
      {others.map(({ key, type }) => {
        const Icon = STEP_ICONS[type]
        return (
          <Menu.Item
            key={key}
            leftSection={<Icon size={18} />}
            onClick={() => acts.current.onConnect(stepKey, way, key)}
            style={{ overflowWrap: 'anywhere' }}
          >
            <bdi>{key}</bdi>
          </Menu.Item>
        )
      })}
    </>
  )
}
