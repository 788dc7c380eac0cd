// Where a person decides about a program. What proves the right to decide is a session of the console.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ConsentDecision, ConsentRequest, Context } from '../../context.ts'
import { isOwnMachine } from '../../lib/oauth/redirect-uris.ts'
import { endSession } from '../../services/sessions.ts'
import { createSessionCookie } from '../session/session-cookie.ts'
import type { SessionFinder } from '../session/session-gate.ts'
import { takeForms } from '../shell/forms.ts'
import { consentPath } from '../shell/sections.ts'
import { createClientLogos } from './client-logos.ts'
import { bouncePage, consentNotice, consentPage } from './consent-page.ts'
import { consentHeaders } from './consent-shell.ts'
import { type ConsentReading, consentReadingOf } from './texts/texts.ts'

const FORM_BYTES_MAX = 4_096
const STATUS_OF_GONE = 410
const STATUS_OF_FULL = 409
const Params = Type.Object({ uid: Type.String({ pattern: '^[\\w-]{1,64}$' }) })
const Query = Type.Object({ again: Type.Optional(Type.String()) })
const Form = Type.Object({ act: Type.Optional(Type.String()), team: Type.Optional(Type.String()) })
const config = { access: 'public' as const }

export const consentRoutes =
  (findSession: SessionFinder): FastifyPluginAsyncTypebox<Context> =>
  async (app, context) => {
    const { authorizationServer, repositories, gateways } = context
    const cookie = createSessionCookie(context)
    const logoOf = createClientLogos(gateways)
    await takeForms(app, { bytesMax: FORM_BYTES_MAX })

    app.get('/connect/:uid', { config, schema: { hide: true, params: Params, querystring: Query } }, async (request, reply) => {
      const reading = readingFor(request)
      const asked = await askedFor(request, reply)
      if (!asked) return gone(reply, reading)
      const session = await findSession(request)
      if (session === null && request.query.again === undefined) {
        return reply.headers(consentHeaders(reading, null)).send(bouncePage(reading, asked.uid))
      }
      request.session = session
      const refusal = session && (await app.countTeamRequest(request, reply))
      if (refusal) throw refusal
      const earlier = session && (await earlierGrant(session.teamId, asked))
      if (session && earlier) return decide(request, reply, asked, { teamId: session.teamId, grantId: earlier.id })
      const team = session && (await repositories.teams.find(session.teamId))
      // The logo of a client that could be anyone might be that of someone else.
      const logo = asked.client.isDocument ? await logoOf(asked.client.logoUri) : null
      return reply.headers(consentHeaders(reading, asked.redirectUri)).send(consentPage(reading, { asked, logo, team }))
    })

    app.post('/connect/:uid', { config, schema: { hide: true, params: Params, body: Form } }, async (request, reply) => {
      const reading = readingFor(request)
      const asked = await askedFor(request, reply)
      if (!asked) return gone(reply, reading)
      const { act, team } = request.body
      if (act === 'refuse') return decide(request, reply, asked, 'refused')
      const session = await findSession(request)
      request.session = session
      const refusal = session && (await app.countTeamRequest(request, reply))
      if (refusal) throw refusal
      if (act === 'other') {
        cookie.clear(reply)
        await endSession(context, cookie.read(request))
      }
      // The page names the team that it was shown for: another window may have signed in for another one since.
      if (act !== 'allow' || session === null || session.teamId !== team) return reply.redirect(`${consentPath(asked.uid)}?again=1`, 303)
      return decide(request, reply, asked, { teamId: session.teamId })
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
    async function earlierGrant(teamId: string, { client, redirectUri, scopes, resource, mustAsk }: ConsentRequest) {
      if (mustAsk || isOwnMachine(redirectUri)) return null
      const known = await repositories.oauthClients.find(client.clientId)
      return known && repositories.oauthGrants.findLike(teamId, { clientId: known.id, scopes, resource })
    }

    async function decide(request: FastifyRequest, reply: FastifyReply, asked: ConsentRequest, decision: ConsentDecision) {
      const reading = readingFor(request)
      const decided = await authorizationServer.decide(request.raw, reply.raw, asked, decision)
      if (decided === null) return gone(reply, reading)
      if (decided !== 'full') return reply.redirect(decided.location, 303)
      const page = consentNotice(reading, { title: reading.texts.full, note: reading.texts.fullNote })
      return reply.code(STATUS_OF_FULL).headers(consentHeaders(reading, null)).send(page)
    }
  }

const gone = (reply: FastifyReply, reading: ConsentReading): FastifyReply =>
  reply
    .code(STATUS_OF_GONE)
    .headers(consentHeaders(reading, null))
    .send(consentNotice(reading, { title: reading.texts.gone, note: reading.texts.goneNote }))

const readingFor = ({ headers }: FastifyRequest): ConsentReading => consentReadingOf(headers['accept-language'])
