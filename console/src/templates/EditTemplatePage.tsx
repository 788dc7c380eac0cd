import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { contentOf } from '../content/content'
import { SavedState } from '../content/SavedState'
import { useAutosavedForm } from '../content/use-content-form'
import { Awaited } from '../parts/Awaited'
import { Checks } from '../parts/Checks'
import { Loading } from '../parts/Loading'
import { notifyWarnings } from '../parts/notices'
import { Page } from '../parts/Page'
import { useAddressPart } from '../shell/address'
import { TEMPLATE_FORM_TEXTS as TEXTS } from '../texts/templates'
import { TemplateForm } from './TemplateForm'
import { bodyOf, type TemplateValues, valuesOf } from './template-form'

type Template = RecordOf<'/templates/{template_id}'>

export default function EditTemplatePage() {
  const id = useAddressPart('templateId')
  const { data, error, refetch, isFetchedAfterMount } = useRecord(
    '/templates/{template_id}',
    { path: { template_id: id } },
    { isFresh: true },
  )
  if (!data) return <Awaited read={{ error, refetch }} />
  // What was typed is not replaced by what is read again meanwhile, and nothing is typed into what was read long ago.
  return isFetchedAfterMount ? <Editor key={id} template={data} /> : <Loading />
}

function Editor({ template }: { template: Template }) {
  const address = `/templates/${template.id}`
  const path = { template_id: template.id }
  const { page, content, autosave } = useAutosavedForm({
    initialValues: valuesOf(template),
    initialContent: contentOf(template),
    version: template.current_version_id,
    save: (values: TemplateValues, written, expected_version) =>
      answer(api.PATCH('/templates/{template_id}', { params: { path }, body: { ...bodyOf(values, written), expected_version } })),
    autosave: (values, written, expected_version) => {
      // A name and an alias apply at once, so half of one is not saved.
      const { name: _name, alias: _alias, ...body } = { ...bodyOf(values, written), autosave: true, expected_version }
      return answer(api.PATCH('/templates/{template_id}', { params: { path }, body }))
    },
    notSaved: { name: template.name, alias: template.alias ?? '' },
    copy: async (values, written) => {
      const { id } = await answer(api.POST('/templates', { body: { ...bodyOf(values, written), alias: null } }))
      return `/templates/${id}/edit`
    },
    changes: ['templates'],
    done: template.published_at === null ? TEXTS.savedFirst : TEXTS.saved,
    onDone: ({ warnings }) => notifyWarnings(TEXTS.warnings, warnings),
    to: address,
    back: address,
  })
  return (
    <Page title={TEXTS.edit} back={{ to: address, name: template.name }}>
      <TemplateForm
        page={page}
        content={content}
        ownId={template.id}
        saved={<SavedState autosave={autosave} />}
        checks={
          <Checks key={autosave.savedAt?.getTime()} templateId={template.id} hasEditLink={false} isOutdated={autosave.state !== 'saved'} />
        }
      />
    </Page>
  )
}
