import { useForm } from '@mantine/form'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { LinkButton } from '../parts/LinkButton'
import { Page } from '../parts/Page'
import { useGo } from '../shell/address'
import { SHELL_TEXTS } from '../texts/shell'
import { TEMPLATE_TEXTS, TEMPLATE_FORM_TEXTS as TEXTS } from '../texts/templates'
import { saySaved } from './saved'
import { TemplateForm } from './TemplateForm'
import { bodyOf, EMPTY_TEMPLATE, type TemplateValues } from './template-form'

export default function NewTemplatePage() {
  const go = useGo()
  const form = useForm<TemplateValues>({ initialValues: EMPTY_TEMPLATE })
  const create = useAct({
    run: (values: TemplateValues) => answer(api.POST('/templates', { body: bodyOf(values) })),
    changes: ['templates'],
    onDone: ({ id, warnings }) => {
      saySaved(warnings)
      form.resetDirty()
      go(`/templates/${id}`)
    },
    isSilent: true,
  })
  return (
    <Page title={TEXTS.create} back={{ to: '/templates', name: TEMPLATE_TEXTS.title }}>
      <TemplateForm
        form={form}
        onSubmit={create.mutate}
        error={create.error}
        isBusy={create.isPending}
        acts={
          <LinkButton variant="default" to="/templates">
            {SHELL_TEXTS.cancel}
          </LinkButton>
        }
      />
    </Page>
  )
}
