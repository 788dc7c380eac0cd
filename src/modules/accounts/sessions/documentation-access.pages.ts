// Lets the page of the API's documentation act for the team of the session, without a key. It asks by a POST, which only our own pages can send.

import cookies from '@fastify/cookie'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CONSOLE } from '../../../http/pages/paths.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { ownForms } from './own-forms.pages.ts'
import { createSessionCookie, sessionFinder } from './sessions.pages.ts'
import { createDocumentationToken, DOCUMENTATION_TOKEN_MS, ofTeam } from './sessions.service.ts'

type Context = PlatformContext & SecretsContext & AccountsContext

export const documentationAccessPages: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(cookies)
  ownForms(app, context)
  const findSession = sessionFinder(app, context)
  const cookie = createSessionCookie(context)

  app.post(`${CONSOLE}/documentation-token`, { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const found = await findSession(request)
    request.session = found && ofTeam(found)
    const refusal = request.session && (await app.countTeamRequest(request, reply))
    if (refusal) throw refusal
    const created = await createDocumentationToken(context, cookie.read(request))
    reply.headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-store' })
    // No error: most who read the documentation are not signed in.
    if (created === null) return reply.send(JSON.stringify({ token: null }))
    return reply.send(JSON.stringify({ token: created.token, team: created.team, expires_in_seconds: DOCUMENTATION_TOKEN_MS / 1_000 }))
  })
}
