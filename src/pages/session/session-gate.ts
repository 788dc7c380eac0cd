// Lets people pass who are signed in, as often as their team may ask. Everyone else is redirected to sign in.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { openSession, type Session } from '../../services/sessions.ts'
import { signInAddress } from './return-path.ts'
import { createSessionCookie } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The person who is signed in to the console; null until the gate has let them pass. */
    session: Session | null
  }
}

/** The session of a request; null if no one is signed in. */
export type SessionFinder = (request: FastifyRequest) => Promise<Session | null>

export function sessionFinder(app: FastifyInstance, context: Context): SessionFinder {
  const cookie = createSessionCookie(context)
  app.decorateRequest('session', null)
  return (request) => openSession(context, cookie.read(request))
}

export function sessionGate(app: FastifyInstance, findSession: SessionFinder): void {
  app.addHook('onRequest', async (request, reply) => {
    request.session = await findSession(request)
    if (request.session === null) return reply.redirect(signInAddress(request), 303)
    const refusal = await app.countTeamRequest(request, reply)
    if (refusal) throw refusal
  })
}

export function sessionOf({ session }: FastifyRequest): Session {
  if (!session) throw new Error('This route needs a session')
  return session
}
