// The search of the console, whose field is on every page.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { FOUND_TYPES } from '../../modules/console/search/found-types.ts'
import type { FoundRecord } from '../../modules/console/search/record-searches.repository.ts'
import { findRecords } from '../../modules/console/search/search.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { foundRecords, searchPage, WORDS_LENGTH_MAX } from './search-page.ts'

const access = 'public' as const

/** Without NUL, which no text in the database has. */
const SearchQuery = Type.Object({ q: Type.Optional(Type.String({ maxLength: WORDS_LENGTH_MAX, pattern: '^[^\\u0000]*$' })) })
const schema = { hide: true, querystring: SearchQuery }

export const searchSection: FastifyPluginAsyncTypebox<Context> = async (app, { repositories }) => {
  const { teams } = repositories

  const find = async (teamId: string, words: string): Promise<FoundRecord[]> =>
    (await findRecords({ repositories }, teamId, { words, types: FOUND_TYPES })).rows

  app.get('/search', { config: { access }, schema }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const words = (request.query.q ?? '').trim()
    const teamName = (await teams.find(teamId))?.name ?? ''
    const result = await attempt(() => find(teamId, words))
    if ('done' in result) return reply.send(searchPage({ teamName, words, records: result.done, problem: null }))
    return refuse(reply, result.problem).send(searchPage({ teamName, words, records: [], problem: result.problem }))
  })

  // Answers the field that all pages have.
  app.get('/search/found', { config: { access }, schema }, async (request, reply) => {
    const words = (request.query.q ?? '').trim()
    return reply.send(String(foundRecords({ words, records: await find(requireSession(request).teamId, words) })))
  })
}
