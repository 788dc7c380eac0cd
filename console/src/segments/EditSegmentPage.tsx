import { useState } from 'react'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { useAddressPart } from '../shell/address'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { treeOf } from './filter-count'
import { SegmentForm, useSegmentForm } from './SegmentForm'

export default function EditSegmentPage() {
  const id = useAddressPart('segmentId')
  const read = useRecord('/segments/{segment_id}', { path: { segment_id: id } }, { isFresh: true })
  if (!read.data) return <Awaited read={read} />
  // What was typed is not replaced by what is read again meanwhile, and nothing is typed into what was read long ago.
  return read.isFetchedAfterMount ? <Editor key={id} read={read.data} /> : <Loading />
}

function Editor({ read }: { read: RecordOf<'/segments/{segment_id}'> }) {
  const [segment] = useState(read)
  const back = `/segments/${segment.id}`
  const hasFilter = segment.filter !== null
  const page = useSegmentForm({
    segment,
    save: ({ name, filter }, isFilterChanged) =>
      answer(
        api.PATCH('/segments/{segment_id}', {
          params: { path: { segment_id: segment.id } },
          // What was not changed may have been changed by someone else. The filter of a segment without one is not touched, so that its contacts do not matter.
          body: {
            ...(name !== segment.name && { name }),
            ...(isFilterChanged && (filter !== null || hasFilter) && { filter: treeOf(filter) }),
          },
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
