// What a signed-in person can do with an email: cancel and reschedule one that waits for its time, and share one, each as the API's operation does.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { cancelEmail, rescheduleEmail } from '../../modules/emails/scheduled-emails.service.ts'
import { shareEmail } from '../../modules/sharing/email-shares.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { emailPage } from './email-page.ts'
import { emailViews } from './email-views.ts'

const access = 'public' as const

const EmailParams = Type.Object({ id: Type.String() })
const onEmail = { config: { access }, schema: { hide: true, params: EmailParams } }
const RescheduleForm = Type.Object({ scheduled_at: Type.Optional(Type.String()) })
const ShareForm = Type.Object({ expires_in: Type.Optional(Type.String()) })

export const emailActRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = emailViews(context)

  app.post('/:id/cancel', onEmail, async (request, reply) =>
    act(request, reply, { done: 'canceled', change: (teamId, id) => cancelEmail(context, teamId, id) }),
  )

  app.post(
    '/:id/reschedule',
    { config: { access }, schema: { hide: true, params: EmailParams, body: RescheduleForm } },
    async (request, reply) => {
      const typed = (request.body.scheduled_at ?? '').trim()
      const change = (teamId: string, id: string) => rescheduleEmail(context, teamId, { id, scheduledAt: typed })
      return act(request, reply, { done: 'rescheduled', change, typed })
    },
  )

  // The link is shown once, on the answer itself: it is no secret of ours that an address should hold.
  app.post('/:id/share', { config: { access }, schema: { hide: true, params: EmailParams, body: ShareForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const id = idIn(request.params)
    const result = await attempt(() => shareEmail(context, teamId, { id, expiresIn: request.body.expires_in || null }))
    const view = await views.email(requireSession(request), id)
    if ('done' in result) return reply.send(emailPage({ ...view, sharedUrl: result.done }))
    const { problem } = result
    return refuse(reply, problem).send(emailPage({ ...view, problem }))
  })

  // Where the answer to a form was shown: typing the address again leads back to the page.
  for (const form of ['cancel', 'reschedule', 'share'])
    app.get(`/:id/${form}`, onEmail, async (request, reply) => reply.redirect(`/console/emails/${idIn(request.params)}`, 303))

  type Act = { done: string; change: (teamId: string, id: string) => Promise<void>; typed?: string }

  async function act(request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply, { done, change, typed }: Act) {
    const { teamId } = requireSession(request)
    const id = idIn(request.params)
    const result = await attempt(() => change(teamId, id))
    if ('done' in result) return reply.redirect(`/console/emails/${id}?done=${done}`, 303)
    const { problem } = result
    return refuse(reply, problem).send(
      emailPage({ ...(await views.email(requireSession(request), id)), problem, ...(typed !== undefined && { typed }) }),
    )
  }
}

/** @throws Failure `notFound` for what is no id */
function idIn({ id }: { id: string }): string {
  if (!isId(id)) throw notFound('Email')
  return id.toLowerCase()
}
