import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { useRecord } from '../api/queries'
import { Page } from '../parts/Page'
import { useAddressPart, useGo } from '../shell/address'
import { Problem } from '../shell/problems'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { treeOf } from './filter-count'
import { SegmentForm } from './SegmentForm'

export default function EditSegmentPage() {
  const id = useAddressPart('segmentId')
  const go = useGo()
  const path = { segment_id: id }
  const { data: segment, error, refetch } = useRecord('/segments/{segment_id}', { path })
  const update = useAct({
    run: ({ name, filter }: { name: string; filter: object | null }) =>
      answer(
        api.PATCH('/segments/{segment_id}', {
          params: { path },
          // The filter of a segment without one is not touched, so that its contacts do not matter.
          body: { name, ...((filter !== null || segment?.filter !== null) && { filter: treeOf(filter) }) },
        }),
      ),
    done: TEXTS.saved,
    changes: ['segments', 'contacts'],
    onDone: () => go(`/segments/${id}`),
    isSilent: true,
  })
  if (error && !segment) return <Problem error={error} onRetry={() => void refetch()} />
  if (!segment) return null
  return (
    <Page title={TEXTS.editTitle} back={{ to: `/segments/${id}`, name: segment.name }}>
      <SegmentForm segment={segment} onSave={update.mutate} error={update.error} isBusy={update.isPending} back={`/segments/${id}`} />
    </Page>
  )
}
