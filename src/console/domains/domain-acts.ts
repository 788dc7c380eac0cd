// What a signed-in person can do: add, verify, change and delete a domain, each as the API's operation does.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { confirmAddress, isConfirmed } from '../../modules/accounts/sessions/confirmation.pages.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { deleteDomain, registerDomain, updateDomain, verifyDomain } from '../../modules/domains/domains.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { unlessUsedIn } from '../shell/used-record.ts'
import { deletePage } from './delete-page.ts'
import { DomainForm, domainCreateOf, domainUpdateOf } from './domain-forms.ts'
import { domainPage } from './domain-page.ts'
import { DomainParams } from './domain-routes.ts'
import { domainViews, FIRST_PAGE } from './domain-views.ts'
import { domainListPage } from './list-page.ts'

const access = 'public' as const

export const domainActRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = domainViews(context)

  app.post('/', { config: { access }, schema: { hide: true, body: DomainForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { body: form } = request
    const result = await attempt(() => registerDomain(context, teamId, domainCreateOf(form)))
    if ('done' in result) return reply.redirect(`/console/domains/${result.done.id}`, 303)
    const { problem } = result
    return refuse(reply, problem).send(domainListPage({ ...(await views.list(teamId, FIRST_PAGE)), form, problem }))
  })

  app.post('/:id/verify', { config: { access }, schema: { hide: true, params: DomainParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const view = await views.domain(teamId, request.params.id)
    const { id } = view.domain
    const result = await attempt(() => verifyDomain(context, { teamId, id }))
    if ('done' in result) return reply.redirect(`/console/domains/${id}`, 303)
    const { problem } = result
    return refuse(reply, problem).send(domainPage({ ...view, refused: { form: 'verify', problem } }))
  })

  app.post(
    '/:id/settings',
    { config: { access }, schema: { hide: true, params: DomainParams, body: DomainForm } },
    async (request, reply) => {
      const { teamId } = requireSession(request)
      const { body: settings } = request
      const view = await views.domain(teamId, request.params.id)
      const { id } = view.domain
      const result = await attempt(() => updateDomain(context, { teamId, id }, domainUpdateOf(settings, view.domain)))
      if ('done' in result) return reply.redirect(`/console/domains/${id}?saved=1`, 303)
      const { problem } = result
      return refuse(reply, problem).send(domainPage({ ...view, settings, refused: { form: 'settings', problem } }))
    },
  )

  app.post('/:id/delete', { config: { access }, schema: { hide: true, params: DomainParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const domain = await views.find(teamId, request.params.id)
    if (!isConfirmed(request, context)) return reply.redirect(confirmAddress(`/console/domains/${domain.id}/delete`), 303)
    const result = await attempt(() => deleteDomain(context, { teamId, id: domain.id }, unlessUsedIn(request.body)))
    if ('done' in result) return reply.redirect('/console/domains?deleted=1', 303)
    const { problem } = result
    const isSenderChecked = context.config.senderPolicy === 'verified'
    return refuse(reply, problem).send(deletePage({ teamName: await views.teamName(teamId), domain, isSenderChecked, problem }))
  })

  // Where a refused form was shown: typing the address again leads back to the page.
  for (const form of ['verify', 'settings'])
    app.get(`/:id/${form}`, { config: { access }, schema: { hide: true, params: DomainParams } }, async (request, reply) => {
      const { id } = await views.find(requireSession(request).teamId, request.params.id)
      return reply.redirect(`/console/domains/${id}`, 303)
    })
}
