// The cookie that binds the answer of the identity provider to the browser that asked for it. It is sent along from another site, unlike that of a session.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Failure } from '../../lib/failure.ts'
import { CONSOLE } from '../shell/sections.ts'

/** `next`: the page that the person asked for. */
type Checks = { state: string; nonce: string; verifier: string; next: string | null }

/** Time to type a password and a second factor. */
const REQUEST_MS = 10 * 60_000

export function createRequestCookie({ publicUrl, links, clock }: Pick<Context, 'publicUrl' | 'links' | 'clock'>) {
  const isSecure = publicUrl.startsWith('https:')
  const name = `${isSecure ? '__Host-' : ''}posthaste-sign-in`
  const attributes = { httpOnly: true, sameSite: 'lax', secure: isSecure, path: isSecure ? '/' : `${CONSOLE}/sign-in` } as const
  return {
    set(reply: FastifyReply, checks: Checks): void {
      const token = links.sign('session', { checks }, new Date(clock.now().getTime() + REQUEST_MS))
      reply.setCookie(name, token, { ...attributes, maxAge: REQUEST_MS / 1_000 })
    },
    /** Null if this browser asked for nothing, or too long ago. */
    read({ cookies }: FastifyRequest): Checks | null {
      try {
        const { checks } = links.open('session', cookies[name] ?? '')
        return isChecks(checks) ? checks : null
      } catch (error) {
        if (error instanceof Failure) return null
        throw error
      }
    },
    clear: (reply: FastifyReply): void => void reply.clearCookie(name, attributes),
  }
}

const isChecks = (value: unknown): value is Checks => {
  const { state, nonce, verifier, next } = (value ?? {}) as Partial<Checks>
  return [state, nonce, verifier].every((part) => typeof part === 'string') && (next === null || typeof next === 'string')
}
