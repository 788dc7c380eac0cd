import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { DeleteMenu } from '../parts/DeleteMenu'
import { LinkButton } from '../parts/LinkButton'
import { MoreMenu } from '../parts/MoreMenu'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { TEMPLATE_TEXTS as TEXTS } from '../texts/templates'
import { NoTest } from './NoTest'
import { PublishButton } from './PublishButton'
import { TestTemplate } from './TestTemplate'

type Template = RecordOf<'/templates/{template_id}'>

/** @param isNewestShown what is published is the newest version, so that is offered only where it is seen */
export function TemplateActs({ template, isNewestShown }: { template: Template; isNewestShown: boolean }) {
  const may = useMay()
  const go = useGo()
  const params = { params: { path: { template_id: template.id } } }
  const duplicate = useAct({
    run: () => answer(api.POST('/templates/{template_id}/duplicate', params)),
    done: TEXTS.duplicated,
    changes: ['templates'],
    onDone: ({ id }) => go(`/templates/${id}`),
  })
  const copy = { name: TEXTS.duplicate, onClick: () => duplicate.mutate() }
  return (
    <>
      {may('templates:write') && (
        <LinkButton variant="default" to={`/templates/${template.id}/edit`}>
          {TEXTS.edit}
        </LinkButton>
      )}
      {may('templates:write') && (may('emails:send') ? <TestTemplate template={template} /> : <NoTest templateId={template.id} />)}
      {may('templates:write') &&
        (may('broadcasts:send') ? (
          <DeleteMenu
            acts={[copy]}
            isBusy={duplicate.isPending}
            name={TEXTS.remove}
            means={TEXTS.removeMeans}
            run={(query) => answer(api.DELETE('/templates/{template_id}', { params: { path: { template_id: template.id }, query } }))}
            done={TEXTS.removed}
            changes={['templates', 'automations']}
            onDone={() => go('/templates')}
          />
        ) : (
          <MoreMenu acts={[copy]} isBusy={duplicate.isPending} />
        ))}
      {may('templates:write', 'broadcasts:send') && template.has_unpublished_versions && isNewestShown && (
        <PublishButton template={template} />
      )}
    </>
  )
}
