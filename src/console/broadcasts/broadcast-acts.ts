// What a signed-in person can do with a broadcast: send, pause, resume, cancel and test it, each as the API's operation does.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { FormUsed } from '../../db/used-forms.ts'
import type { Caller } from '../../http/operation.ts'
import { Failure, invalid } from '../../lib/failure.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { callerOf, type Session } from '../../modules/accounts/sessions/sessions.service.ts'
import { testsOfBroadcast } from '../../modules/broadcasts/broadcast-previews.routes.ts'
import { type BroadcastAct, refusedMove } from '../../modules/broadcasts/broadcast-states.ts'
import { TEST_ADDRESSES_MAX } from '../../modules/broadcasts/broadcasts.schema.ts'
import { sendBroadcast } from '../../modules/broadcasts/broadcasts.service.ts'
import { acceptEmails } from '../../modules/emails/accept-email.service.ts'
import { validateEmail, validateEmails } from '../../modules/emails/validate-emails.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { formIdOf, once } from '../shell/form-ids.ts'
import { broadcastPage } from './broadcast-page.ts'
import { BroadcastParams } from './broadcast-routes.ts'
import { broadcastViews } from './broadcast-views.ts'
import { broadcastAddress } from './broadcast-words.ts'

const access = 'public' as const
/** Under which operation the keys of idempotency are those of forms. */
const TEST_FORM = 'console test of a broadcast'
const withoutForm = { config: { access }, schema: { hide: true, params: BroadcastParams } }
const TestForm = Type.Object({
  form_id: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  contact: Type.Optional(Type.String()),
})

export const broadcastActRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { clock, repositories } = context
  const views = broadcastViews(context)

  app.post('/:id/send', withoutForm, async (request, reply) => {
    const holder = holderOf(requireSession(request))
    const { id } = await views.find(holder.teamId, request.params.id)
    const sender = { holder, validate: (email: Parameters<typeof validateEmail>[2]) => validateEmail(context, holder, email) }
    const result = await attempt(() => sendBroadcast(context, sender, { id, scheduledAt: null }))
    if ('done' in result) return reply.redirect(`${broadcastAddress({ id })}?done=send`, 303)
    return refuse(reply, result.problem).send(broadcastPage({ ...(await views.broadcast(holder.teamId, id, '')), problem: result.problem }))
  })

  for (const act of ['pause', 'resume', 'cancel'] as const)
    app.post(`/:id/${act}`, withoutForm, async (request, reply) => {
      const { teamId } = requireSession(request)
      const { id, status } = await views.find(teamId, request.params.id)
      const result = await attempt(() => moved(act, repositories.broadcasts[act](teamId, id)))
      if ('done' in result) {
        context.wakeWorkers('broadcasts')
        return reply.redirect(`${broadcastAddress({ id })}?done=${act === 'cancel' && status === 'scheduled' ? 'draft' : act}`, 303)
      }
      return refuse(reply, result.problem).send(broadcastPage({ ...(await views.broadcast(teamId, id, '')), problem: result.problem }))
    })

  app.post('/:id/test', { config: { access }, schema: { hide: true, params: BroadcastParams, body: TestForm } }, async (request, reply) => {
    const holder = holderOf(requireSession(request))
    const { teamId } = holder
    const broadcast = await views.find(teamId, request.params.id)
    const { to = '', contact = '' } = request.body
    const test = async () => {
      const addresses = addressesIn(to)
      const formId = formIdOf(request.body, clock.now())
      const shown = contact === '' ? null : await views.contactNamed(teamId, contact)
      const takeRoom = (bytes: number) => app.takeRoom(reply, teamId, bytes)
      const { entries, ids } = await testsOfBroadcast(context, teamId, { broadcast, addresses, contact: shown, takeRoom })
      // The form is remembered by the statement that accepts the emails.
      const idempotency = formId === undefined ? null : { operation: TEST_FORM, key: formId, body: { to, contact } }
      await acceptEmails(context, {
        mode: 'all',
        holder,
        validated: await validateEmails(context, holder, entries),
        ids,
        idempotency,
      }).catch(otherTest)
      return 'test'
    }
    const result = await attempt(() => once(test))
    if ('done' in result) return reply.redirect(`${broadcastAddress(broadcast)}?done=${result.done ?? 'again'}`, 303)
    const view = await views.broadcast(teamId, broadcast.id, '')
    return refuse(reply, result.problem).send(broadcastPage({ ...view, contact, to, problem: result.problem }))
  })
}

/** The form was sent before, and asked for another test then. */
function otherTest(error: unknown): never {
  throw error instanceof Failure && error.kind === 'idempotencyConflict' ? new FormUsed() : error
}

/** Only keys with full access have sessions. */
const holderOf = (session: Session): Caller => callerOf(session)

function addressesIn(text: string): string[] {
  const addresses = text
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '')
  if (addresses.length === 0) throw invalid('The `to` field must not be empty.')
  if (addresses.length > TEST_ADDRESSES_MAX) throw invalid(`The \`to\` field must have at most ${TEST_ADDRESSES_MAX} addresses.`)
  return addresses
}

async function moved(act: BroadcastAct, moving: Promise<null | 'done' | { refused: string }>): Promise<void> {
  const result = await moving
  if (result !== null && result !== 'done') throw invalid(refusedMove(act, result.refused))
}
