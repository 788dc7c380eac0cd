import { answer, api } from '../api/client'
import { EMPTY_CONTENT } from '../content/content'
import { useContentForm } from '../content/use-content-form'
import { notifyWarnings } from '../parts/notices'
import { Page } from '../parts/Page'
import { useLastSender } from '../parts/senders'
import { TEMPLATE_TEXTS, TEMPLATE_FORM_TEXTS as TEXTS } from '../texts/templates'
import { TemplateForm } from './TemplateForm'
import { bodyOf, EMPTY_TEMPLATE, type TemplateValues } from './template-form'

export default function NewTemplatePage() {
  const { page, content } = useContentForm({
    initialValues: EMPTY_TEMPLATE,
    initialContent: EMPTY_CONTENT,
    save: async (values: TemplateValues, read) => answer(api.POST('/templates', { body: bodyOf(values, await read()) })),
    changes: ['templates'],
    done: TEXTS.savedFirst,
    onDone: ({ warnings }) => notifyWarnings(TEXTS.warnings, warnings),
    to: ({ id }) => `/templates/${id}`,
    back: '/templates',
  })
  useLastSender((from) => {
    if (page.form.values.from !== '') return
    // It is offered, and not typed by anyone: leaving the page loses nothing.
    page.form.setInitialValues({ ...EMPTY_TEMPLATE, from })
    page.form.setFieldValue('from', from)
  })
  return (
    <Page title={TEXTS.create} back={{ to: '/templates', name: TEMPLATE_TEXTS.title }}>
      <TemplateForm page={page} content={content} />
    </Page>
  )
}
