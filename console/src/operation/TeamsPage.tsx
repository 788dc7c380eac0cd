import { Button, TextInput } from '@mantine/core'
import { Plus } from 'lucide-react'
import { answer, api } from '../api/client'
import { useRows } from '../api/queries'
import { DataList } from '../parts/DataList'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useGo } from '../shell/address'
import { TEAM_TEXTS as TEXTS } from '../texts/operation'
import { TakeImageDown } from './TakeImageDown'

export default function TeamsPage() {
  const list = useRows('/teams', { query: { limit: 50 } })
  return (
    <Page title={TEXTS.title} acts={<Acts />}>
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/teams/${id}`}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => <bdi>{name}</bdi> },
          { name: TEXTS.state, cell: ({ status }) => <StateBadge state={status} /> },
          { name: TEXTS.reputation, cell: ({ reputation }) => <StateBadge state={reputation} />, isWide: true },
          { name: TEXTS.created, cell: ({ created_at }) => <Time at={created_at} form="day" />, isWide: true },
        ]}
      />
    </Page>
  )
}

const Acts = () => (
  <>
    <TakeImageDown />
    <CreateTeam />
  </>
)

function CreateTeam() {
  const go = useGo()
  const create = useDialogForm({
    initialValues: { name: '' },
    run: (body: { name: string }) => answer(api.POST('/teams', { body })),
    keepsTyped: true,
    command: 'create-team',
    done: TEXTS.made,
    changes: ['teams'],
    onDone: ({ id }) => go(`/teams/${id}`),
  })
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={create.open}>
        {TEXTS.create}
      </Button>
      <FormDialog title={TEXTS.create} {...create.dialog} act={TEXTS.create}>
        <TextInput label={TEXTS.name} required data-autofocus {...create.form.getInputProps('name')} />
      </FormDialog>
    </>
  )
}
