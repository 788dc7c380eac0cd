// Where the console was before it had sections. Links that were printed or kept, and forms of pages that are still open, are redirected.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CONSOLE } from '../../../http/pages/paths.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'

export const oldAddressRoutes: FastifyPluginAsyncTypebox<PlatformContext> = async (app) => {
  const redirected = {
    method: ['GET', 'POST'],
    config: { access: 'public' as const },
    schema: { hide: true },
    // Before a body is read, because the browser sends it again to the new address.
    onRequest: redirect,
    handler: redirect,
  }
  app.route({ ...redirected, url: '/inbox' })
  app.route({ ...redirected, url: '/inbox/*' })
  for (const [from, to] of MOVED)
    app.get(`${CONSOLE}${from}`, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
      reply.redirect(`${CONSOLE}${to}`, STATUS_OF_MOVED),
    )
}

/** Pages whose address in the console was another. */
const MOVED = [
  ['/operation', '/queue'],
  ['/operation/health', '/health'],
  ['/operation/deliverability', '/deliverability'],
  ['/operation/teams', '/teams'],
  ['/operation/sessions', '/account'],
  ['/sessions', '/account'],
] as const

/** 308, not 301: a browser repeats the form that it sends. */
const STATUS_OF_MOVED = 308

const redirect = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
  // The address of a sign-in link is a credential, which a browser would otherwise keep with the redirect.
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(newAddressOf(request.url), STATUS_OF_MOVED)

function newAddressOf(url: string): string {
  // A client may send the whole address (RFC 9112, section 3.2.2).
  const { pathname, search } = url.startsWith('/') ? { pathname: url, search: '' } : new URL(url)
  const rest = `${pathname}${search}`.replace(/^\/+inbox/, '').replace(/^\/+/, '/')
  return /^\/sign-(?:in|out)(?:[/?]|$)/.test(rest) ? `${CONSOLE}${rest}` : `${CONSOLE}/emails${rest.replace(/^\/(?=\?|$)/, '')}`
}
