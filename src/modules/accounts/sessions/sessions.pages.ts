// How a browser stays signed in: the cookies, the page that was asked for before, and the gate before pages for people.
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CONSOLE } from '../../../http/pages/paths.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { Failure } from '../../../lib/failure.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { asOwnAct } from '../people/own-acts.ts'
import type { SignIn, SignInMethod } from './sessions.repository.ts'
import { endSession, openPersonSession, type PersonSession, type Session, SIGN_IN_LINK_MS, sessionMs } from './sessions.service.ts'

type Context = PlatformContext & SecretsContext & AccountsContext

// The cookie that binds the answer of the identity provider to the browser that asked for it. It is sent along from another site, unlike that of a session.

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

export const SIGN_IN = `${CONSOLE}/sign-in`

// The page that someone asked for who has to sign in first. It comes back from their browser, so anyone can have written it.

/** A long search. */
const PATH_LENGTH_MAX = 1_000
/** Stands for our own origin, whatever its name. */
const HERE = 'http://here.invalid'

/** Where a request is redirected that needs a session. */
export function signInAddress({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): string {
  const path = method === 'GET' ? returnPath(url) : null
  return path === null || path === CONSOLE || path === `${CONSOLE}/` ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(path)}`
}

/** A path of the console, as a browser would read it; null for everything else: other origins, other paths, and signing in itself. */
export function returnPath(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > PATH_LENGTH_MAX || !text.startsWith('/')) return null
  const url = URL.parse(text, HERE)
  if (url?.origin !== HERE || !lies(url.pathname, CONSOLE) || lies(url.pathname, SIGN_IN)) return null
  const path = `${url.pathname}${url.search}`
  // Encoding makes it longer.
  return path.length > PATH_LENGTH_MAX ? null : path
}

/** Where someone begins who has signed in: at the page that they asked for. */
export const startPath = (text: unknown): string => returnPath(text) ?? CONSOLE

const lies = (path: string, within: string): boolean => path === within || path.startsWith(`${within}/`)

// The cookie that holds the token of a session.

export type SessionCookie = {
  /** Null if the browser sent none. */
  read(request: FastifyRequest): string | null
  set(reply: FastifyReply, token: string): void
  /** Makes the browser forget its session. */
  clear(reply: FastifyReply): void
}

export function createSessionCookie(context: Pick<Context, 'publicUrl' | 'config'>): SessionCookie {
  const { name, attributes } = sessionCookie(context)
  const maxAge = sessionMs(context) / 1_000
  return {
    read: ({ cookies }) => cookies[name] ?? null,
    set: (reply, token) => void reply.setCookie(name, token, { ...attributes, maxAge }),
    clear: (reply) => void reply.clearCookie(name, attributes),
  }
}

/**
 * With TLS the prefix __Host- (RFC 6265bis, section 4.1.3). It prevents other names under our domain from planting a session. The path is all, because a
 * session is for operations too.
 */
function sessionCookie({ publicUrl }: Pick<Context, 'publicUrl'>): { name: string; attributes: CookieSerializeOptions } {
  const isSecure = publicUrl.startsWith('https:')
  const attributes = { httpOnly: true, sameSite: 'strict', path: '/', ...(isSecure && { secure: true }) } as const
  return { name: `${isSecure ? '__Host-' : ''}posthaste-console`, attributes }
}

export const sessionCookieName = (publicUrl: string): string => sessionCookie({ publicUrl }).name

/**
 * Whether a form with which people sign in came from a page of ours. Browsers send `sec-fetch-site` with each request to a trustworthy origin, and the
 * origin with each that may change something.
 */
export function isFromOwnPage({ origin, 'sec-fetch-site': site }: FastifyRequest['headers'], origins: readonly string[]): boolean {
  if (site !== undefined) return site === 'same-origin'
  return origin !== undefined && origins.includes(origin)
}

/** What browsers send is half as long. */
const BROWSER_LENGTH_MAX = 300

/** How someone signs in, from which address and browser. */
export const signInFrom = ({ ip, headers }: FastifyRequest, method: SignInMethod): SignIn => ({
  method,
  address: ip,
  browser: (headers['user-agent'] ?? '').slice(0, BROWSER_LENGTH_MAX),
})

/** A secret of the browser that asked for a link. It opens nothing, so it may be sent along from a mail program. */
export function createAskedCookie({ publicUrl }: Pick<Context, 'publicUrl'>) {
  const isSecure = publicUrl.startsWith('https:')
  const name = `${isSecure ? '__Host-' : ''}posthaste-asked`
  const attributes = { httpOnly: true, sameSite: 'lax', secure: isSecure, path: '/' } as const
  return {
    read: ({ cookies }: FastifyRequest): string | null => cookies[name] ?? null,
    set: (reply: FastifyReply, secret: string): void =>
      void reply.setCookie(name, secret, { ...attributes, maxAge: SIGN_IN_LINK_MS / 1_000 }),
    clear: (reply: FastifyReply): void => void reply.clearCookie(name, attributes),
  }
}

// Lets people pass who are signed in, as often as their team may ask. Everyone else is redirected to sign in.

declare module 'fastify' {
  interface FastifyRequest {
    /** The person who is signed in to the console; null until the gate has let them pass. */
    session: Session | null
  }
}

/** The session of a request; null if no one is signed in. */
export type SessionFinder = (request: FastifyRequest) => Promise<PersonSession | null>

export function sessionFinder(app: FastifyInstance, context: Context): SessionFinder {
  const cookie = createSessionCookie(context)
  app.decorateRequest('session', null)
  return (request) => openPersonSession(context, cookie.read(request))
}

/** Ends the session of a request, if there is one. */
export async function signOut(context: Context, request: FastifyRequest): Promise<void> {
  const token = createSessionCookie(context).read(request)
  const session = await openPersonSession(context, token)
  if (session === null) return
  const person = { id: session.personId, email: session.email }
  await asOwnAct(context, { request, name: 'console.sign-out', person }, () => endSession(context, token))
}
