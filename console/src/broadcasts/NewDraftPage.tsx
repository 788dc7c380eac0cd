import { randomId } from '@mantine/hooks'
import { useState } from 'react'
import { answer, api } from '../api/client'
import { contentOf, EMPTY_CONTENT } from '../content/content'
import { useContentForm } from '../content/use-content-form'
import { Page } from '../parts/Page'
import { useLastSender } from '../parts/senders'
import { useFilters } from '../shell/address'
import { BROADCAST_TEXTS, DRAFT_TEXTS as TEXTS } from '../texts/broadcasts'
import { DraftForm } from './DraftForm'
import { bodyOf, type DraftValues, EMPTY_DRAFT } from './draft'
import { TemplateChoice } from './TemplateChoice'

export default function NewDraftPage() {
  const [{ template: firstId = null, segment_id = null }] = useFilters(['template', 'segment_id'])
  const empty = { ...EMPTY_DRAFT, segment_id }
  // What is sent twice, because the first answer was lost, is one broadcast.
  const [key] = useState(() => randomId('console-'))
  // A template that is chosen replaces what was written, so the editor begins anew.
  const [begun, setBegun] = useState(0)
  const { page, content } = useContentForm({
    initialValues: empty,
    initialContent: EMPTY_CONTENT,
    save: async (values: DraftValues, read) => {
      const body = bodyOf(values, await read())
      return answer(api.POST('/broadcasts', { params: { header: { 'Idempotency-Key': key } }, body }))
    },
    done: TEXTS.saved,
    changes: ['broadcasts'],
    to: ({ id }) => `/broadcasts/${id}`,
    back: '/broadcasts',
  })
  useLastSender((from) => {
    if (page.form.values.from !== '') return
    // It is offered, and not typed by anyone: leaving the page loses nothing.
    page.form.setInitialValues({ ...empty, from })
    page.form.setFieldValue('from', from)
  })
  return (
    <Page title={TEXTS.create} back={{ to: '/broadcasts', name: BROADCAST_TEXTS.title }}>
      <DraftForm
        page={page}
        content={content}
        beginning={
          <TemplateChoice
            firstId={firstId}
            onChoose={(template) => {
              content.reader.current = null
              content.onChange(contentOf(template))
              setBegun(begun + 1)
              if (page.form.values.subject === '') page.form.setFieldValue('subject', template.subject ?? '')
              if (template.from !== null && !page.form.isDirty('from')) page.form.setFieldValue('from', template.from)
            }}
          />
        }
        contentKey={begun}
      />
    </Page>
  )
}
