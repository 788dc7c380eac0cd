// Lets operators pass. For the session of a team there is nothing here; everyone else is redirected to sign in.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { createSessionCookie, type SessionFinder, signInAddress } from '../../modules/accounts/sessions/sessions.pages.ts'
import { type OperatorSession, openOperatorSession } from '../../modules/accounts/sessions/sessions.service.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The operator who is signed in to the console; null until their gate has let them pass. */
    operator: OperatorSession | null
  }
}

export function operatorGate(app: FastifyInstance, context: Context, findSession: SessionFinder): void {
  const cookie = createSessionCookie(context, 'operator')
  app.decorateRequest('operator', null)
  app.addHook('onRequest', async (request, reply) => {
    request.operator = await openOperatorSession(context, cookie.read(request))
    if (request.operator !== null) {
      // All operators together have the limit of a team.
      const refusal = await app.countTeamRequest(request, reply)
      if (refusal) throw refusal
      return
    }
    if ((await findSession(request)) !== null) throw notFound('Page')
    return reply.redirect(signInAddress(request), 303)
  })
}

export function operatorOf({ operator }: FastifyRequest): OperatorSession {
  if (!operator) throw new Error('This route needs the session of an operator')
  return operator
}
