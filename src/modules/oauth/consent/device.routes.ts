// Where a person lets the command line act for them: they enter the code that it shows, or compare it (RFC 8628, section 3.3).
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { takeForms } from '../../../http/pages/document.ts'
import { CONSOLE, DEVICE } from '../../../http/pages/paths.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import { confirmAddress } from '../../accounts/sessions/confirmation.pages.ts'
import { createSessionCookie, signOut } from '../../accounts/sessions/sessions.pages.ts'
import { ofTeam, openPersonSession, openSession, type Session } from '../../accounts/sessions/sessions.service.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { OauthContext } from '../oauth.context.ts'
import { bouncePage, consentHeaders, consentNotice, deviceCodePage, devicePage } from './consent.pages.ts'
import { allowanceOf, deciderOf, givesNothing, mustConfirm, noTeam, stoppedTeam, teamNamed, tooManyGrants } from './consent.routes.ts'
import { type ConsentReading, chooseConsentTexts } from './texts.ts'

type Context = PlatformContext & SecretsContext & AccountsContext & OauthContext

const FORM_BYTES_MAX = 4_096
const STATUS_OF_UNKNOWN = 404
const STATUS_OF_TOO_MANY = 429
const config = { access: 'public' as const }
const text = Type.Optional(Type.String({ maxLength: 200 }))
const Query = Type.Object({ user_code: text, again: text, team: text })
const Form = Type.Object({ user_code: text, act: text, team: text, role: text })

export const deviceRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { authorizationServer } = context
  const cookie = createSessionCookie(context)
  await takeForms(app, { bytesMax: FORM_BYTES_MAX })

  app.get('/device', { config, schema: { hide: true, querystring: Query } }, async (request, reply) => {
    const reading = readingOf(request)
    const { user_code: userCode = '', again, team } = request.query
    const path = userCode === '' ? DEVICE : `${DEVICE}?user_code=${encodeURIComponent(userCode)}`
    const found = await openPersonSession(context, cookie.read(request), teamNamed(team))
    if (found === null && again === undefined) return send(reply, reading, bouncePage(reading, path))
    if (found === null) return reply.redirect(`${CONSOLE}/sign-in?next=${encodeURIComponent(path)}`, 303)
    const session = ofTeam(found)
    if (!session) return noTeam(reply, reading)
    if (userCode === '') return send(reply, reading, deviceCodePage(reading, { isUnknown: false }))
    const asked = await askedFor(request, reply, { session, userCode })
    if (asked === 'answered') return reply
    const decider = await deciderOf(context, session, asked.scopes)
    const page = devicePage(reading, { asked, userCode: shownCode(userCode), decider })
    return reply.headers(consentHeaders(reading, null, decider.team)).send(page)
  })

  app.post('/device', { config, schema: { hide: true, body: Form } }, async (request, reply) => {
    const reading = readingOf(request)
    const { user_code: userCode = '', act, team, role } = request.body
    const again = `${DEVICE}?user_code=${encodeURIComponent(userCode)}&again=1`
    const session = await openSession(context, cookie.read(request), teamNamed(team))
    if (act === 'other') {
      cookie.clear(reply)
      await signOut(context, request)
    }
    if (!session || act === 'other') return reply.redirect(again, 303)
    const asked = await askedFor(request, reply, { session, userCode })
    if (asked === 'answered') return reply
    const decider = await deciderOf(context, session, asked.scopes)
    const isAsShown = decider.team.id === team && decider.role === role
    if (act !== 'refuse' && (act !== 'allow' || !isAsShown || decider.scopes.length === 0)) return reply.redirect(again, 303)
    const stopped = act === 'allow' ? await stoppedTeam(context, session) : null
    if (stopped) return givesNothing(reply, reading, stopped)
    if (act === 'allow' && mustConfirm(context, session, decider))
      return reply.redirect(confirmAddress(`${again}&team=${session.teamId}`), 303)
    const decided = await authorizationServer.decideDevice(
      asked,
      act === 'refuse' ? 'refused' : allowanceOf(context, request, { session, decider }),
    )
    if (decided === 'too many grants') return tooManyGrants(reply, reading)
    if (decided === null) return unknown(reply, reading)
    const { texts } = reading
    const page =
      act === 'refuse' ? { title: texts.refused, note: texts.nothingGiven } : { title: texts.deviceDone, note: texts.deviceDoneNote }
    return send(reply, reading, consentNotice(reading, page))
  })

  /** What a code asks for. `answered`: there is no such code, or the person has entered too many. */
  async function askedFor(request: FastifyRequest, reply: FastifyReply, { session, userCode }: { session: Session; userCode: string }) {
    request.session = session
    const refusal = await app.countDeviceCode(request, reply)
    if (refusal) {
      const reading = readingOf(request)
      const page = consentNotice(reading, { title: reading.texts.deviceTooMany, note: refusal.message })
      reply.header('retry-after', String(refusal.retryAfterSeconds ?? 1))
      send(reply.code(STATUS_OF_TOO_MANY), reading, page)
      return 'answered'
    }
    const asked = await authorizationServer.deviceRequestOf(userCode)
    if (asked) return asked
    unknown(reply, readingOf(request))
    return 'answered'
  }
}

const unknown = (reply: FastifyReply, reading: ConsentReading): FastifyReply =>
  send(reply.code(STATUS_OF_UNKNOWN), reading, deviceCodePage(reading, { isUnknown: true }))

const send = (reply: FastifyReply, reading: ConsentReading, page: string): FastifyReply =>
  reply.headers(consentHeaders(reading, null)).send(page)

const readingOf = ({ headers }: FastifyRequest): ConsentReading => chooseConsentTexts(headers['accept-language'])

/** As the command line shows it, however it was typed. */
function shownCode(userCode: string): string {
  const letters = userCode.toUpperCase().replace(/[^A-Z]/g, '')
  return `${letters.slice(0, 4)}-${letters.slice(4, 8)}`
}
