// Signing in by the operator's identity provider. Its answer is taken only from the browser that asked, once, and its groups say what it opens.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import type { Failure } from '../../lib/failure.ts'
import { createOperatorLink, createSignInLink } from '../../services/create-sign-in-link.ts'
import { CONSOLE } from '../shell/sections.ts'
import { doorsPage } from './provider-page.ts'
import { createRequestCookie } from './request-cookie.ts'
import { returnPath } from './return-path.ts'
import { signInPage } from './session-page.ts'

const options = { config: { access: 'public' as const }, schema: { hide: true } }
const STATUS_OF_REFUSAL = 403
const STATUS_OF_TOO_MANY = 429
const STATUS_OF_AWAY = 503
/** How long the buttons of the page that follows work. */
const LINK_MS = 5 * 60_000
/** Buttons on one page. */
const DOORS_MAX = 50

export const NextQuery = Type.Object({ next: Type.Optional(Type.Unknown()) })

const AWAY = 'The identity provider does not answer at the moment. Try again, or sign in with an API key.'
const REFUSED = 'The identity provider did not sign you in, or its answer came too late. Try again.'
const NO_GROUP = 'Your account is in no group that may sign in here. Ask your operator.'

export const providerRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { config, gateways, repositories, publicUrl, log } = context
  const { identityProvider } = gateways
  const { oidc } = config
  if (identityProvider === null || oidc === null) return
  const cookie = createRequestCookie(context)
  const answerAddress = `${publicUrl}${CONSOLE}/sign-in/provider/answer`

  app.get('/sign-in/provider', { ...options, schema: { hide: true, querystring: NextQuery } }, async (request, reply) => {
    const refusal = await app.countSignInLink(request, reply)
    if (refusal) return tooMany(reply, refusal)
    const begun = await identityProvider.begin(answerAddress)
    if (!begun.ok) return refuse(reply, { why: begun.why, error: begun.error })
    cookie.set(reply, { ...begun.value.checks, next: returnPath(request.query.next) })
    return reply.redirect(begun.value.address, 303)
  })

  app.get('/sign-in/provider/answer', options, async (request, reply) => {
    const refusal = await app.countSignInLink(request, reply)
    if (refusal) return tooMany(reply, refusal)
    const checks = cookie.read(request)
    // An answer is taken once, whatever it says.
    cookie.clear(reply)
    if (checks === null) return refuse(reply, { why: 'refused', error: 'no request of this browser' })
    const result = await identityProvider.finish(answerOf(request), checks)
    if (!result.ok) return refuse(reply, { why: result.why, error: result.error })
    const { person, groups } = result.value
    const doors = await doorsOf(person, groups)
    if (doors.length === 0) return page(reply, STATUS_OF_REFUSAL, NO_GROUP)
    return reply.send(doorsPage({ person, doors, next: checks.next }))
  })

  /** A link that signs in once, for each team that the groups open, and for operators. */
  async function doorsOf(person: string, groups: string[]): Promise<{ name: string; path: string }[]> {
    const open = oidc?.groups.filter(({ group }) => groups.includes(group)) ?? []
    const teamIds = [...new Set(open.flatMap(({ teamId }) => teamId ?? []))].slice(0, DOORS_MAX)
    const doors: { name: string; path: string }[] = []
    for (const { id, name } of await repositories.teams.findAcrossTeams(teamIds)) {
      const key = await repositories.apiKeys.newestWithFullAccess(id)
      if (key) doors.push({ name, path: pathOf(await createSignInLink(context, { teamId: id, apiKeyId: key.id, person, forMs: LINK_MS })) })
    }
    if (open.some(({ teamId }) => teamId === null))
      doors.push({ name: 'Operation', path: pathOf(await createOperatorLink(context, { person, forMs: LINK_MS })) })
    return doors
  }

  function refuse(reply: FastifyReply, { why, error }: { why: 'away' | 'refused'; error: unknown }): FastifyReply {
    log.warn({ why, reason: error instanceof Error ? error.message : String(error) }, 'sign-in by the identity provider failed')
    return why === 'away' ? page(reply, STATUS_OF_AWAY, AWAY) : page(reply, STATUS_OF_REFUSAL, REFUSED)
  }

  const answerOf = ({ url }: FastifyRequest): URL => new URL(`${answerAddress}${url.includes('?') ? url.slice(url.indexOf('?')) : ''}`)
}

const pathOf = (link: string): string => new URL(link).pathname

const page = (reply: FastifyReply, status: number, problem: string): FastifyReply =>
  reply.code(status).send(signInPage({ problem, hasProvider: true }))

const tooMany = (reply: FastifyReply, { message, retryAfterSeconds = 1 }: Failure): FastifyReply =>
  page(reply.header('retry-after', String(retryAfterSeconds)), STATUS_OF_TOO_MANY, message)
