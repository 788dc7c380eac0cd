import { Button } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { DeleteButton } from '../parts/DeleteButton'
import { LinkButton } from '../parts/LinkButton'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { TEMPLATE_TEXTS as TEXTS } from '../texts/templates'
import { TestTemplate } from './TestTemplate'

type Template = RecordOf<'/templates/{template_id}'>

/** @param isNewestShown what is published is the newest version, so that is offered only where it is seen */
export function TemplateActs({ template, isNewestShown }: { template: Template; isNewestShown: boolean }) {
  const may = useMay()
  const go = useGo()
  const params = { params: { path: { template_id: template.id } } }
  const publish = useAct({
    run: () => answer(api.POST('/templates/{template_id}/publish', params)),
    done: TEXTS.publishDone,
    changes: ['templates'],
  })
  const duplicate = useAct({
    run: () => answer(api.POST('/templates/{template_id}/duplicate', params)),
    done: TEXTS.duplicated,
    changes: ['templates'],
    onDone: ({ id }) => go(`/templates/${id}`),
  })
  return (
    <>
      {may('templates:write') && (
        <LinkButton variant="default" to={`/templates/${template.id}/edit`}>
          {TEXTS.edit}
        </LinkButton>
      )}
      {may('templates:write', 'emails:send') && <TestTemplate template={template} />}
      {may('templates:write', 'broadcasts:send') && template.has_unpublished_versions && isNewestShown && (
        <ConfirmButton
          name={TEXTS.publish}
          question={TEXTS.publishQuestion}
          onConfirm={() => publish.mutate()}
          isBusy={publish.isPending}
          color="indigo"
          variant="filled"
        />
      )}
      {may('templates:write') && (
        <Button variant="default" onClick={() => duplicate.mutate()} loading={duplicate.isPending}>
          {TEXTS.duplicate}
        </Button>
      )}
      {may('templates:write', 'broadcasts:send') && (
        <DeleteButton
          name={TEXTS.remove}
          means={TEXTS.removeMeans}
          run={(query) => answer(api.DELETE('/templates/{template_id}', { params: { path: { template_id: template.id }, query } }))}
          done={TEXTS.removed}
          changes={['templates', 'automations']}
          onDone={() => go('/templates')}
        />
      )}
    </>
  )
}
