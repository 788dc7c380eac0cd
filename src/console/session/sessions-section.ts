// The section of the console with the sessions of a person, each of which can be ended, and the teams that they can open.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { html } from '@remix-run/html-template'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { CONSOLE } from '../../http/pages/paths.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { PASSKEY_PAGE } from '../../modules/accounts/passkeys/passkey-page.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { consolePage } from '../shell/console-page.ts'
import { noteOf } from '../shell/notes.ts'
import { isFirstAgain, LINES_PER_PAGE, placeFields } from '../shell/pager.ts'
import { SESSION_NOTES, sessionsMain, teamsPart } from './sessions-page.ts'

const ADDRESS = '/console/sessions'
const FORM_BYTES_MAX = 1_024
const access = 'public' as const
const Params = Type.Object({ id: Type.String() })
const TeamChoice = Type.Object({ team: Type.String() })

export const SessionsQuery = Type.Object({
  ...placeFields,
  done: Type.Optional(Type.String()),
})

export const sessionsSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register(
    async (section) => {
      await takeForms(section, { bytesMax: FORM_BYTES_MAX })
      await section.register(sessionsRoutes, context)
    },
    { prefix: '/sessions' },
  )
}

const sessionsRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { repositories, clock }) => {
  app.get('/', { config: { access }, schema: { hide: true, querystring: SessionsQuery } }, async (request, reply) => {
    const { personId, teamId, teamName, id } = requireSession(request)
    const { after, before } = pageRequest(request.query, 'always')
    const page = await repositories.sessions.listOf(personId, clock.now(), { limit: LINES_PER_PAGE, after, before })
    if (isFirstAgain(page, before)) return reply.redirect(ADDRESS, 303)
    const main = sessionsMain({
      ...{ address: ADDRESS, now: clock.now(), page, after: after ?? before },
      ...{ currentId: id, whose: 'Where you are signed in.', passkeys: PASSKEY_PAGE, note: noteOf(SESSION_NOTES, request.query) },
    })
    const teams = teamsPart(await repositories.persons.teamsAcrossTeams(personId), { address: ADDRESS, currentId: teamId })
    return reply.send(consolePage({ title: 'Sessions', section: ADDRESS, teamName, main: html`${main}${teams}` }))
  })

  app.post('/team', { config: { access }, schema: { hide: true, body: TeamChoice } }, async (request, reply) => {
    const { personId, id } = requireSession(request)
    const wanted = request.body.team.toLowerCase()
    if (!(await repositories.persons.teamsAcrossTeams(personId)).some(({ teamId }) => teamId === wanted)) throw notFound('Team')
    await repositories.sessions.lookAtAcrossTeams(id, personId, wanted)
    return reply.redirect(CONSOLE, 303)
  })

  app.post('/:id/end', { config: { access }, schema: { hide: true, params: Params } }, async (request, reply) => {
    const { id } = request.params
    const isEnded = isId(id) && (await repositories.sessions.end(requireSession(request).personId, id.toLowerCase()))
    return reply.redirect(`${ADDRESS}?done=${isEnded ? 'ended' : 'gone'}`, 303)
  })

  app.post('/end-others', { config: { access }, schema: { hide: true } }, async (request, reply) => {
    const { personId, id } = requireSession(request)
    await repositories.sessions.endOthers(personId, id)
    return reply.redirect(`${ADDRESS}?done=others`, 303)
  })
}
