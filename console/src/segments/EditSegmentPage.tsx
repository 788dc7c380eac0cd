import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { useAddressPart } from '../shell/address'
import { Problem } from '../shell/problems'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { treeOf } from './filter-count'
import { SegmentForm, useSegmentForm } from './SegmentForm'

export default function EditSegmentPage() {
  const id = useAddressPart('segmentId')
  const { data: segment, error, refetch } = useRecord('/segments/{segment_id}', { path: { segment_id: id } })
  if (error && !segment) return <Problem error={error} onRetry={() => void refetch()} />
  // What was typed is not replaced by what is read again meanwhile.
  return segment ? <Editor key={id} segment={segment} /> : <Loading />
}

function Editor({ segment }: { segment: RecordOf<'/segments/{segment_id}'> }) {
  const back = `/segments/${segment.id}`
  const hasFilter = segment.filter !== null
  const page = useSegmentForm({
    segment,
    save: ({ name, filter }) =>
      answer(
        api.PATCH('/segments/{segment_id}', {
          params: { path: { segment_id: segment.id } },
          // The filter of a segment without one is not touched, so that its contacts do not matter.
          body: { name, ...((filter !== null || hasFilter) && { filter: treeOf(filter) }) },
        }),
      ),
    done: TEXTS.saved,
    back,
  })
  return (
    <Page title={TEXTS.editTitle} back={{ to: back, name: segment.name }}>
      <SegmentForm page={page} hasFilter={hasFilter} />
    </Page>
  )
}
