import { Alert, Button, Group, Select, Stack, Text, TextInput, ThemeIcon, Title } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { withCode } from '../../parts/with-code'
import { EDITOR_TEXTS as TEXTS } from '../../texts/automation-editor'
import { CONNECTION_NAMES, STEP_NAMES } from '../../texts/automations'
import { type ConnectionType, followerOf, type Graph, type Step, type StepType, waysOf } from '../graph'
import { addedTypes, possibleFollowers } from './draft'
import type { Known } from './known'
import { StepForm } from './StepForm'
import { STEP_ICONS } from './step-icons'

/** Where the focus is once the panel is there. */
export type StepFocus = 'stays' | 'panel' | 'field'

type StepPanelProps = {
  step: Step
  graph: Graph
  known: Known
  problems: readonly string[]
  focus: StepFocus
  onChange: (step: Step) => void
  onRename: (name: string) => void
  onConnect: (way: ConnectionType, to: string | null) => void
  /** Another step after it. */
  onAdd: (way: ConnectionType, type: StepType) => void
  /** The step that lacks something too. */
  next: string | undefined
  onNext: (key: string) => void
  onRemove: () => void
  onDone: () => void
}

/** Everything about one step. What is changed is on the canvas at once, and is saved with all other steps. */
export function StepPanel({ step, graph, known, problems, focus, ...acts }: StepPanelProps) {
  const { onChange, onRename, onConnect, onAdd, next, onNext, onRemove, onDone } = acts
  const Icon = STEP_ICONS[step.type]
  const panel = useRef<HTMLDivElement>(null)
  // After a step was chosen by a key, the focus is in its form.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each step
  useEffect(() => {
    const first = panel.current?.querySelector<HTMLElement>('[data-first]')
    if (focus === 'stays') return
    const to = focus === 'field' ? (first ?? panel.current) : panel.current
    // The drawer of a phone focuses what has this mark once it is open.
    to?.setAttribute('data-autofocus', '')
    to?.focus({ preventScroll: true })
  }, [])
  return (
    <Stack
      gap="md"
      ref={panel}
      tabIndex={-1}
      role="group"
      aria-label={step.key}
      style={{ outline: 'none' }}
      onKeyDown={(event) => {
        const from = event.target as HTMLElement
        // Escape closes a list or a dialog first.
        const isHere = event.currentTarget.contains(from) && from.getAttribute('aria-expanded') !== 'true'
        if (event.key === 'Escape' && isHere) onDone()
      }}
    >
      <Group gap="xs" wrap="nowrap">
        <ThemeIcon variant="light" color="indigo" size={34} radius="md">
          <Icon size={18} />
        </ThemeIcon>
        <div>
          <Title order={2}>{STEP_NAMES[step.type]}</Title>
          <Text size="xs" c="dimmed">
            {TEXTS.about[step.type]}
          </Text>
        </div>
      </Group>
      {problems.map((problem) => (
        <Alert key={problem} color="orange" p="xs">
          {withCode(problem)}
        </Alert>
      ))}
      <StepForm step={step} graph={graph} known={known} onChange={onChange} />
      {waysOf(step, graph).map((way) => (
        <AddStep key={way} stepKey={step.key} way={way} isOpen={followerOf(graph, step.key, way) === null} onAdd={onAdd} />
      ))}
      <StepName key={step.key} step={step} graph={graph} onRename={onRename} />
      {waysOf(step, graph).map((way) => (
        <Select
          key={way}
          label={TEXTS.thenWay(CONNECTION_NAMES[way])}
          data={[{ value: '', label: TEXTS.ends }, ...possibleFollowers(graph, step.key).map(({ key }) => ({ value: key, label: key }))]}
          value={followerOf(graph, step.key, way) ?? ''}
          onChange={(to) => onConnect(way, to === null || to === '' ? null : to)}
          allowDeselect={false}
        />
      ))}
      {step.type !== 'trigger' && (
        <Button variant="subtle" color="red" leftSection={<Trash2 size={16} />} onClick={onRemove} style={{ alignSelf: 'flex-start' }}>
          {TEXTS.removeStep}
        </Button>
      )}
      {/* It is at hand however long the form is. */}
      <Group
        justify="space-between"
        pos="sticky"
        bottom="calc(-1 * var(--mantine-spacing-md))"
        py="sm"
        bg="var(--mantine-color-body)"
        style={{ zIndex: 1, borderTop: '1px solid var(--mantine-color-default-border)' }}
      >
        {next === undefined ? (
          <span />
        ) : (
          <Button variant={problems.length > 0 ? 'default' : 'filled'} onClick={() => onNext(next)} maw="100%">
            {TEXTS.nextMissing(next)}
          </Button>
        )}
        <Button variant="default" onClick={onDone}>
          {TEXTS.done}
        </Button>
      </Group>
    </Stack>
  )
}

type AddStepProps = { stepKey: string; way: ConnectionType; isOpen: boolean; onAdd: StepPanelProps['onAdd'] }

/** Each type of step in one click: it comes between this one and what follows. */
function AddStep({ stepKey, way, isOpen, onAdd }: AddStepProps) {
  return (
    <Stack gap={4} role="group" aria-label={TEXTS.addAfter(CONNECTION_NAMES[way])}>
      <Text size="sm" fw={500}>
        {TEXTS.addAfter(CONNECTION_NAMES[way])}
      </Text>
      <Group gap={6}>
        {addedTypes(isOpen).map((type) => {
          const Icon = STEP_ICONS[type]
          return (
            <Button
              key={type}
              variant="default"
              size="compact-sm"
              fw={400}
              leftSection={<Icon size={14} />}
              aria-label={TEXTS.addOf(TEXTS.keys[type], stepKey, CONNECTION_NAMES[way])}
              onClick={() => onAdd(way, type)}
            >
              {TEXTS.keys[type]}
            </Button>
          )
        })}
      </Group>
    </Stack>
  )
}

const KEY_LENGTH_MAX = 100

/** Taken once it is left: half a name may be that of another step. */
function StepName({ step, graph, onRename }: Pick<StepPanelProps, 'step' | 'graph' | 'onRename'>) {
  const [name, setName] = useState(step.key)
  const typed = name.trim()
  const isTaken = graph.steps.some((one) => one.key === typed && one !== step)
  const error = typed === '' ? TEXTS.stepNameMissing : isTaken ? TEXTS.stepNameTaken : null
  const take = () => {
    if (error === null && typed !== step.key) onRename(typed)
  }
  return (
    <TextInput
      label={TEXTS.stepName}
      description={TEXTS.stepNameHint}
      value={name}
      onChange={({ currentTarget }) => setName(currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        take()
      }}
      maxLength={KEY_LENGTH_MAX}
      error={error}
    />
  )
}
