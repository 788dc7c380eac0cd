import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { useContent } from '../content/content'
import { SavedState } from '../content/SavedState'
import { type Autosave, useAutosave } from '../content/use-autosave'
import { Checks } from '../parts/Checks'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { type PageFormState, usePageForm } from '../parts/page-form'
import { useAddressPart, useGo } from '../shell/address'
import { Problem } from '../shell/problems'
import { TEMPLATE_FORM_TEXTS as TEXTS } from '../texts/templates'
import { saySaved } from './saved'
import { TemplateForm } from './TemplateForm'
import { bodyOf, contentOf, type TemplateValues, valuesOf } from './template-form'

type Template = RecordOf<'/templates/{template_id}'>

export default function EditTemplatePage() {
  const id = useAddressPart('templateId')
  const { data, error, refetch, isFetchedAfterMount } = useRecord(
    '/templates/{template_id}',
    { path: { template_id: id } },
    { isFresh: true },
  )
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />
  // What was typed is not replaced by what is read again meanwhile, and nothing is typed into what was read long ago.
  return data && isFetchedAfterMount ? <Editor key={id} template={data} /> : <Loading />
}

function Editor({ template }: { template: Template }) {
  const address = `/templates/${template.id}`
  const path = { template_id: template.id }
  const go = useGo()
  const content = useContent(contentOf(template), () => page.form.setFieldValue('edits', (edits) => edits + 1))
  const page: PageFormState<TemplateValues> = usePageForm({
    initialValues: valuesOf(template),
    run: (values: TemplateValues) =>
      autosave.byIntent(async (expected_version) => {
        const body = { ...bodyOf(values, await content.read()), expected_version }
        return answer(api.PATCH('/templates/{template_id}', { params: { path }, body }))
      }),
    changes: ['templates'],
    onDone: ({ warnings }) => saySaved(warnings),
    to: address,
    back: address,
  })
  const autosave: Autosave = useAutosave({
    form: page.form,
    version: template.current_version_id,
    isOn: true,
    save: async (values, expected_version) => {
      // A name and an alias apply at once, so half of one is not saved. Who replaces the work of a colleague does so by intent.
      const { name: _name, alias: _alias, ...body } = { ...bodyOf(values, await content.read()), autosave: true, expected_version }
      return answer(api.PATCH('/templates/{template_id}', { params: { path }, body }))
    },
    notSaved: { name: template.name, alias: template.alias ?? '' },
    saveCopy: async (values) => {
      const body = { ...bodyOf(values, await content.read()), alias: null }
      const { id } = await answer(api.POST('/templates', { body }))
      page.form.resetDirty()
      go(`/templates/${id}/edit`)
    },
  })
  return (
    <Page title={TEXTS.edit} back={{ to: address, name: template.name }}>
      <TemplateForm
        page={page}
        content={content}
        saved={<SavedState autosave={autosave} />}
        checks={<Checks key={autosave.savedAt?.getTime()} templateId={template.id} hasEditLink={false} />}
      />
    </Page>
  )
}
