import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import type { paths } from '../api/schema'
import { ConfirmButton } from '../parts/ConfirmButton'
import { ConfirmDialog } from '../parts/ConfirmDialog'
import { LinkButton } from '../parts/LinkButton'
import { MoreMenu } from '../parts/MoreMenu'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { EDITOR_TEXTS } from '../texts/automation-editor'
import { AUTOMATION_ACT_TEXTS as TEXTS } from '../texts/automations'
import { EndingWays } from './EndingWays'
import { SettingsDialog } from './SettingsDialog'
import { SimulateDialog } from './SimulateDialog'

type Automation = RecordOf<'/automations/{automation_id}'>

/** What the API says when it is stopped. */
export type Stopped = paths['/automations/{automation_id}/stop']['post']['responses'][200]['content']['application/json']

const CHANGES = ['automations']

type ActsProps = {
  automation: Automation
  /** How many runs are under way, once that is counted. */
  running: number | undefined
  onStopped: (stopped: Stopped) => void
}

/** Stopping is never more than two clicks away while it is enabled or its runs are still under way. */
export function AutomationActs({ automation, running = 0, onStopped }: ActsProps) {
  const may = useMay()
  const path = { automation_id: automation.id }
  const isEnabled = automation.status === 'enabled'
  const change = useAct({
    run: (status: Automation['status']) => answer(api.PATCH('/automations/{automation_id}', { params: { path }, body: { status } })),
    done: (_output, status) => (status === 'enabled' ? TEXTS.enabled : TEXTS.disabled),
    changes: CHANGES,
  })
  const stop = useAct({
    run: () => answer(api.POST('/automations/{automation_id}/stop', { params: { path } })),
    done: TEXTS.stopped,
    changes: CHANGES,
    onDone: onStopped,
  })
  const mayWrite = may('automations:write')
  return (
    <>
      {mayWrite && (
        <LinkButton variant="default" to={`/automations/${automation.id}/steps`}>
          {EDITOR_TEXTS.edit}
        </LinkButton>
      )}
      {may('automations:write', 'contacts:read', 'templates:read') && (
        <SimulateDialog automationId={automation.id} graph={automation} isStored />
      )}
      {mayWrite && isEnabled && (
        <ConfirmButton
          name={TEXTS.disable}
          question={<EndingWays chosen="disable" />}
          onConfirm={() => change.mutate('disabled')}
          isBusy={change.isPending}
          color="indigo"
          variant="default"
        />
      )}
      {mayWrite && (isEnabled || running > 0) && (
        <ConfirmButton
          name={TEXTS.stop}
          act={TEXTS.stopAct}
          question={<EndingWays chosen="stop" />}
          onConfirm={() => stop.mutate()}
          isBusy={stop.isPending}
        />
      )}
      {mayWrite && <MoreActs automation={automation} />}
      {may('automations:write', 'broadcasts:send') && !isEnabled && (
        <ConfirmButton
          name={TEXTS.enable}
          question={TEXTS.enableQuestion}
          onConfirm={() => change.mutate('enabled')}
          isBusy={change.isPending}
          color="indigo"
          variant="filled"
        />
      )}
    </>
  )
}

function MoreActs({ automation }: { automation: Automation }) {
  const go = useGo()
  const path = { automation_id: automation.id }
  const [isEditing, editing] = useDisclosure()
  const [isDeleting, deleting] = useDisclosure()
  const duplicate = useAct({
    run: () => answer(api.POST('/automations/{automation_id}/duplicate', { params: { path } })),
    done: TEXTS.duplicated,
    changes: CHANGES,
    onDone: ({ id }) => go(`/automations/${id}`),
  })
  const remove = useAct({
    run: () => answer(api.DELETE('/automations/{automation_id}', { params: { path } })),
    done: TEXTS.removed,
    changes: CHANGES,
    onDone: () => go('/automations'),
  })
  return (
    <>
      <MoreMenu
        acts={[
          { name: TEXTS.edit, onClick: editing.open },
          { name: TEXTS.duplicate, onClick: () => duplicate.mutate() },
          { name: TEXTS.remove, onClick: deleting.open, isDestructive: true },
        ]}
        isBusy={duplicate.isPending || remove.isPending}
      />
      {isEditing && <SettingsDialog automation={automation} onClose={editing.close} />}
      <ConfirmDialog
        title={TEXTS.remove}
        question={TEXTS.removeQuestion}
        isOpen={isDeleting}
        onClose={deleting.close}
        onConfirm={() => remove.mutate()}
      />
    </>
  )
}
