// The section of the console with the access that programs have.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { isId } from '../../lib/ids.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { noteOf } from '../shell/notes.ts'
import { GRANTS_ADDRESS, grantListPage } from './list-page.ts'

const FORM_BYTES_MAX = 1_024
/** The limit for all programs on a page together. */
const KEYS_SHOWN_MAX = 200
const access = 'public' as const
const ListQuery = Type.Object({ after: Type.Optional(Type.String({ format: 'uuid' })), done: Type.Optional(Type.String()) })
const Params = Type.Object({ id: Type.String() })

export const grantSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  await app.register((section) => grantPages(section, context), { prefix: '/grants' })
}

const grantPages: FastifyPluginAsyncTypebox<Context> = async (app, { repositories, clock }) => {
  const { apiKeys, oauthGrants, teams } = repositories
  await takeForms(app, { bytesMax: FORM_BYTES_MAX })

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { rows, hasMore } = await oauthGrants.list(teamId, pageRequest(request.query, 'always'))
    const teamName = (await teams.find(teamId))?.name ?? ''
    const last = rows.at(-1)
    const ids = rows.map(({ id }) => id)
    const keys = await apiKeys.madeWith(teamId, ids, KEYS_SHOWN_MAX)
    const older = hasMore && last ? { after: last.id } : null
    return reply.send(grantListPage({ teamName, now: clock.now(), rows, keys, older, note: noteOf(NOTES, request.query) }))
  })

  app.post('/:id/end', { config: { access }, schema: { hide: true, params: Params } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { id } = request.params
    const ended = isId(id) ? await oauthGrants.revoke(teamId, id.toLowerCase(), 'revoked_from_console') : null
    return reply.redirect(`${GRANTS_ADDRESS}?done=${ended === null ? 'gone' : 'ended'}`, 303)
  })
}

const NOTES = new Map([
  ['ended', 'The access has ended.'],
  ['gone', 'The access had already ended.'],
])
