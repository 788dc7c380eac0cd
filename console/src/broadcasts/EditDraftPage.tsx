import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { contentOf } from '../content/content'
import { SavedState } from '../content/SavedState'
import { useAutosavedForm } from '../content/use-content-form'
import { Awaited } from '../parts/Awaited'
import { Checks } from '../parts/Checks'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { useAddressPart } from '../shell/address'
import { DRAFT_TEXTS as TEXTS } from '../texts/broadcasts'
import { SHELL_TEXTS } from '../texts/shell'
import { DraftForm } from './DraftForm'
import { bodyOf, type DraftValues, valuesOf } from './draft'

export default function EditDraftPage() {
  const id = useAddressPart('broadcastId')
  const { data, error, refetch, isFetchedAfterMount } = useRecord(
    '/broadcasts/{broadcast_id}',
    { path: { broadcast_id: id } },
    { isFresh: true },
  )
  if (!data) return <Awaited read={{ error, refetch }} />
  // What was typed is not replaced by what is read again meanwhile, and nothing is typed into what was read long ago.
  return isFetchedAfterMount ? <Editor key={id} broadcast={data} /> : <Loading />
}

function Editor({ broadcast }: { broadcast: RecordOf<'/broadcasts/{broadcast_id}'> }) {
  const address = `/broadcasts/${broadcast.id}`
  const path = { broadcast_id: broadcast.id }
  const { page, content, autosave } = useAutosavedForm({
    initialValues: valuesOf(broadcast),
    initialContent: contentOf(broadcast),
    version: broadcast.version,
    // What is scheduled says what it said until someone saves by intent.
    isAutosaved: broadcast.status === 'draft',
    save: (values: DraftValues, written, expected_version) =>
      answer(api.PATCH('/broadcasts/{broadcast_id}', { params: { path }, body: { ...bodyOf(values, written), expected_version } })),
    autosave: (values, written, expected_version) => {
      const body = { ...bodyOf(values, written), expected_version, autosave: expected_version !== null }
      return answer(api.PATCH('/broadcasts/{broadcast_id}', { params: { path }, body }))
    },
    copy: async (values, written) => `/broadcasts/${(await answer(api.POST('/broadcasts', { body: bodyOf(values, written) }))).id}/edit`,
    changes: ['broadcasts'],
    done: TEXTS.saved,
    to: address,
    back: address,
  })
  return (
    <Page title={TEXTS.edit} back={{ to: address, name: broadcast.name }}>
      <DraftForm
        page={page}
        content={content}
        act={SHELL_TEXTS.save}
        saved={<SavedState autosave={autosave} />}
        checks={
          <Checks
            key={autosave.savedAt?.getTime()}
            broadcastId={broadcast.id}
            hasEditLink={false}
            isOutdated={autosave.state !== 'saved'}
          />
        }
      />
    </Page>
  )
}
