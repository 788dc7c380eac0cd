import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { usePageForm } from '../parts/page-form'
import { useAddressPart } from '../shell/address'
import { Problem } from '../shell/problems'
import { TEMPLATE_FORM_TEXTS as TEXTS } from '../texts/templates'
import { saySaved } from './saved'
import { TemplateForm } from './TemplateForm'
import { bodyOf, type TemplateValues, valuesOf } from './template-form'

export default function EditTemplatePage() {
  const id = useAddressPart('templateId')
  const { data, error, refetch } = useRecord('/templates/{template_id}', { path: { template_id: id } })
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />
  // What was typed is not replaced by what is read again meanwhile.
  return data ? <Editor key={id} template={data} /> : <Loading />
}

function Editor({ template }: { template: RecordOf<'/templates/{template_id}'> }) {
  const address = `/templates/${template.id}`
  const page = usePageForm({
    initialValues: valuesOf(template),
    run: (values: TemplateValues) =>
      answer(api.PATCH('/templates/{template_id}', { params: { path: { template_id: template.id } }, body: bodyOf(values) })),
    changes: ['templates'],
    onDone: ({ warnings }) => saySaved(warnings),
    to: address,
    back: address,
  })
  return (
    <Page title={TEXTS.edit} back={{ to: address, name: template.name }}>
      <TemplateForm page={page} />
    </Page>
  )
}
