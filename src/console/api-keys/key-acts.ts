// What a signed-in person can do: create, rename and delete an API key, each as the API's operation does.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { invalid } from '../../lib/failure.ts'
import { createApiKeyOnce } from '../../modules/accounts/api-keys.service.ts'
import { confirmAddress, isConfirmed } from '../../modules/accounts/sessions/confirmation.pages.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { createdPage } from './created-page.ts'
import { idOf, KeyForm, keyCreateOf, keyUpdateOf } from './key-forms.ts'
import { keyPage } from './key-page.ts'
import { KeyParams } from './key-routes.ts'
import { keyViews } from './key-views.ts'
import { ADDRESS, keyAddress } from './key-words.ts'
import { keyListPage } from './list-page.ts'

const access = 'public' as const

export const keyActRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { repositories, clock } = context
  const views = keyViews(context)

  /** @throws Failure if the team has no domain of this name. */
  async function domainIdOf(teamId: string, typed: string): Promise<string | null> {
    if (typed === '') return null
    const domain = await repositories.domains.findByName(teamId, typed)
    if (!domain) throw invalid('The `domain` field is not the name of one of your domains.')
    return domain.id
  }

  app.post('/', { config: { access }, schema: { hide: true, body: KeyForm } }, async (request, reply) => {
    const session = requireSession(request)
    const { teamId } = session
    const { body: form } = request
    if (form.permission !== 'sending_access' && !isConfirmed(request, context)) return reply.redirect(confirmAddress(ADDRESS), 303)
    const result = await attempt(async () => {
      const id = idOf(form, clock.now())
      const asked = keyCreateOf(form, await domainIdOf(teamId, (form.domain ?? '').trim().toLowerCase()))
      const token = await createApiKeyOnce(context, teamId, { ...asked, id, personId: session.personId })
      return token === null ? null : { token, id, name: asked.name }
    })
    if ('problem' in result) {
      const { problem } = result
      const view = await views.list(session, { after: null, before: null })
      return refuse(reply, problem).send(keyListPage({ ...view, form: { ...form, id: view.form.id ?? '' }, problem }))
    }
    if (result.done === null) return reply.redirect(`${ADDRESS}?done=again`, 303)
    const { token, ...key } = result.done
    return reply.send(createdPage({ teamName: await views.teamName(teamId), key, token }))
  })

  app.post('/:id/rename', { config: { access }, schema: { hide: true, params: KeyParams, body: KeyForm } }, async (request, reply) => {
    const session = requireSession(request)
    const view = await views.key(session, request.params.id)
    const result = await attempt(async () => {
      const { name } = keyUpdateOf(request.body)
      return repositories.apiKeys.rename(session.teamId, view.key.id, name)
    })
    if ('done' in result) return reply.redirect(`${keyAddress(view.key)}?done=renamed`, 303)
    const { problem } = result
    return refuse(reply, problem).send(keyPage({ ...view, typedName: request.body.name ?? '', problem }))
  })

  app.post('/:id/delete', { config: { access }, schema: { hide: true, params: KeyParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { id } = await views.find(teamId, request.params.id)
    const wasRemoved = await repositories.apiKeys.deleteApiKey(teamId, id)
    return reply.redirect(`${ADDRESS}?done=${wasRemoved ? 'deleted' : 'gone'}`, 303)
  })
}
