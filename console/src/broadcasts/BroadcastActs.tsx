import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { ConfirmDialog } from '../parts/ConfirmDialog'
import { LinkButton } from '../parts/LinkButton'
import { MoreMenu } from '../parts/MoreMenu'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { BROADCAST_ACT_TEXTS as TEXTS } from '../texts/broadcasts'
import { DeleteDialog, RenameDialog } from './BroadcastDialogs'
import { TestDialog } from './TestDialog'
import { rememberTime } from './time-before'

type Broadcast = RecordOf<'/broadcasts/{broadcast_id}'>

const CHANGES = ['broadcasts']

/** What can be done with a broadcast, by its state and by the role of who looks at it. */
export function BroadcastActs({ broadcast }: { broadcast: Broadcast }) {
  const may = useMay()
  const params = { params: { path: { broadcast_id: broadcast.id } } }
  const { status } = broadcast
  const isDraft = status === 'draft'
  const isScheduled = status === 'scheduled'
  const isBeingSent = status === 'queued' || status === 'paused'
  const pause = useAct({ run: () => answer(api.POST('/broadcasts/{broadcast_id}/pause', params)), done: TEXTS.paused, changes: CHANGES })
  const resume = useAct({ run: () => answer(api.POST('/broadcasts/{broadcast_id}/resume', params)), done: TEXTS.resumed, changes: CHANGES })
  const cancel = useAct({
    run: () => answer(api.POST('/broadcasts/{broadcast_id}/cancel', params)),
    done: isScheduled ? TEXTS.unscheduled : TEXTS.canceled,
    changes: CHANGES,
    onDone: () => isScheduled && rememberTime(broadcast),
  })
  return (
    <>
      {may('broadcasts:write') && (isDraft || isScheduled) && (
        <LinkButton variant="default" to={`/broadcasts/${broadcast.id}/edit`}>
          {TEXTS.edit}
        </LinkButton>
      )}
      {may('broadcasts:send', 'broadcasts:read') && <TestDialog broadcast={broadcast} />}
      {may('broadcasts:write') && isScheduled && (
        <ConfirmButton
          name={TEXTS.unschedule}
          question={TEXTS.unscheduleQuestion}
          onConfirm={() => cancel.mutate()}
          isBusy={cancel.isPending}
          color="indigo"
          variant="default"
        />
      )}
      {may('broadcasts:write') && (
        <MoreActs
          broadcast={broadcast}
          isDeletable={isDraft || isScheduled}
          {...(isBeingSent && { onCancel: () => cancel.mutate() })}
          isBusy={cancel.isPending}
        />
      )}
      {may('broadcasts:write') && status === 'queued' && (
        <Button color="orange" variant="light" onClick={() => pause.mutate()} loading={pause.isPending}>
          {TEXTS.pause}
        </Button>
      )}
      {may('broadcasts:write', 'broadcasts:send') && status === 'paused' && (
        <Button onClick={() => resume.mutate()} loading={resume.isPending}>
          {TEXTS.resume}
        </Button>
      )}
      {may('broadcasts:send', 'broadcasts:read') && (isDraft || isScheduled) && (
        <LinkButton variant={isDraft ? 'filled' : 'default'} to={`/broadcasts/${broadcast.id}/send`}>
          {isDraft ? TEXTS.send : TEXTS.reschedule}
        </LinkButton>
      )}
    </>
  )
}

type MoreActsProps = {
  broadcast: Broadcast
  isDeletable: boolean
  /** Said of a broadcast that is being sent: pausing can be undone, canceling cannot. */
  onCancel?: () => void
  isBusy: boolean
}

function MoreActs({ broadcast, isDeletable, onCancel, isBusy }: MoreActsProps) {
  const go = useGo()
  const [isRenaming, renaming] = useDisclosure()
  const [isDeleting, deleting] = useDisclosure()
  const [isCanceling, canceling] = useDisclosure()
  const duplicate = useAct({
    run: () => answer(api.POST('/broadcasts/{broadcast_id}/duplicate', { params: { path: { broadcast_id: broadcast.id } } })),
    done: TEXTS.duplicated,
    changes: CHANGES,
    onDone: ({ id }) => go(`/broadcasts/${id}`),
  })
  return (
    <>
      <MoreMenu
        acts={[
          { name: TEXTS.duplicate, onClick: () => duplicate.mutate() },
          { name: TEXTS.rename, onClick: renaming.open },
          ...(onCancel ? [{ name: TEXTS.cancelAct, onClick: canceling.open, isDestructive: true }] : []),
          ...(isDeletable ? [{ name: TEXTS.remove, onClick: deleting.open, isDestructive: true }] : []),
        ]}
        isBusy={isBusy || duplicate.isPending}
      />
      {onCancel && (
        <ConfirmDialog
          title={TEXTS.cancelAct}
          question={TEXTS.cancelQuestion}
          isOpen={isCanceling}
          onClose={canceling.close}
          onConfirm={onCancel}
        />
      )}
      {isRenaming && <RenameDialog broadcast={broadcast} onClose={renaming.close} />}
      <DeleteDialog broadcast={broadcast} isOpen={isDeleting} onClose={deleting.close} />
    </>
  )
}
