// Where a person decides about a program. What proves the right to decide is a session of the console.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { newAct } from '../../../db/acts.ts'
import { personAt } from '../../../http/actor.ts'
import { takeForms } from '../../../http/pages/document.ts'
import { consentPath } from '../../../http/pages/paths.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { HOUR_MS, MINUTE_MS } from '../../../lib/clock.ts'
import type { Failure } from '../../../lib/failure.ts'
import { isId } from '../../../lib/ids.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import { SCOPES_OF_ROLES, withinRole } from '../../accounts/people/roles.ts'
import { FULL_ACCESS, includesScope } from '../../accounts/scopes.ts'
import { confirmAddress } from '../../accounts/sessions/confirmation.pages.ts'
import { isFresh, needsFreshSignIn } from '../../accounts/sessions/confirmation.ts'
import { createSessionCookie, signOut } from '../../accounts/sessions/sessions.pages.ts'
import { ofTeam, openPersonSession, openSession, type Session } from '../../accounts/sessions/sessions.service.ts'
import { refusalByState } from '../../accounts/teams/team-states.ts'
import { targetOf } from '../../audit/acts.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import { isOwnMachine } from '../clients.ts'
import type { Allowance, ConsentDecision, ConsentRequest, OauthContext } from '../oauth.context.ts'
import { bouncePage, consentHeaders, consentNotice, consentPage, type Decider } from './consent.pages.ts'
import { type ConsentReading, chooseConsentTexts } from './texts.ts'

type Context = PlatformContext & SecretsContext & AccountsContext & OauthContext

// Logos of clients, as data in the page, so that no server of a stranger learns who looks at it.

const BYTES_MAX = 64 * 1024
const TIMEOUT_MS = 2_000
const KEPT_MS = HOUR_MS
/** No view of the page asks a server that does not answer more often. */
const OUTAGE_KEPT_MS = MINUTE_MS
const KEPT_MAX = 100
/** Pictures that a browser only draws. */
const TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export function createClientLogos({ remoteFiles }: Pick<Context['gateways'], 'remoteFiles'>, { timeoutMs = TIMEOUT_MS } = {}) {
  const kept = new LRUCache<string, { data: string | null }>({ max: KEPT_MAX, ttl: KEPT_MS })

  /** Null if there is none, or none that can be shown. */
  return async (url: string | null): Promise<string | null> => {
    if (url === null || remoteFiles.checkUrl(url) !== null) return null
    const known = kept.get(url)
    if (known) return known.data
    const pieces: Buffer[] = []
    const fetched = await remoteFiles.fetchFile(url, {
      bytesMax: BYTES_MAX,
      timeoutMs,
      async store(content) {
        for await (const piece of content) pieces.push(piece)
      },
    })
    const type = fetched.ok ? (fetched.contentType?.split(';')[0]?.trim() ?? '') : ''
    const data = TYPES.has(type) ? `data:${type};base64,${Buffer.concat(pieces).toString('base64')}` : null
    kept.set(url, { data }, { ttl: !fetched.ok && fetched.retry ? OUTAGE_KEPT_MS : KEPT_MS })
    return data
  }
}

const FORM_BYTES_MAX = 4_096
const STATUS_OF_GONE = 410
const STATUS_OF_FULL = 409
const STATUS_OF_NO_TEAM = 403
/** Teams to choose from. */
const TEAMS_SHOWN_MAX = 200
const Params = Type.Object({ uid: Type.String({ pattern: '^[\\w-]{1,64}$' }) })
const text = Type.Optional(Type.String())
const Query = Type.Object({ again: text, team: text })
const DecisionForm = Type.Object({ act: text, team: text, role: text })
const config = { access: 'public' as const }

export const consentRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { authorizationServer, repositories, gateways } = context
  const cookie = createSessionCookie(context)
  const logoOf = createClientLogos(gateways)
  await takeForms(app, { bytesMax: FORM_BYTES_MAX })

  app.get('/connect/:uid', { config, schema: { hide: true, params: Params, querystring: Query } }, async (request, reply) => {
    const reading = readingFor(request)
    const asked = await askedFor(request, reply)
    if (!asked) return gone(reply, reading)
    const found = await openPersonSession(context, cookie.read(request), teamNamed(request.query.team))
    if (found === null && request.query.again === undefined) {
      return reply.headers(consentHeaders(reading, null)).send(bouncePage(reading, consentPath(asked.uid)))
    }
    const session = found && ofTeam(found)
    if (found && !session) return noTeam(reply, reading)
    request.session = session
    const refusal = session && (await app.countTeamRequest(request, reply))
    if (refusal) throw refusal
    const decider = session && (await deciderOf(context, session, asked.scopes))
    const earlier = session && decider && (await earlierGrant(session, { ...asked, scopes: [...decider.scopes] }))
    if (session && decider && earlier && (await stoppedTeam(context, session)) === null)
      return decide(request, reply, asked, { ...allowanceOf(context, request, { session, decider }), grantId: earlier.id })
    // The logo of a client that could be anyone might be that of someone else.
    const logo = asked.client.isDocument ? await logoOf(asked.client.logoUri) : null
    return reply.headers(consentHeaders(reading, asked.redirectUri, decider?.team)).send(consentPage(reading, { asked, logo, decider }))
  })

  app.post('/connect/:uid', { config, schema: { hide: true, params: Params, body: DecisionForm } }, async (request, reply) => {
    const reading = readingFor(request)
    const asked = await askedFor(request, reply)
    if (!asked) return gone(reply, reading)
    const { act, team, role } = request.body
    if (act === 'refuse') return decide(request, reply, asked, 'refused')
    const session = await openSession(context, cookie.read(request), teamNamed(team))
    request.session = session
    const refusal = session && (await app.countTeamRequest(request, reply))
    if (refusal) throw refusal
    if (act === 'other') {
      cookie.clear(reply)
      await signOut(context, request)
    }
    const decider = session && (await deciderOf(context, session, asked.scopes))
    // The page names the team and the role that it was shown for: they may be others by now.
    const isAsShown = decider && decider.team.id === team && (role === undefined || decider.role === role)
    if (act !== 'allow' || !session || !isAsShown || decider.scopes.length === 0)
      return reply.redirect(`${consentPath(asked.uid)}?again=1`, 303)
    const stopped = await stoppedTeam(context, session)
    if (stopped) return givesNothing(reply, reading, stopped)
    if (mustConfirm(context, session, decider))
      return reply.redirect(confirmAddress(`${consentPath(asked.uid)}?again=1&team=${session.teamId}`), 303)
    return decide(request, reply, asked, allowanceOf(context, request, { session, decider }))
  })

  /** Null unless the address and the cookie of this browser name the same request, and it is open. */
  async function askedFor(request: FastifyRequest<{ Params: { uid: string } }>, reply: FastifyReply): Promise<ConsentRequest | null> {
    const asked = await authorizationServer.requestOf(request.raw, reply.raw)
    return asked?.uid === request.params.uid ? asked : null
  }

  /**
   * Access that the team gave before to the same client, for the same. Only if no one else can take the answer: any program on the person's
   * machine could ask in the name of another there (RFC 8252, section 8.6).
   */
  async function earlierGrant({ teamId, personId }: Session, { client, redirectUri, scopes, resource, mustAsk }: ConsentRequest) {
    if (mustAsk || isOwnMachine(redirectUri)) return null
    const known = await repositories.oauthClients.find(client.clientId)
    return known && repositories.oauthGrants.findLike(teamId, { personId, clientId: known.id, scopes, resource })
  }

  async function decide(request: FastifyRequest, reply: FastifyReply, asked: ConsentRequest, decision: ConsentDecision) {
    const reading = readingFor(request)
    const decided = await authorizationServer.decide(request.raw, reply.raw, asked, decision)
    if (decided === null) return gone(reply, reading)
    if (decided !== 'too many grants') return reply.redirect(decided.location, 303)
    return tooManyGrants(reply, reading)
  }
}

/** What someone can allow in the team that their session looks at. */
export async function deciderOf(
  { repositories }: Pick<Context, 'repositories'>,
  { personId, email, teamId, teamName, role }: Session,
  asked: readonly string[],
): Promise<Decider> {
  const [teams, brand] = await Promise.all([repositories.persons.teamsAcrossTeams(personId), repositories.teams.brandOf(teamId)])
  const allowed = SCOPES_OF_ROLES[role]
  return {
    ...{ email, role, team: { id: teamId, name: teamName, color: brand?.color ?? null, logoPath: brand?.logoPath ?? null } },
    scopes: includesScope(allowed, FULL_ACCESS) ? [...asked] : withinRole(role, asked),
    lacking: asked.filter((scope) => !includesScope(allowed, scope)),
    otherTeams: teams
      .flatMap((each) => (each.teamId === teamId ? [] : [{ id: each.teamId, name: each.teamName }]))
      .slice(0, TEAMS_SHOWN_MAX),
  }
}

export function allowanceOf(
  { clock }: Pick<Context, 'clock'>,
  request: FastifyRequest,
  { session: { teamId, personId, email }, decider: { scopes } }: { session: Session; decider: Decider },
): Allowance {
  const actor = personAt(request, { id: personId, email })
  const act = newAct('console.grants.allow', { teamId, actor, target: targetOf('oauth_grant_id', null), clock })
  return { teamId, personId, scopes, act }
}

export const noTeam = (reply: FastifyReply, reading: ConsentReading): FastifyReply =>
  reply
    .code(STATUS_OF_NO_TEAM)
    .headers(consentHeaders(reading, null))
    .send(consentNotice(reading, { title: reading.texts.noTeam, note: reading.texts.noTeamNote }))

/** Why a suspended or deleted team gives no access; null: it may give it. */
export const stoppedTeam = async ({ repositories }: Pick<Context, 'repositories'>, { teamId }: Session): Promise<Failure | null> =>
  refusalByState(await repositories.teams.stateOf(teamId), { writes: true })

/** Whether the person confirms first that it is them: they would give away what they may not do unconfirmed themselves. */
export const mustConfirm = ({ clock }: Pick<Context, 'clock'>, session: Session, { scopes }: Decider): boolean =>
  needsFreshSignIn(scopes) && !isFresh({ signedInAt: session.createdAt, confirmedAt: session.confirmedAt }, clock.now())

/** The request stays open: the person may choose another team. */
export const givesNothing = (reply: FastifyReply, reading: ConsentReading, { message }: Failure): FastifyReply =>
  reply
    .code(STATUS_OF_NO_TEAM)
    .headers(consentHeaders(reading, null))
    .send(consentNotice(reading, { title: reading.texts.noAccess, note: message }))

/** Null: what is no id names none. */
export const teamNamed = (text: string | undefined): string | null => (text !== undefined && isId(text) ? text.toLowerCase() : null)

export const tooManyGrants = (reply: FastifyReply, reading: ConsentReading): FastifyReply =>
  reply
    .code(STATUS_OF_FULL)
    .headers(consentHeaders(reading, null))
    .send(consentNotice(reading, { title: reading.texts.full, note: reading.texts.fullNote }))

const gone = (reply: FastifyReply, reading: ConsentReading): FastifyReply =>
  reply
    .code(STATUS_OF_GONE)
    .headers(consentHeaders(reading, null))
    .send(consentNotice(reading, { title: reading.texts.gone, note: reading.texts.goneNote }))

const readingFor = ({ headers }: FastifyRequest): ConsentReading => chooseConsentTexts(headers['accept-language'])
