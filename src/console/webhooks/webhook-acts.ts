// What a signed-in person can do: create, change, enable, disable and delete a webhook, and send to it, each as the API's operation does.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { invalid } from '../../lib/failure.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { callerOf } from '../../modules/accounts/sessions/sessions.service.ts'
import { replayFailed, sendSample } from '../../modules/webhooks/events/webhook-events.service.ts'
import {
  createWebhook,
  deleteWebhook,
  requireReaderOfEvents,
  rotateSigningSecret,
  updateWebhook,
} from '../../modules/webhooks/webhooks.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { formIdOf, once } from '../shell/form-ids.ts'
import { webhookListPage } from './list-page.ts'
import { replayedSince } from './replay-spans.ts'
import { secretPage } from './secret-page.ts'
import { settingsPage } from './settings-page.ts'
import { sampleOf, WebhookForm, webhookCreateOf, webhookUpdateOf } from './webhook-forms.ts'
import { webhookPage } from './webhook-page.ts'
import { WebhookParams } from './webhook-routes.ts'
import { NEWEST_EVENTS, webhookViews } from './webhook-views.ts'
import { ADDRESS } from './webhook-words.ts'

const access = 'public' as const
/** The list says that the form was sent before. */
const AGAIN = `${ADDRESS}?done=again`

const withForm = { config: { access }, schema: { hide: true, params: WebhookParams, body: WebhookForm } }
const withoutForm = { config: { access }, schema: { hide: true, params: WebhookParams } }

export const webhookActRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { clock } = context
  const views = webhookViews(context)

  app.post('/', { config: { access }, schema: { hide: true, body: WebhookForm } }, async (request, reply) => {
    const session = requireSession(request)
    const { teamId } = session
    const { body: form } = request
    const result = await attempt(async () => {
      await requireReaderOfEvents(context, callerOf(session), webhookCreateOf(form))
      return once(async () => createWebhook(context, teamId, webhookCreateOf(form), formIdOf(form, clock.now())))
    })
    if ('done' in result) return reply.redirect(result.done === null ? AGAIN : `${ADDRESS}/${result.done.id}/secret?done=created`, 303)
    const { problem } = result
    return refuse(reply, problem).send(webhookListPage({ ...(await views.list(teamId)), form, problem }))
  })

  app.post('/:id/settings', withForm, async (request, reply) => {
    const session = requireSession(request)
    const { teamId } = session
    const { body: form } = request
    const view = await views.settings(teamId, request.params.id)
    const { id } = view.webhook
    const result = await attempt(async () => {
      const change = webhookUpdateOf(form, view.webhook)
      await requireReaderOfEvents(context, callerOf(session), change, id)
      return updateWebhook(context, { teamId, id }, change)
    })
    if ('done' in result) return reply.redirect(`${ADDRESS}/${id}/settings?done=saved`, 303)
    const { problem } = result
    return refuse(reply, problem).send(settingsPage({ ...view, form, refusal: problem }))
  })

  for (const [act, status] of [
    ['enable', 'enabled'],
    ['disable', 'disabled'],
  ] as const)
    app.post(`/:id/${act}`, withoutForm, async (request, reply) => {
      const { teamId } = requireSession(request)
      const { id } = await views.find(teamId, request.params.id)
      const result = await attempt(() => updateWebhook(context, { teamId, id }, { status }))
      if ('done' in result) return reply.redirect(`${ADDRESS}/${id}?done=${status}`, 303)
      const { problem } = result
      return refuse(reply, problem).send(webhookPage({ ...(await views.events(teamId, id, NEWEST_EVENTS)), problem }))
    })

  app.post('/:id/secret', withoutForm, async (request, reply) =>
    reply.send(secretPage(await views.secret(requireSession(request).teamId, request.params.id, { isShown: true }))),
  )

  app.post('/:id/secret/rotate', withoutForm, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { id } = await views.find(teamId, request.params.id)
    const result = await attempt(() => rotateSigningSecret(context, { teamId, id }))
    if ('done' in result) return reply.redirect(`${ADDRESS}/${id}/secret?done=rotated`, 303)
    const { problem } = result
    return refuse(reply, problem).send(secretPage({ ...(await views.secret(teamId, id, { isShown: false })), problem }))
  })

  app.post('/:id/test', withForm, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { id } = await views.find(teamId, request.params.id)
    const result = await attempt(() =>
      once(async () => sendSample(context, { teamId, webhookId: id }, sampleOf(request.body).type, formIdOf(request.body, clock.now()))),
    )
    if ('done' in result)
      return reply.redirect(result.done === null ? `${ADDRESS}/${id}?done=again` : `${ADDRESS}/${id}/events/${result.done}?done=sent`, 303)
    const { problem } = result
    return refuse(reply, problem).send(
      webhookPage({ ...(await views.events(teamId, id, NEWEST_EVENTS)), refused: { form: 'test', problem } }),
    )
  })

  app.post('/:id/replay', withForm, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { id } = await views.find(teamId, request.params.id)
    const result = await attempt(async () => {
      const since = replayedSince(request.body.since, clock.now())
      if (since === null) throw invalid('Choose since when the events were given up.')
      return replayFailed(context, { teamId, webhookId: id }, since)
    })
    if ('done' in result)
      return reply.redirect(`${ADDRESS}/${id}?queued=${result.done.queued}${result.done.hasMore ? '&more=yes' : ''}`, 303)
    const { problem } = result
    return refuse(reply, problem).send(
      webhookPage({ ...(await views.events(teamId, id, NEWEST_EVENTS)), refused: { form: 'replay', problem } }),
    )
  })

  app.post('/:id/delete', withoutForm, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { id } = await views.find(teamId, request.params.id)
    await deleteWebhook(context, { teamId, id })
    return reply.redirect(`${ADDRESS}?done=deleted`, 303)
  })
}
