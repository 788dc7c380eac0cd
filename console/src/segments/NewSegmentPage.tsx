import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { Page } from '../parts/Page'
import { useGo } from '../shell/address'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { treeOf } from './filter-count'
import { SegmentForm } from './SegmentForm'

export default function NewSegmentPage() {
  const go = useGo()
  const create = useAct({
    run: ({ name, filter }: { name: string; filter: object | null }) =>
      answer(api.POST('/segments', { body: { name, filter: treeOf(filter) } })),
    done: TEXTS.created,
    changes: ['segments', 'contacts'],
    onDone: ({ id }) => go(`/segments/${id}`),
    isSilent: true,
  })
  return (
    <Page title={TEXTS.create} back={{ to: '/segments', name: TEXTS.title }}>
      <SegmentForm segment={null} onSave={create.mutate} error={create.error} isBusy={create.isPending} back="/segments" />
    </Page>
  )
}
