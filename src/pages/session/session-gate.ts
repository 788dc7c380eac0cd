// Lets through who is signed in, as often as their team may ask; everybody else is led to the page for that.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { openSession, type Session } from '../../services/sessions.ts'
import { createSessionCookie } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in to the console; null until the gate has let them through. */
    session: Session | null
  }
}

export function sessionGate(app: FastifyInstance, context: Context): void {
  const cookie = createSessionCookie(context)
  app.decorateRequest('session', null)
  app.addHook('onRequest', async (request, reply) => {
    request.session = await openSession(context, cookie.read(request))
    if (request.session === null) return reply.redirect('/inbox/sign-in', 303)
    const refusal = await app.countTeamRequest(request, reply)
    if (refusal) throw refusal
  })
}

export function sessionOf({ session }: FastifyRequest): Session {
  if (!session) throw new Error('This route needs a session')
  return session
}
