// Lets the page of the API's documentation act for the team of the session, without a key. It asks by a POST, which only our own pages can send.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { createSessionCookie, type SessionFinder } from '../../modules/accounts/sessions/sessions.pages.ts'
import { createDocumentationToken, DOCUMENTATION_TOKEN_MS, ofTeam } from '../../modules/accounts/sessions/sessions.service.ts'

export const documentationAccessRoutes =
  (findSession: SessionFinder): FastifyPluginAsyncTypebox<Context> =>
  async (app, context) => {
    const cookie = createSessionCookie(context)

    app.post('/documentation-token', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
      const found = await findSession(request)
      request.session = found && ofTeam(found)
      const refusal = request.session && (await app.countTeamRequest(request, reply))
      if (refusal) throw refusal
      const created = await createDocumentationToken(context, cookie.read(request))
      reply.header('content-type', 'application/json; charset=utf-8')
      // No error: most who read the documentation are not signed in.
      if (created === null) return reply.send(JSON.stringify({ token: null }))
      return reply.send(JSON.stringify({ token: created.token, team: created.team, expires_in_seconds: DOCUMENTATION_TOKEN_MS / 1_000 }))
    })
  }
