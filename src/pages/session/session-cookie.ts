// The cookie that holds the token of a session.
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { SESSION_MS } from '../../services/sessions.ts'
import { CONSOLE } from '../shell/sections.ts'

export type SessionCookie = {
  /** Null if the browser sent none. */
  read(request: FastifyRequest): string | null
  set(reply: FastifyReply, token: string): void
  /** Makes the browser forget its session. */
  clear(reply: FastifyReply): void
}

/** A browser may be signed in to a team and as an operator at once. */
export function createSessionCookie(context: Pick<Context, 'publicUrl'>, whose: 'console' | 'operator' = 'console'): SessionCookie {
  const { name, attributes } = cookieOf(context, `posthaste-${whose}`)
  return {
    read: ({ cookies }) => cookies[name] ?? null,
    set: (reply, token) => void reply.setCookie(name, token, { ...attributes, maxAge: SESSION_MS / 1_000 }),
    clear: (reply) => void reply.clearCookie(name, attributes),
  }
}

/**
 * With TLS the prefix __Host- (RFC 6265bis, section 4.1.3), which requires Path=/. It prevents other names under our domain from planting a
 * session, whereas a path stops nothing of the same origin. Without TLS there is no such prefix, and the path is bound.
 */
function cookieOf({ publicUrl }: Pick<Context, 'publicUrl'>, name: string): { name: string; attributes: CookieSerializeOptions } {
  const attributes = { httpOnly: true, sameSite: 'strict' } as const
  return publicUrl.startsWith('https:')
    ? { name: `__Host-${name}`, attributes: { ...attributes, path: '/', secure: true } }
    : { name, attributes: { ...attributes, path: CONSOLE } }
}
