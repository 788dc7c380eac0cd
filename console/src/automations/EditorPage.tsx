import { Alert, Button, Group, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { ConfirmDialog } from '../parts/ConfirmDialog'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { useMay } from '../session/me'
import { useAddressPart } from '../shell/address'
import { Problem } from '../shell/problems'
import { EDITOR_TEXTS as TEXTS } from '../texts/automation-editor'
import { Editor } from './editor/Editor'
import { useEditing } from './editor/editing'
import type { Graph } from './graph'
import { SimulateDialog } from './SimulateDialog'

type Automation = RecordOf<'/automations/{automation_id}'>

/** The steps of an automation, on a canvas or as programs write them. The API checks them, and names the step that is wrong. */
export default function EditorPage() {
  const id = useAddressPart('automationId')
  const { data, error, refetch } = useRecord('/automations/{automation_id}', { path: { automation_id: id } })
  const [opened, setOpened] = useState<Automation | null>(null)
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />
  if (!data || data.id !== id) return <Loading />
  // What is built begins with what was there when the page was opened, whatever others change meanwhile.
  const began = opened?.id === id ? opened : data
  if (opened !== began) setOpened(began)
  return <EditorOf key={`${id} ${began.updated_at}`} began={began} now={data} onLoad={setOpened} />
}

type EditorOfProps = { began: Automation; now: Automation; onLoad: (automation: Automation) => void }

function EditorOf({ began, now, onLoad }: EditorOfProps) {
  const may = useMay()
  const path = { automation_id: began.id }
  const [refused, setRefused] = useState<Graph | null>(null)
  // Whether one has been told that others changed the steps.
  const isTold = useRef(false)
  const store = async ({ steps, connections }: Graph): Promise<string> => {
    // Rules hold rules: the types of bodies cannot say so.
    const body = { steps, connections } as never
    const { id } = await answer(api.PATCH('/automations/{automation_id}', { params: { path }, body }))
    return id
  }
  const editing = useEditing({
    initial: began,
    save: async (graph) => {
      if (isTold.current) return store(graph)
      const stored = await answer(api.GET('/automations/{automation_id}', { params: { path } }))
      if (hasOtherSteps(stored, began)) {
        setRefused(graph)
        return null
      }
      return store(graph)
    },
    done: TEXTS.saved,
  })
  return (
    <Page title={began.name} back={{ to: `/automations/${began.id}`, name: now.name }} state={<StateBadge state={now.status} />}>
      {now.status === 'enabled' && <Alert color="blue">{TEXTS.isEnabled}</Alert>}
      {hasOtherSteps(now, began) && (
        <Alert color="orange" title={TEXTS.changedMeanwhile}>
          <Group gap="sm">
            <Button size="xs" variant="default" onClick={() => onLoad(now)}>
              {TEXTS.loadTheirs}
            </Button>
            <Text size="sm">{TEXTS.loadTheirsHint}</Text>
          </Group>
        </Alert>
      )}
      <Editor
        editing={editing}
        acts={(graph) =>
          may('automations:write', 'contacts:read', 'templates:read') && <SimulateDialog automationId={began.id} graph={graph} />
        }
      />
      <ConfirmDialog
        title={TEXTS.overwriteTitle}
        question={TEXTS.overwriteQuestion}
        act={TEXTS.overwrite}
        isOpen={refused !== null}
        onClose={() => setRefused(null)}
        onConfirm={() => {
          isTold.current = true
          if (refused !== null) editing.onSave(refused)
        }}
      />
    </Page>
  )
}

/** Settings and the status are no part of what is built here. */
const hasOtherSteps = (one: Automation, other: Automation): boolean =>
  one.updated_at !== other.updated_at && stepsOf(one) !== stepsOf(other)

const stepsOf = ({ steps, connections }: Graph): string => JSON.stringify({ steps, connections })
