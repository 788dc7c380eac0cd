// The pages on which a person lets a program act for them: below the address of the console, whose cookie they read.
import cookies from '@fastify/cookie'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PAGE_HEADERS } from '../../../http/pages/document.ts'
import { CONSOLE } from '../../../http/pages/paths.ts'
import { problemPages } from '../../../http/pages/problem-pages.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import { ownForms } from '../../accounts/sessions/own-forms.pages.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { OauthContext } from '../oauth.context.ts'
import { consentRoutes } from './consent.routes.ts'
import { deviceRoutes } from './device.routes.ts'

type Context = PlatformContext & SecretsContext & AccountsContext & OauthContext

export const consentSite: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register((scope) => consentScope(scope, context), { prefix: CONSOLE })
}

const consentScope: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(cookies)
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(PAGE_HEADERS)
  })
  ownForms(app, context)
  problemPages(app)
  await app.register(consentRoutes, context)
  await app.register(deviceRoutes, context)
}
