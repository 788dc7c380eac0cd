import { Button, Checkbox, Select, Text, TextInput } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { DeleteMenu } from '../parts/DeleteMenu'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { TEAM_TEXTS as TEXTS } from '../texts/operation'

type Team = RecordOf<'/teams/{team_id}'>

export function TeamActs({ team }: { team: Team }) {
  const params = { path: { team_id: team.id } }
  const resume = useAct({
    run: () => answer(api.POST('/teams/{team_id}/resume', { params })),
    done: TEXTS.resumed,
    changes: ['teams'],
  })
  const release = useAct({
    run: () => answer(api.POST('/teams/{team_id}/release', { params })),
    done: TEXTS.released,
    changes: ['teams'],
  })
  const restore = useAct({
    run: () => answer(api.POST('/teams/{team_id}/restore', { params })),
    done: TEXTS.restored,
    changes: ['teams'],
  })
  if (team.status === 'deleted')
    return (
      <Button onClick={() => restore.mutate()} loading={restore.isPending}>
        {TEXTS.restore}
      </Button>
    )
  return (
    <>
      {(team.reputation === 'paused' || team.reputation === 'bulk_paused') && (
        <ConfirmButton
          name={TEXTS.release}
          question={TEXTS.releaseQuestion}
          color="indigo"
          variant="default"
          onConfirm={() => release.mutate()}
          isBusy={release.isPending}
        />
      )}
      <Settings key={team.id} team={team} />
      {team.status !== 'suspended' && <Suspend teamId={team.id} />}
      <DeleteMenu
        name={TEXTS.remove}
        means={TEXTS.removeMeans}
        typed={team.name}
        run={() => answer(api.DELETE('/teams/{team_id}', { params }))}
        done={TEXTS.removed}
        changes={['teams']}
      />
      {team.status === 'suspended' && (
        <Button onClick={() => resume.mutate()} loading={resume.isPending}>
          {TEXTS.resume}
        </Button>
      )}
    </>
  )
}

function Suspend({ teamId }: { teamId: string }) {
  const suspend = useDialogForm({
    initialValues: { reason: '' },
    run: (body: { reason: string }) => answer(api.POST('/teams/{team_id}/suspend', { params: { path: { team_id: teamId } }, body })),
    done: TEXTS.suspended,
    changes: ['teams'],
  })
  return (
    <>
      <Button variant="default" onClick={suspend.open}>
        {TEXTS.suspend}
      </Button>
      <FormDialog title={TEXTS.suspend} {...suspend.dialog} act={TEXTS.suspend}>
        <Text size="sm">{TEXTS.suspendHint}</Text>
        <TextInput label={TEXTS.reason} required data-autofocus {...suspend.form.getInputProps('reason')} />
      </FormDialog>
    </>
  )
}

function Settings({ team: { id, name, guard, suppresses_soft_bounces } }: { team: Team }) {
  const save = useDialogForm({
    initialValues: { name, guard, suppresses_soft_bounces },
    run: (body: Pick<Team, 'name' | 'guard' | 'suppresses_soft_bounces'>) =>
      answer(api.PATCH('/teams/{team_id}', { params: { path: { team_id: id } }, body })),
    done: TEXTS.saved,
    changes: ['teams'],
  })
  return (
    <>
      <Button variant="default" onClick={save.open}>
        {TEXTS.settings}
      </Button>
      <FormDialog title={TEXTS.settings} {...save.dialog}>
        <TextInput label={TEXTS.name} required {...save.form.getInputProps('name')} />
        <Select
          label={TEXTS.guard}
          data={Object.entries(TEXTS.guards).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          {...save.form.getInputProps('guard')}
        />
        <Checkbox label={TEXTS.softBounces} {...save.form.getInputProps('suppresses_soft_bounces', { type: 'checkbox' })} />
      </FormDialog>
    </>
  )
}
