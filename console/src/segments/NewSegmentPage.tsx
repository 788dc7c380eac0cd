import { answer, api } from '../api/client'
import { Page } from '../parts/Page'
import { SEGMENT_TEXTS as TEXTS } from '../texts/segments'
import { treeOf } from './filter-count'
import { SegmentForm, useSegmentForm } from './SegmentForm'

export default function NewSegmentPage() {
  const page = useSegmentForm({
    segment: null,
    save: ({ name, filter }) => answer(api.POST('/segments', { body: { name, filter: treeOf(filter) } })),
    done: TEXTS.created,
    back: '/segments',
  })
  return (
    <Page title={TEXTS.create} back={{ to: '/segments', name: TEXTS.title }}>
      <SegmentForm page={page} hasFilter={false} />
    </Page>
  )
}
