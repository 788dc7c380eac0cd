import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { usePageForm } from '../parts/page-form'
import { useAddressPart } from '../shell/address'
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
  return data ? <Editor key={id} broadcast={data} /> : <Loading />
}

function Editor({ broadcast }: { broadcast: RecordOf<'/broadcasts/{broadcast_id}'> }) {
  const address = `/broadcasts/${broadcast.id}`
  const page = usePageForm({
    initialValues: valuesOf(broadcast),
    run: (values: DraftValues) =>
      answer(api.PATCH('/broadcasts/{broadcast_id}', { params: { path: { broadcast_id: broadcast.id } }, body: bodyOf(values) })),
    done: TEXTS.saved,
    changes: ['broadcasts'],
    to: address,
    back: address,
  })
  return (
    <Page title={TEXTS.edit} back={{ to: address, name: broadcast.name }}>
      <DraftForm page={page} act={SHELL_TEXTS.save} />
    </Page>
  )
}
