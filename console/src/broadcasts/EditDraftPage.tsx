import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { useContent } from '../content/content'
import { SavedState } from '../content/SavedState'
import { type Autosave, useAutosave } from '../content/use-autosave'
import { Checks } from '../parts/Checks'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { type PageFormState, usePageForm } from '../parts/page-form'
import { useAddressPart, useGo } from '../shell/address'
import { Problem } from '../shell/problems'
import { DRAFT_TEXTS as TEXTS } from '../texts/broadcasts'
import { SHELL_TEXTS } from '../texts/shell'
import { DraftForm } from './DraftForm'
import { bodyOf, contentOf, type DraftValues, valuesOf } from './draft'

export default function EditDraftPage() {
  const id = useAddressPart('broadcastId')
  const { data, error, refetch, isFetchedAfterMount } = useRecord(
    '/broadcasts/{broadcast_id}',
    { path: { broadcast_id: id } },
    { isFresh: true },
  )
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />
  // What was typed is not replaced by what is read again meanwhile, and nothing is typed into what was read long ago.
  return data && isFetchedAfterMount ? <Editor key={id} broadcast={data} /> : <Loading />
}

function Editor({ broadcast }: { broadcast: RecordOf<'/broadcasts/{broadcast_id}'> }) {
  const address = `/broadcasts/${broadcast.id}`
  const path = { broadcast_id: broadcast.id }
  const go = useGo()
  const content = useContent(contentOf(broadcast), () => page.form.setFieldValue('edits', (edits) => edits + 1))
  const page: PageFormState<DraftValues> = usePageForm({
    initialValues: valuesOf(broadcast),
    run: (values: DraftValues) =>
      autosave.byIntent(async (expected_version) => {
        const body = { ...bodyOf(values, await content.read()), expected_version }
        return answer(api.PATCH('/broadcasts/{broadcast_id}', { params: { path }, body }))
      }),
    done: TEXTS.saved,
    changes: ['broadcasts'],
    to: address,
    back: address,
  })
  const autosave: Autosave = useAutosave({
    form: page.form,
    version: broadcast.version,
    // What is scheduled says what it said until someone saves by intent.
    isOn: broadcast.status === 'draft',
    save: async (values, expected_version) => {
      const body = { ...bodyOf(values, await content.read()), expected_version, autosave: expected_version !== null }
      return answer(api.PATCH('/broadcasts/{broadcast_id}', { params: { path }, body }))
    },
    saveCopy: async (values) => {
      const { id } = await answer(api.POST('/broadcasts', { body: bodyOf(values, await content.read()) }))
      page.form.resetDirty()
      go(`/broadcasts/${id}/edit`)
    },
  })
  return (
    <Page title={TEXTS.edit} back={{ to: address, name: broadcast.name }}>
      <DraftForm
        page={page}
        content={content}
        act={SHELL_TEXTS.save}
        saved={<SavedState autosave={autosave} />}
        checks={<Checks key={autosave.savedAt?.getTime()} broadcastId={broadcast.id} hasEditLink={false} />}
      />
    </Page>
  )
}
