import { Alert, Button, Group, Select, Stack, Text, TextInput, ThemeIcon, Title } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { withCode } from '../../parts/withCode'
import { EDITOR_TEXTS as TEXTS } from '../../texts/automation-editor'
import { CONNECTION_NAMES, STEP_NAMES } from '../../texts/automations'
import { type ConnectionType, followerOf, type Graph, type Step, waysOf } from '../graph'
import { possibleFollowers } from './draft'
import type { Known } from './known'
import { StepForm } from './StepForm'
import { STEP_ICONS } from './step-icons'

type StepPanelProps = {
  step: Step
  graph: Graph
  known: Known
  problems: readonly string[]
  /** It was just added, and is filled in next. */
  isNew: boolean
  onChange: (step: Step) => void
  onRename: (name: string) => void
  onConnect: (way: ConnectionType, to: string | null) => void
  onRemove: () => void
  onDone: () => void
}

/** Everything about one step. What is changed is on the canvas at once, and is saved with all other steps. */
export function StepPanel({ step, graph, known, problems, isNew, onChange, onRename, onConnect, onRemove, onDone }: StepPanelProps) {
  const Icon = STEP_ICONS[step.type]
  const panel = useRef<HTMLDivElement>(null)
  // Who chose a step by a key goes on in its form.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each step
  useEffect(() => {
    const first = panel.current?.querySelector<HTMLElement>('[data-first]')
    const to = isNew ? (first ?? panel.current) : panel.current
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
        // Escape closes a list first.
        if (event.key === 'Escape' && (event.target as HTMLElement).getAttribute('aria-expanded') !== 'true') onDone()
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
      <Group justify="space-between">
        {step.type === 'trigger' ? (
          <span />
        ) : (
          <Button variant="subtle" color="red" leftSection={<Trash2 size={16} />} onClick={onRemove}>
            {TEXTS.removeStep}
          </Button>
        )}
        <Button variant="default" onClick={onDone}>
          {TEXTS.done}
        </Button>
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
