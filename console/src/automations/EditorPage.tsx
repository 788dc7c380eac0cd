import { Alert, Button, Group, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { ApiError, answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { CHANGED_MEANWHILE, ChangedMeanwhile } from '../content/ChangedMeanwhile'
import { Awaited } from '../parts/Awaited'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { useMay } from '../session/me'
import { useAddressPart } from '../shell/address'
import { EDITOR_TEXTS as TEXTS } from '../texts/automation-editor'
import { SHELL_TEXTS } from '../texts/shell'
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
  if (!data) return <Awaited read={{ error, refetch }} />
  if (data.id !== id) return <Loading />
  // What is built begins with what was there when the page was opened, whatever others change meanwhile.
  const began = opened?.id === id ? opened : data
  if (opened !== began) setOpened(began)
  return <EditorOf key={`${id} ${began.version}`} began={began} now={data} onLoad={setOpened} />
}

type EditorOfProps = { began: Automation; now: Automation; onLoad: (automation: Automation) => void }

function EditorOf({ began, now, onLoad }: EditorOfProps) {
  const may = useMay()
  const path = { automation_id: began.id }
  const [refused, setRefused] = useState<{ graph: Graph; error: Error } | null>(null)
  // Whether one has been told that others changed the steps.
  const isTold = useRef(false)
  const editing = useEditing({
    initial: began,
    save: async ({ steps, connections }) => {
      // Rules hold rules: the types of bodies cannot say so.
      const body = { steps, connections, expected_version: isTold.current ? null : began.version } as never
      try {
        return (await answer(api.PATCH('/automations/{automation_id}', { params: { path }, body }))).id
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== CHANGED_MEANWHILE) throw error
        setRefused({ graph: { steps, connections }, error })
        return null
      }
    },
    done: TEXTS.saved,
  })
  const loadTheirs = async () => onLoad(await answer(api.GET('/automations/{automation_id}', { params: { path } })))
  return (
    <Page title={began.name} back={{ to: `/automations/${began.id}`, name: now.name }} state={<StateBadge state={now.status} />}>
      {now.status === 'enabled' && <Alert color="blue">{TEXTS.isEnabled}</Alert>}
      {now.version !== began.version && (
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
      <ChangedMeanwhile error={refused?.error ?? null}>
        <Button variant="default" onClick={() => setRefused(null)}>
          {SHELL_TEXTS.cancel}
        </Button>
        <Button variant="default" title={TEXTS.loadTheirsHint} onClick={() => void loadTheirs()}>
          {TEXTS.loadTheirs}
        </Button>
        <Button
          onClick={() => {
            isTold.current = true
            setRefused(null)
            if (refused !== null) editing.onSave(refused.graph)
          }}
        >
          {TEXTS.overwrite}
        </Button>
      </ChangedMeanwhile>
    </Page>
  )
}
