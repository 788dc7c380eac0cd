// Signing in to the console with an API key or with a link that works once, and signing out.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Failure } from '../../lib/failure.ts'
import { digestOf, KEY_NOT_VALID } from '../../lib/tokens.ts'
import type { SessionHolder, SignIn } from '../../repositories/team/sessions.ts'
import { LinkParams } from '../../schemas/links.ts'
import { beginOperatorSession, beginSession, endOperatorSession, endSession } from '../../services/sessions.ts'
import { takeForms } from '../shell/forms.ts'
import { CONSOLE, consentPath } from '../shell/sections.ts'
import { NextQuery, providerRoutes } from './provider-routes.ts'
import { operatorReturnPath, returnPath, teamReturnPath } from './return-path.ts'
import { createSessionCookie } from './session-cookie.ts'
import { oneTimePage, type SignInPage, signInPage } from './session-page.ts'
import { signInFrom } from './sign-in-place.ts'

/** A form with one key is far smaller. */
const FORM_BYTES_MAX = 4_096
const STATUS_OF_REFUSAL = 403
const STATUS_OF_TOO_MANY = 429
const isPublic = { config: { access: 'public' as const }, schema: { hide: true } }
const LINK_NOT_VALID = 'This link was used already or has expired. Sign in with an API key.'
/** `connect`: the request for access that the person wants to decide after that. `next`: the page that they asked for. */
const SignInForm = Type.Object({
  api_key: Type.Optional(Type.String()),
  connect: Type.Optional(Type.String({ pattern: '^[\\w-]{1,64}$' })),
  next: Type.Optional(Type.String()),
})

export const sessionRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { repositories, clock } = context
  const cookie = createSessionCookie(context)
  const hasProvider = context.gateways.identityProvider !== null
  const operatorCookie = createSessionCookie(context, 'operator')

  await takeForms(app, { bytesMax: FORM_BYTES_MAX })
  await app.register(providerRoutes, context)

  app.get('/sign-in', { ...isPublic, schema: { hide: true, querystring: NextQuery } }, async (request, reply) =>
    reply.send(signInPage({ next: returnPath(request.query.next), hasProvider })),
  )

  app.post('/sign-in', { ...isPublic, schema: { hide: true, body: SignInForm } }, async (request, reply) => {
    const { connect } = request.body
    const next = returnPath(request.body.next)
    const token = request.body.api_key?.trim() ?? ''
    const holder = await app.recognizeKey(request, token)
    if (holder instanceof Failure)
      return holder.kind === 'rateLimited'
        ? tooMany(reply, holder, next)
        : refuse(request, reply, { problem: holder.message, connect, next })
    if (holder.permission !== 'full_access')
      return refuse(request, reply, { problem: 'This API key may only send emails. Use one with full access.', connect, next })
    // A session is written under a lock on its key: as other requests of the team, sign-ins are only so many a second.
    request.holder = holder
    const refusal = await app.countTeamRequest(request, reply)
    if (refusal) return tooMany(reply, refusal, next)
    return enter(request, reply, { holder, signIn: signInFrom(request, { method: 'api_key', person: null }), connect, next })
  })

  app.get('/sign-in/:token', { ...isPublic, schema: { hide: true, params: LinkParams } }, async (request, reply) => {
    const { token } = request.params
    const refusal = await app.countSignInLink(request, reply)
    if (refusal) return tooMany(reply, refusal)
    const [digest, now] = [digestOf(token), clock.now()]
    const teamId = await repositories.signInLinks.teamAcrossTeams(digest, now)
    if (teamId !== null) return reply.send(oneTimePage({ token, teamName: (await repositories.teams.find(teamId))?.name ?? '' }))
    const isOfOperator = await repositories.operatorSignIns.isValidLink(digest, now)
    return isOfOperator ? reply.send(oneTimePage({ token, teamName: null })) : refuse(request, reply, { problem: LINK_NOT_VALID })
  })

  app.post('/sign-in/:token', { ...isPublic, schema: { hide: true, params: LinkParams } }, async (request, reply) => {
    const refusal = await app.countSignInLink(request, reply)
    if (refusal) return tooMany(reply, refusal)
    const digest = digestOf(request.params.token)
    const holder = await repositories.signInLinks.redeemAcrossTeams(digest, clock.now())
    const next = returnPath(nextIn(request.body))
    if (holder) return enter(request, reply, { holder, signIn: signInFrom(request, methodOf(holder)), next })
    const operator = await repositories.operatorSignIns.redeemLink(digest, clock.now())
    if (operator === null) return refuse(request, reply, { problem: LINK_NOT_VALID })
    await endOperatorSession(context, operatorCookie.read(request))
    operatorCookie.set(reply, await beginOperatorSession(context, signInFrom(request, methodOf(operator))))
    return reply.redirect(operatorReturnPath(next), 303)
  })

  app.post('/sign-out', isPublic, async (request, reply) => {
    // First, so that the browser forgets the session even if the database is unavailable.
    cookie.clear(reply)
    // A key that was entered in /docs in this tab.
    reply.header('clear-site-data', '"storage"')
    await endSession(context, cookie.read(request))
    return reply.redirect(`${CONSOLE}/sign-in`, 303)
  })

  /** Ends the session that the browser had. Its cookie is overwritten, so no one could sign out of it later. */
  async function enter(request: FastifyRequest, reply: FastifyReply, { holder, signIn, connect, next }: Entry): Promise<FastifyReply> {
    const token = await beginSession(context, holder, signIn)
    if (token === null) return refuse(request, reply, { problem: KEY_NOT_VALID, connect, next })
    await endSession(context, cookie.read(request))
    repositories.apiKeys.used(holder.apiKeyId)
    cookie.set(reply, token)
    return reply.redirect(connect === undefined ? teamReturnPath(next) : `${consentPath(connect)}?again=1`, 303)
  }

  async function refuse(request: FastifyRequest, reply: FastifyReply, page: Omit<SignInPage, 'hasProvider'>): Promise<FastifyReply> {
    const refusal = await app.countFailedCredential(request, reply)
    return refusal ? tooMany(reply, refusal, page.next) : reply.code(STATUS_OF_REFUSAL).send(signInPage({ ...page, hasProvider }))
  }
}

type Entry = { holder: SessionHolder; signIn: SignIn; connect?: string | undefined; next: string | null }

/** Without this field, the button sends no body. */
const nextIn = (body: unknown): unknown => (typeof body === 'object' && body !== null && 'next' in body ? body.next : null)

/** Only links that the identity provider led to name someone. */
const methodOf = ({ person }: { person: string | null }) => ({
  method: person === null ? ('link' as const) : ('identity_provider' as const),
  person,
})

const tooMany = (reply: FastifyReply, { message, retryAfterSeconds = 1 }: Failure, next: string | null = null): FastifyReply =>
  reply
    .code(STATUS_OF_TOO_MANY)
    .header('retry-after', String(retryAfterSeconds))
    .send(signInPage({ problem: message, next, hasProvider: false }))
