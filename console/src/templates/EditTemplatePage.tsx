import { useForm } from '@mantine/form'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { LinkButton } from '../parts/LinkButton'
import { Page } from '../parts/Page'
import { useAddressPart, useGo } from '../shell/address'
import { Problem } from '../shell/problems'
import { SHELL_TEXTS } from '../texts/shell'
import { TEMPLATE_FORM_TEXTS as TEXTS } from '../texts/templates'
import { saySaved } from './saved'
import { TemplateForm } from './TemplateForm'
import { bodyOf, type TemplateValues, valuesOf } from './template-form'

export default function EditTemplatePage() {
  const id = useAddressPart('templateId')
  const { data, error, refetch } = useRecord('/templates/{template_id}', { path: { template_id: id } })
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />
  // What was typed is not replaced by what is read again meanwhile.
  return data ? <Editor key={id} template={data} /> : null
}

function Editor({ template }: { template: RecordOf<'/templates/{template_id}'> }) {
  const go = useGo()
  const address = `/templates/${template.id}`
  const form = useForm<TemplateValues>({ initialValues: valuesOf(template) })
  const save = useAct({
    run: (values: TemplateValues) =>
      answer(api.PATCH('/templates/{template_id}', { params: { path: { template_id: template.id } }, body: bodyOf(values) })),
    changes: ['templates'],
    onDone: ({ warnings }) => {
      saySaved(warnings)
      form.resetDirty()
      go(address)
    },
    isSilent: true,
  })
  return (
    <Page title={TEXTS.edit} back={{ to: address, name: template.name }}>
      <TemplateForm
        form={form}
        onSubmit={save.mutate}
        error={save.error}
        isBusy={save.isPending}
        acts={
          <LinkButton variant="default" to={address}>
            {SHELL_TEXTS.cancel}
          </LinkButton>
        }
      />
    </Page>
  )
}
