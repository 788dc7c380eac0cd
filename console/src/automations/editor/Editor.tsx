import { ActionIcon, Alert, Anchor, Box, Button, Drawer, Group, List, Loader, SegmentedControl, Stack, Text, Textarea } from '@mantine/core'
import { useHotkeys, useMediaQuery } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { Redo2, Undo2 } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { sentenceOf } from '../../api/acts'
import { LeaveQuestion } from '../../parts/LeaveQuestion'
import { withCode } from '../../parts/withCode'
import { EDITOR_TEXTS as TEXTS } from '../../texts/automation-editor'
import { AUTOMATION_TEXTS } from '../../texts/automations'
import type { ConnectionType, Graph, StepType } from '../graph'
import { changeStep, connectWay, insertStep, readGraph, removeStep, renameStep } from './draft'
import type { Editing } from './editing'
import { useKnown } from './known'
import { findProblems, type Problems, refusalOf } from './problems'
import { StepPanel } from './StepPanel'
import { stepSentence } from './sentences'

const Canvas = lazy(() => import('./Canvas'))

type EditorProps = {
  editing: Editing
  /** Buttons beside that which saves, for the steps as they are here. */
  acts?: (graph: Graph) => ReactNode
  /** Whether something else on the page is not saved. */
  isOtherDirty?: boolean
}

const HEIGHT = 'max(420px, calc(100dvh - 260px))'
const PANEL_WIDTH = 360
const JSON_ROWS = 26

/** The canvas with the form of the step that is chosen, or the same as JSON. */
export function Editor({ editing, acts, isOtherDirty = false }: EditorProps) {
  const { history, error, isBusy, isSaved, onSave, initial } = editing
  const { graph, change } = history
  const known = useKnown()
  const [selected, setSelected] = useState<string | null>(null)
  const [json, setJson] = useState<string | null>(null)
  const [isChecked, setIsChecked] = useState(false)
  const top = useRef<HTMLDivElement>(null)
  const isDirty = (json !== null && json !== toJson(graph)) || toJson(graph) !== toJson(initial) || isOtherDirty
  useHotkeys([
    ['mod+Z', history.undo],
    ['mod+shift+Z', history.redo],
    ['mod+Y', history.redo],
  ])

  const refusal = error && refusalOf(sentenceOf(error), graph)
  const own = findProblems(graph, known)
  const problemsOf = (key: string): readonly string[] => [...(own.get(key) ?? []), ...(refusal?.key === key ? [refusal.problem] : [])]
  useEffect(() => {
    if (error) top.current?.scrollIntoView({ block: 'center' })
  }, [error])

  const read = json === null ? { graph } : readGraph(json)
  const show = (view: string) => {
    if (view === 'json') return setJson(toJson(graph))
    if (!('graph' in read)) return
    if (toJson(read.graph) !== toJson(graph)) change(read.graph)
    setSelected(null)
    setJson(null)
  }
  const save = () => {
    setIsChecked(true)
    if (!('graph' in read)) return
    if (json !== null) {
      if (toJson(read.graph) !== toJson(graph)) change(read.graph)
      onSave(read.graph)
    } else if (own.size === 0) onSave(graph)
    else top.current?.scrollIntoView({ block: 'center' })
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <SegmentedControl
            aria-label={TEXTS.view}
            data={[
              { value: 'canvas', label: TEXTS.ways.canvas },
              { value: 'json', label: TEXTS.ways.json },
            ]}
            value={json === null ? 'canvas' : 'json'}
            onChange={show}
          />
          {json === null && (
            <>
              <ActionIcon variant="default" size={36} aria-label={TEXTS.undo} onClick={history.undo} disabled={!history.mayUndo}>
                <Undo2 size={18} />
              </ActionIcon>
              <ActionIcon variant="default" size={36} aria-label={TEXTS.redo} onClick={history.redo} disabled={!history.mayRedo}>
                <Redo2 size={18} />
              </ActionIcon>
            </>
          )}
        </Group>
        <Group gap="xs">
          {acts?.('graph' in read ? read.graph : graph)}
          <Button onClick={save} loading={isBusy}>
            {TEXTS.save}
          </Button>
        </Group>
      </Group>
      <Stack gap="sm" ref={top}>
        {refusal && (
          <Alert color="red" role="alert" title={TEXTS.refused}>
            {withCode(refusal.problem)}
            {refusal.key !== '' && <ToStep stepKey={refusal.key} onSelect={setSelected} />}
          </Alert>
        )}
        {isChecked && json === null && own.size > 0 && <Missing problems={own} onSelect={setSelected} />}
      </Stack>
      {json === null ? (
        <Steps editing={editing} known={known} selected={selected} onSelect={setSelected} problemsOf={problemsOf} />
      ) : (
        <Textarea
          label={TEXTS.json}
          description={TEXTS.jsonHint}
          rows={JSON_ROWS}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          value={json}
          onChange={({ currentTarget }) => setJson(currentTarget.value)}
          error={'problem' in read ? read.problem : null}
        />
      )}
      <LeaveQuestion isDirty={() => isDirty && !isSaved.current} />
    </Stack>
  )
}

const toJson = ({ steps, connections }: Graph): string => JSON.stringify({ steps, connections }, null, 2)

const ToStep = ({ stepKey, onSelect }: { stepKey: string; onSelect: (key: string) => void }) => (
  <>
    {' '}
    <Anchor component="button" type="button" inherit c="inherit" td="underline" ta="start" onClick={() => onSelect(stepKey)}>
      {TEXTS.toStep(stepKey)}
    </Anchor>
  </>
)

/** What the page knows to be missing. */
const Missing = ({ problems, onSelect }: { problems: Problems; onSelect: (key: string) => void }) => {
  const all = [...problems].flatMap(([key, some]) => some.map((problem) => ({ key, problem })))
  return (
    <Alert color="orange" role="alert" title={TEXTS.problems(all.length)}>
      <List size="sm">
        {all.map(({ key, problem }) => (
          <List.Item key={`${key} ${problem}`} style={{ overflowWrap: 'anywhere' }}>
            <b>
              <bdi>{key}</bdi>
            </b>
            : {problem}
            <ToStep stepKey={key} onSelect={onSelect} />
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

type StepsProps = {
  editing: Editing
  known: ReturnType<typeof useKnown>
  selected: string | null
  onSelect: (key: string | null) => void
  problemsOf: (key: string) => readonly string[]
}

function Steps({ editing: { history }, known, selected, onSelect, problemsOf }: StepsProps) {
  const { graph, change } = history
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  // A step that was just added is filled in next.
  const [added, setAdded] = useState<string | null>(null)
  const step = graph.steps.find(({ key }) => key === selected)
  const add = (from: string, way: ConnectionType, type: StepType) => {
    const { graph: changed, key } = insertStep(graph, { from, type: way }, type)
    change(changed)
    setAdded(key)
    onSelect(key)
  }
  const choose = (key: string) => {
    setAdded(null)
    onSelect(key)
  }
  const leave = () => {
    onSelect(null)
    if (selected !== null) focusStep(selected)
  }
  const remove = (key: string) => {
    const changed = removeStep(graph, key)
    change(changed)
    notifications.show({ message: TEXTS.removed(graph.steps.length - changed.steps.length) })
    onSelect(null)
    const before = graph.connections.find(({ to }) => to === key)?.from
    if (before !== undefined) focusStep(before)
  }
  const panel = step && (
    <StepPanel
      key={step.key}
      step={step}
      graph={graph}
      known={known}
      problems={problemsOf(step.key)}
      isNew={step.key === added}
      onChange={(changed) => change(changeStep(graph, changed), step.key)}
      onRename={(name) => {
        change(renameStep(graph, step.key, name))
        onSelect(name)
      }}
      onConnect={(way, to) => change(connectWay(graph, { from: step.key, type: way }, to))}
      onRemove={() => remove(step.key)}
      onDone={leave}
    />
  )
  return (
    <Group align="stretch" wrap="nowrap" gap="md" h={HEIGHT}>
      <Box flex={1} miw={0}>
        <Suspense fallback={<Loader aria-label={AUTOMATION_TEXTS.layout} />}>
          <Canvas
            graph={graph}
            selected={selected}
            sentenceOf={(key) => {
              const shown = graph.steps.find((one) => one.key === key)
              return shown ? stepSentence(shown, known) : key
            }}
            problemsOf={problemsOf}
            onSelect={choose}
            onAdd={add}
            onConnect={(from, way, to) => change(connectWay(graph, { from, type: way }, to))}
          />
        </Suspense>
      </Box>
      {isWide ? (
        <Box
          w={PANEL_WIDTH}
          p="md"
          bd="1px solid var(--mantine-color-default-border)"
          bdrs="md"
          role="region"
          aria-label={TEXTS.step}
          tabIndex={0}
          style={{ flexShrink: 0, overflowY: 'auto' }}
        >
          {panel ?? <Text c="dimmed">{TEXTS.nothingChosen}</Text>}
        </Box>
      ) : (
        <Drawer opened={step !== undefined} onClose={leave} title={TEXTS.step} position="bottom" size="85%" returnFocus={false}>
          {panel}
        </Drawer>
      )}
    </Group>
  )
}

/** Once it is drawn. */
const focusStep = (key: string): void =>
  void requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-step="${CSS.escape(key)}"]`)?.focus())
