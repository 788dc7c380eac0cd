// The inbox: the mail of a team, for people. Everything but signing in needs a session.
import cookies from '@fastify/cookie'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { HOME_FILES } from '../home/home-page.ts'
import { sessionRoutes } from '../session/session.ts'
import { sessionGate } from '../session/session-gate.ts'
import { servePageFiles } from '../shell/page-files.ts'
import { noticePage, PAGE_HEADERS, SHELL_FILES } from '../shell/page-shell.ts'
import { inboxFileRoutes } from './email-files.ts'
import { inboxPageRoutes } from './email-routes.ts'
import { EMAIL_FILES } from './emails-style.ts'

export const inboxRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  servePageFiles(app, [...SHELL_FILES, ...HOME_FILES, ...EMAIL_FILES])
  await app.register((inbox) => inboxScope(inbox, context), { prefix: '/inbox' })
}

const inboxScope: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(cookies)
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PAGE_HEADERS)
  })
  // An error that was put into words for programs becomes a page with the same status and the same words.
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.statusCode < 400 || typeof payload !== 'string' || !isJson(reply.getHeader('content-type'))) return payload
    const { message }: { message: string } = JSON.parse(payload)
    const title = TITLES[reply.statusCode] ?? 'This did not work'
    const text = noticePage({ title, message, section: 'inbox', way: { address: '/inbox', name: 'Go to the inbox' } })
    reply.headers({ ...PAGE_HEADERS, 'content-length': Buffer.byteLength(text) })
    return text
  })
  // A handler of its own, so that the hooks above are run for addresses that lead nowhere as well.
  app.setNotFoundHandler(() => {
    throw notFound('Page')
  })

  await app.register(sessionRoutes, context)
  await app.register(signedIn, context)
}

const signedIn: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  sessionGate(app, context)
  await app.register(inboxPageRoutes, context)
  await app.register(inboxFileRoutes, context)
}

const TITLES: Partial<Record<number, string>> = {
  403: 'Not allowed',
  404: 'Not found',
  422: 'This address is not complete',
  429: 'Too many requests',
  503: 'Not available at the moment',
}

const isJson = (type: unknown): boolean => typeof type === 'string' && type.startsWith('application/json')
