import { randomId } from '@mantine/hooks'
import { useState } from 'react'
import { answer, api } from '../api/client'
import { Page } from '../parts/Page'
import { usePageForm } from '../parts/page-form'
import { BROADCAST_TEXTS, DRAFT_TEXTS as TEXTS } from '../texts/broadcasts'
import { DraftForm } from './DraftForm'
import { bodyOf, type DraftValues, EMPTY_DRAFT } from './draft'

export default function NewDraftPage() {
  // What is sent twice, because the first answer was lost, is one broadcast.
  const [key] = useState(() => randomId('console-'))
  const page = usePageForm({
    initialValues: EMPTY_DRAFT,
    run: (values: DraftValues) => answer(api.POST('/broadcasts', { params: { header: { 'Idempotency-Key': key } }, body: bodyOf(values) })),
    done: TEXTS.saved,
    changes: ['broadcasts'],
    to: ({ id }) => `/broadcasts/${id}`,
    back: '/broadcasts',
  })
  return (
    <Page title={TEXTS.create} back={{ to: '/broadcasts', name: BROADCAST_TEXTS.title }}>
      <DraftForm page={page} />
    </Page>
  )
}
