import { answer, api } from '../api/client'
import { Page } from '../parts/Page'
import { usePageForm } from '../parts/page-form'
import { TEMPLATE_TEXTS, TEMPLATE_FORM_TEXTS as TEXTS } from '../texts/templates'
import { saySaved } from './saved'
import { TemplateForm } from './TemplateForm'
import { bodyOf, EMPTY_TEMPLATE, type TemplateValues } from './template-form'

export default function NewTemplatePage() {
  const page = usePageForm({
    initialValues: EMPTY_TEMPLATE,
    run: (values: TemplateValues) => answer(api.POST('/templates', { body: bodyOf(values) })),
    changes: ['templates'],
    onDone: ({ warnings }) => saySaved(warnings),
    to: ({ id }) => `/templates/${id}`,
    back: '/templates',
  })
  return (
    <Page title={TEXTS.create} back={{ to: '/templates', name: TEMPLATE_TEXTS.title }}>
      <TemplateForm page={page} />
    </Page>
  )
}
