// What a signed-in person can do: publish, duplicate and delete a template, and restore a version, each as the API's operation does.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { TEMPLATE_VERSIONS, TEMPLATES } from '../../modules/templates/templates.schema.ts'
import { deleteTemplate, duplicateTemplate, restoreVersion } from '../../modules/templates/templates.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { formIdOf, formIn, once } from '../shell/form-ids.ts'
import { unlessUsedIn } from '../shell/used-record.ts'
import { deletePage } from './delete-page.ts'
import { templatePage } from './template-page.ts'
import { TemplateParams } from './template-routes.ts'
import { NEWEST, templateViews } from './template-views.ts'
import { ADDRESS, templateAddress } from './template-words.ts'

const access = 'public' as const

const onTemplate = { config: { access }, schema: { hide: true, params: TemplateParams } }
const onVersion = { config: { access }, schema: { hide: true, params: Type.Object({ id: Type.String(), version: Type.String() }) } }

export const templateActRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { clock } = context
  const { templates } = context.repositories
  const views = templateViews(context)

  app.post('/:id/publish', onTemplate, async (request, reply) => {
    const { teamId } = requireSession(request)
    const published = await templates.publish(teamId, referenceOf(request.params))
    if (!published) throw notFound(TEMPLATES.noun)
    return reply.redirect(`${templateAddress(published)}?done=published`, 303)
  })

  app.post('/:id/duplicate', onTemplate, async (request, reply) => {
    const { teamId } = requireSession(request)
    const reference = referenceOf(request.params)
    const result = await attempt(() =>
      once(async () => ({ copy: await duplicateTemplate(context, teamId, reference, formIdOf(formIn(request.body), clock.now())) })),
    )
    if ('problem' in result) {
      const { problem } = result
      const takeRoom = (bytes: number) => app.takeRoom(reply, teamId, bytes)
      const view = await views.template(teamId, reference.id, { place: NEWEST, takeRoom })
      return refuse(reply, problem).send(templatePage({ ...view, problem }))
    }
    if (result.done === null) return reply.redirect(`${templateAddress(reference)}?done=again`, 303)
    const { copy } = result.done
    if (!copy) throw notFound(TEMPLATES.noun)
    return reply.redirect(`${templateAddress(copy)}?done=duplicated`, 303)
  })

  app.post('/:id/versions/:version/restore', onVersion, async (request, reply) => {
    const { id, version } = request.params
    if (!isId(version)) throw notFound(TEMPLATE_VERSIONS.noun)
    const reference = referenceOf({ id })
    const restored = await restoreVersion(context, requireSession(request).teamId, { reference, versionId: version.toLowerCase() })
    if (!restored) throw notFound(TEMPLATE_VERSIONS.noun)
    return reply.redirect(`${templateAddress(restored)}?done=restored`, 303)
  })

  app.post('/:id/delete', onTemplate, async (request, reply) => {
    const { teamId } = requireSession(request)
    const template = await views.find(teamId, request.params.id)
    const result = await attempt(() => deleteTemplate(context, teamId, { id: template.id }, unlessUsedIn(request.body)))
    if ('done' in result) return reply.redirect(`${ADDRESS}?done=deleted`, 303)
    const { problem } = result
    return refuse(reply, problem).send(deletePage({ teamName: await views.teamName(teamId), template, problem }))
  })
}

/** Addresses of pages have the id only. */
function referenceOf({ id }: { id: string }): { id: string } {
  if (!isId(id)) throw notFound(TEMPLATES.noun)
  return { id: id.toLowerCase() }
}
