// Whom a broadcast reached, and what they followed, a page at a time.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { idOfShort } from '../../lib/ids.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { RECIPIENT_TYPES } from '../../modules/broadcasts/recipients/broadcast-recipients.schema.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import { BroadcastParams } from './broadcast-routes.ts'
import { broadcastViews } from './broadcast-views.ts'
import { clickedLinksPage, recipientsPage } from './recipients-page.ts'

const access = 'public' as const
const place = { after: Type.Optional(Type.String()), before: Type.Optional(Type.String()) }
const PlaceQuery = Type.Object(place)
const RecipientQuery = Type.Object({ type: Type.Optional(Type.String()), email: Type.Optional(Type.String()), ...place })

export const broadcastRecipientPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = broadcastViews(context)
  const { broadcastRecipients } = context.repositories

  app.get(
    '/:id/recipients',
    { config: { access }, schema: { hide: true, params: BroadcastParams, querystring: RecipientQuery } },
    async (request, reply) => {
      const { teamId } = requireSession(request)
      const broadcast = await views.find(teamId, request.params.id)
      const type = RECIPIENT_TYPES.find((one) => one === request.query.type) ?? 'sent'
      const email = (request.query.email ?? '').trim()
      const at = placeIn(request.query)
      const sought = { type, email: email === '' ? null : email, bounceType: null }
      const page = await broadcastRecipients.list(teamId, broadcast.id, sought, at)
      return reply.send(recipientsPage({ ...(await frame(teamId)), broadcast, type, email, ...shown(page, at) }))
    },
  )

  app.get(
    '/:id/links',
    { config: { access }, schema: { hide: true, params: BroadcastParams, querystring: PlaceQuery } },
    async (request, reply) => {
      const { teamId } = requireSession(request)
      const broadcast = await views.find(teamId, request.params.id)
      const at = placeIn(request.query)
      return reply.send(
        clickedLinksPage({
          ...(await frame(teamId)),
          broadcast,
          ...shown(await broadcastRecipients.clickedLinks(teamId, broadcast.id, at), at),
        }),
      )
    },
  )

  const frame = async (teamId: string) => ({ teamName: (await context.repositories.teams.find(teamId))?.name ?? '' })
}

/** What is no place is the beginning. */
const placeIn = ({ after, before }: { after?: string; before?: string }) => {
  const afterId = after === undefined ? null : idOfShort(after)
  return { limit: LINES_PER_PAGE, after: afterId, before: afterId !== null || before === undefined ? null : idOfShort(before) }
}

/** Before a page there is always another one: that from which one came. */
function shown<Rows extends { rows: unknown[]; hasMore: boolean }>(
  page: Rows,
  { after, before }: { after: string | null; before: string | null },
) {
  if (before === null) return { page, after }
  return { page: { ...page, hasMore: true }, after: page.hasMore ? before : null }
}
