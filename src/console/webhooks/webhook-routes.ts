// What a signed-in person can read: the list, and the parts of a webhook.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { WEBHOOK_EVENT_STATUSES } from '../../modules/webhooks/events/webhook-events.schema.ts'
import { SENT_BEFORE } from '../shell/form-ids.ts'
import { noteOf } from '../shell/notes.ts'
import { isFirstAgain, placeFields } from '../shell/pager.ts'
import { deletePage } from './delete-page.ts'
import { webhookListPage } from './list-page.ts'
import { secretPage } from './secret-page.ts'
import { settingsPage } from './settings-page.ts'
import { webhookPage } from './webhook-page.ts'
import { webhookViews } from './webhook-views.ts'
import { webhookAddress } from './webhook-words.ts'

const access = 'public' as const

export const WebhookParams = Type.Object({ id: Type.String() })
const NoteQuery = Type.Object({ done: Type.Optional(Type.String()) })
const EventsQuery = Type.Object({
  status: Type.Optional(Type.String()),
  ...placeFields,
  done: Type.Optional(Type.String()),
  /** How many events a replay has queued. */
  queued: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Whether it has left some. */
  more: Type.Optional(Type.Literal('yes')),
})

export const webhookPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = webhookViews(context)

  app.get('/', { config: { access }, schema: { hide: true, querystring: NoteQuery } }, async (request, reply) =>
    reply.send(webhookListPage({ ...(await views.list(requireSession(request).teamId)), note: noteOf(NOTES, request.query) })),
  )

  app.get(
    '/:id',
    { config: { access }, schema: { hide: true, params: WebhookParams, querystring: EventsQuery } },
    async (request, reply) => {
      const { queued, more } = request.query
      const { after, before } = pageRequest(request.query, 'always')
      const status = WEBHOOK_EVENT_STATUSES.find((one) => one === request.query.status) ?? ''
      const view = await views.events(requireSession(request).teamId, request.params.id, { status, after, before })
      if (isFirstAgain(view.page, before))
        return reply.redirect(`${webhookAddress(view.webhook)}${status === '' ? '' : `?status=${status}`}`, 303)
      return reply.send(
        webhookPage({ ...view, note: queued === undefined ? noteOf(NOTES, request.query) : queuedNote(queued, more === 'yes') }),
      )
    },
  )

  app.get(
    '/:id/settings',
    { config: { access }, schema: { hide: true, params: WebhookParams, querystring: NoteQuery } },
    async (request, reply) => {
      const view = await views.settings(requireSession(request).teamId, request.params.id)
      return reply.send(settingsPage({ ...view, note: noteOf(NOTES, request.query) }))
    },
  )

  app.get(
    '/:id/secret',
    { config: { access }, schema: { hide: true, params: WebhookParams, querystring: NoteQuery } },
    async (request, reply) => {
      const view = await views.secret(requireSession(request).teamId, request.params.id, { isShown: false })
      return reply.send(secretPage({ ...view, note: noteOf(NOTES, request.query) }))
    },
  )

  app.get('/:id/delete', { config: { access }, schema: { hide: true, params: WebhookParams } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const webhook = await views.find(teamId, request.params.id)
    return reply.send(deletePage({ teamName: await views.teamName(teamId), webhook }))
  })

  // Where a refused form was shown: typing the address again leads back to the page.
  app.get('/:id/secret/rotate', { config: { access }, schema: { hide: true, params: WebhookParams } }, async (request, reply) =>
    reply.redirect(`${webhookAddress(await views.find(requireSession(request).teamId, request.params.id))}/secret`, 303),
  )
  for (const form of ['enable', 'disable', 'test', 'replay'])
    app.get(`/:id/${form}`, { config: { access }, schema: { hide: true, params: WebhookParams } }, async (request, reply) =>
      reply.redirect(webhookAddress(await views.find(requireSession(request).teamId, request.params.id)), 303),
    )
}

const NOTES: ReadonlyMap<string, string> = new Map([
  ['created', 'The webhook was created. Verify its events with this secret.'],
  ['again', SENT_BEFORE],
  ['saved', 'The settings were saved.'],
  ['enabled', 'The webhook is enabled. Events that were given up can be replayed.'],
  ['disabled', 'The webhook is disabled.'],
  ['rotated', 'The secret is new.'],
  ['deleted', 'The webhook was deleted.'],
])

function queuedNote(queued: number, hasMore: boolean): string {
  if (queued === 0 && !hasMore) return 'No event was given up in this time.'
  const count = queued === 1 ? '1 event was' : `${queued.toLocaleString('en')} events were`
  return `${count} queued again.${hasMore ? ' Replay again for those that are left.' : ''}`
}
