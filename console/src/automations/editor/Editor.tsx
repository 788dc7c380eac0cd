import { ActionIcon, Alert, Anchor, Box, Button, Drawer, Group, List, SegmentedControl, Stack, Text, Textarea } from '@mantine/core'
import { useHotkeys, useMediaQuery } from '@mantine/hooks'
import { Redo2, Undo2 } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { ErrorAlert } from '../../parts/ErrorAlert'
import { LeaveQuestion } from '../../parts/LeaveQuestion'
import { LoadingMark } from '../../parts/Loading'
import { notifyDone } from '../../parts/notices'
import { EDITOR_TEXTS as TEXTS } from '../../texts/automation-editor'
import { AUTOMATION_TEXTS } from '../../texts/automations'
import { type ConnectionType, type Graph, type StepType, stepsInOrder } from '../graph'
import { changeStep, connectWay, insertStep, readGraph, removeStep, renameStep } from './draft'
import type { Editing } from './editing'
import { useKnown } from './known'
import { findProblems, type Problems, refusalOf } from './problems'
import { type StepFocus, StepPanel } from './StepPanel'
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
/** The form of a step has room beside the canvas. */
const WIDE = '(min-width: 62em)'
const JSON_ROWS = 26

/** The canvas with the form of the step that is chosen, or the same as JSON. */
export function Editor({ editing, acts, isOtherDirty = false }: EditorProps) {
  const { history, error, isBusy, isSaved, onSave, initial } = editing
  const { graph, change } = history
  const known = useKnown()
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false })
  // What is missing first is asked first, where the form does not cover the canvas.
  const [selected, setSelected] = useState(() => (isWide ? (missingAfter(null, initial, findProblems(initial, known)) ?? null) : null))
  const [json, setJson] = useState<string | null>(null)
  const [isChecked, setIsChecked] = useState(false)
  const top = useRef<HTMLDivElement>(null)
  const isDirty = (json !== null && json !== toJson(graph)) || toJson(graph) !== toJson(initial) || isOtherDirty
  useHotkeys([
    ['mod+Z', history.undo],
    ['mod+shift+Z', history.redo],
    ['mod+Y', history.redo],
  ])

  const refusal = error && refusalOf(error.message, graph)
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
          <ErrorAlert error={error} message={refusal.problem} title={TEXTS.refused}>
            {refusal.key !== '' && <ToStep stepKey={refusal.key} onSelect={setSelected} />}
          </ErrorAlert>
        )}
        {isChecked && json === null && own.size > 0 && <Missing problems={own} onSelect={setSelected} />}
      </Stack>
      {json === null ? (
        <Steps
          editing={editing}
          known={known}
          isWide={isWide}
          selected={selected}
          onSelect={setSelected}
          problemsOf={problemsOf}
          nextMissing={selected === null ? undefined : missingAfter(selected, graph, own)}
        />
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

/** The step that lacks something and comes next, around the end; `null`: the first one. */
function missingAfter(key: string | null, graph: Graph, problems: Problems): string | undefined {
  const keys = stepsInOrder(graph).map((step) => step.key)
  const at = key === null ? 0 : keys.indexOf(key) + 1
  return [...keys.slice(at), ...keys.slice(0, at)].find((one) => one !== key && problems.has(one))
}

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
  isWide: boolean
  selected: string | null
  onSelect: (key: string | null) => void
  problemsOf: (key: string) => readonly string[]
  nextMissing: string | undefined
}

function Steps({ editing: { history }, known, isWide, selected, onSelect, problemsOf, nextMissing }: StepsProps) {
  const { graph, change } = history
  // The page begins where its heading is. A step that someone chose has the focus, and one that was just added is filled in.
  const [focus, setFocus] = useState<StepFocus>('stays')
  const step = graph.steps.find(({ key }) => key === selected)
  const add = (from: string, way: ConnectionType, type: StepType) => {
    const { graph: changed, key } = insertStep(graph, { from, type: way }, type)
    change(changed)
    choose(key, 'field')
  }
  const choose = (key: string, to: StepFocus = 'panel') => {
    setFocus(to)
    onSelect(key)
  }
  const leave = () => {
    onSelect(null)
    if (selected !== null) focusStep(selected)
  }
  const remove = (key: string) => {
    const changed = removeStep(graph, key)
    change(changed)
    notifyDone(TEXTS.removed(graph.steps.length - changed.steps.length))
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
      focus={focus}
      onChange={(changed) => change(changeStep(graph, changed), step.key)}
      onRename={(name) => {
        change(renameStep(graph, step.key, name))
        onSelect(name)
      }}
      onConnect={(way, to) => change(connectWay(graph, { from: step.key, type: way }, to))}
      onRemove={() => remove(step.key)}
      onAdd={(way, type) => add(step.key, way, type)}
      next={nextMissing}
      onNext={(key) => choose(key, 'field')}
      onDone={leave}
    />
  )
  return (
    <Group align="stretch" wrap="nowrap" gap="md" h={HEIGHT}>
      <Box flex={1} miw={0}>
        <Suspense fallback={<LoadingMark label={AUTOMATION_TEXTS.layout} />}>
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
