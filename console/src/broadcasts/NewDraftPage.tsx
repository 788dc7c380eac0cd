import { randomId } from '@mantine/hooks'
import { useState } from 'react'
import { answer, api } from '../api/client'
import { EMPTY_CONTENT, useContent } from '../content/content'
import { Page } from '../parts/Page'
import { usePageForm } from '../parts/page-form'
import { contentOf } from '../templates/template-form'
import { BROADCAST_TEXTS, DRAFT_TEXTS as TEXTS } from '../texts/broadcasts'
import { DraftForm } from './DraftForm'
import { bodyOf, type DraftValues, EMPTY_DRAFT } from './draft'
import { TemplateChoice } from './TemplateChoice'

export default function NewDraftPage() {
  // What is sent twice, because the first answer was lost, is one broadcast.
  const [key] = useState(() => randomId('console-'))
  // A template that is chosen replaces what was written, so the editor begins anew.
  const [begun, setBegun] = useState(0)
  const content = useContent(EMPTY_CONTENT, () => page.form.setFieldValue('edits', (edits) => edits + 1))
  const page = usePageForm({
    initialValues: EMPTY_DRAFT,
    run: async (values: DraftValues) => {
      const body = bodyOf(values, await content.read())
      return answer(api.POST('/broadcasts', { params: { header: { 'Idempotency-Key': key } }, body }))
    },
    done: TEXTS.saved,
    changes: ['broadcasts'],
    to: ({ id }) => `/broadcasts/${id}`,
    back: '/broadcasts',
  })
  return (
    <Page title={TEXTS.create} back={{ to: '/broadcasts', name: BROADCAST_TEXTS.title }}>
      <DraftForm
        page={page}
        content={content}
        beginning={
          <TemplateChoice
            onChoose={(template) => {
              content.reader.current = null
              content.onChange(contentOf(template))
              setBegun(begun + 1)
              if (page.form.values.subject === '') page.form.setFieldValue('subject', template.subject ?? '')
              if (page.form.values.from === '') page.form.setFieldValue('from', template.from ?? '')
            }}
          />
        }
        contentKey={begun}
      />
    </Page>
  )
}
