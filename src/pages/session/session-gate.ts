// Lets through who is signed in, as often as their team may ask; everybody else is led to the page for that.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { type InboxSession, openSession } from '../../services/inbox-session.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who looks at the inbox; null until the gate has let them through. */
    inboxSession: InboxSession | null
  }
}

export function sessionGate(app: FastifyInstance, context: Context): void {
  app.decorateRequest('inboxSession', null)
  app.addHook('onRequest', async (request, reply) => {
    request.inboxSession = await openSession(context, request.headers.cookie)
    if (request.inboxSession === null) return reply.redirect('/inbox/sign-in', 303)
    const refusal = await app.countTeamRequest(request, reply)
    if (refusal) throw refusal
  })
}

export function sessionOf({ inboxSession }: FastifyRequest): InboxSession {
  if (!inboxSession) throw new Error('This route needs a session')
  return inboxSession
}
