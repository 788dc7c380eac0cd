import { useForm } from '@mantine/form'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { LinkButton } from '../parts/LinkButton'
import { Page } from '../parts/Page'
import { useAddressPart, useGo } from '../shell/address'
import { Problem } from '../shell/problems'
import { DRAFT_TEXTS as TEXTS } from '../texts/broadcasts'
import { SHELL_TEXTS } from '../texts/shell'
import { DraftForm } from './DraftForm'
import { bodyOf, type DraftValues, valuesOf } from './draft'

export default function EditDraftPage() {
  const id = useAddressPart('broadcastId')
  const { data, error, refetch } = useRecord('/broadcasts/{broadcast_id}', { path: { broadcast_id: id } })
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />
  // What was typed is not replaced by what is read again meanwhile.
  return data ? <Editor key={id} broadcast={data} /> : null
}

function Editor({ broadcast }: { broadcast: RecordOf<'/broadcasts/{broadcast_id}'> }) {
  const go = useGo()
  const address = `/broadcasts/${broadcast.id}`
  const form = useForm<DraftValues>({ initialValues: valuesOf(broadcast) })
  const save = useAct({
    run: (values: DraftValues) =>
      answer(api.PATCH('/broadcasts/{broadcast_id}', { params: { path: { broadcast_id: broadcast.id } }, body: bodyOf(values) })),
    done: TEXTS.saved,
    changes: ['broadcasts'],
    onDone: () => {
      form.resetDirty()
      go(address)
    },
    isSilent: true,
  })
  return (
    <Page title={TEXTS.edit} back={{ to: address, name: broadcast.name }}>
      <DraftForm
        form={form}
        onSubmit={save.mutate}
        error={save.error}
        isBusy={save.isPending}
        act={SHELL_TEXTS.save}
        acts={
          <LinkButton variant="default" to={address}>
            {SHELL_TEXTS.cancel}
          </LinkButton>
        }
      />
    </Page>
  )
}
