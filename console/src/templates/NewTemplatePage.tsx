import { answer, api } from '../api/client'
import { EMPTY_CONTENT, useContent } from '../content/content'
import { Page } from '../parts/Page'
import { usePageForm } from '../parts/page-form'
import { TEMPLATE_TEXTS, TEMPLATE_FORM_TEXTS as TEXTS } from '../texts/templates'
import { saySaved } from './saved'
import { TemplateForm } from './TemplateForm'
import { bodyOf, EMPTY_TEMPLATE, type TemplateValues } from './template-form'

export default function NewTemplatePage() {
  const content = useContent(EMPTY_CONTENT, () => page.form.setFieldValue('edits', (edits) => edits + 1))
  const page = usePageForm({
    initialValues: EMPTY_TEMPLATE,
    run: async (values: TemplateValues) => answer(api.POST('/templates', { body: bodyOf(values, await content.read()) })),
    changes: ['templates'],
    onDone: ({ warnings }) => saySaved(warnings),
    to: ({ id }) => `/templates/${id}`,
    back: '/templates',
  })
  return (
    <Page title={TEXTS.create} back={{ to: '/templates', name: TEMPLATE_TEXTS.title }}>
      <TemplateForm page={page} content={content} />
    </Page>
  )
}
