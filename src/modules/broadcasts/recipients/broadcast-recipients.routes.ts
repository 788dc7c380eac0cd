import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { toList } from '../../../http/resource.ts'
import { invalid, notFound } from '../../../lib/failure.ts'
import { idOfShort, shortId } from '../../../lib/ids.ts'
import { type PageRequest, pageRequest } from '../../../lib/page-request.ts'
import { CONTACTS } from '../../audience/contacts/contacts.schema.ts'
import type { BroadcastsContext } from '../broadcasts.context.ts'
import { BROADCASTS, BroadcastParams } from '../broadcasts.schema.ts'
import type { BroadcastRecipientRow, ClickedLinkRow } from './broadcast-recipients.repository.ts'
import {
  type BroadcastRecipient,
  BroadcastRecipientList,
  BroadcastRecipientQuery,
  type ClickedLink,
  ClickedLinkList,
  ClickedLinkQuery,
  type RecipientType,
} from './broadcast-recipients.schema.ts'

type Context = BroadcastsContext

export const toBroadcastRecipient =
  (type: RecipientType) =>
  ({ id, contactId, email, count, bounceType, links }: BroadcastRecipientRow): BroadcastRecipient => ({
    id: shortId(id),
    contact_id: contactId,
    email,
    ...((type === 'opened' || type === 'clicked') && { count }),
    ...(type === 'bounced' && { bounce_type: bounceTypeOf(bounceType) }),
    ...(type === 'clicked' && { clicked_links: links }),
  })

export const toClickedLink = ({ id, url, clicks, uniqueClicks }: ClickedLinkRow): Static<typeof ClickedLink> => ({
  id: shortId(id),
  url,
  clicks,
  unique_clicks: uniqueClicks,
})

const bounceTypeOf = (stored: string | null): 'permanent' | 'transient' | 'undetermined' =>
  stored === 'permanent' || stored === 'transient' ? stored : 'undetermined'

const operation = declareOperations(BROADCASTS)

export const broadcastRecipientRoutes: Routes<Context> = async (app, { context: { repositories } }) => {
  const { broadcasts, broadcastRecipients } = repositories

  async function findBroadcastId(teamId: string, broadcastId: string): Promise<string> {
    const broadcast = await broadcasts.find(teamId, broadcastId)
    if (!broadcast) throw notFound(BROADCASTS.noun)
    return broadcast.id
  }

  app.get(
    '/broadcasts/:broadcast_id/recipients',
    operation({
      id: 'broadcasts.recipients.list',
      summary: 'List the recipients of a broadcast',
      description:
        'Returns the recipients to whom something happened, 20 by default. Opens and clicks of programs do not count. Recipients are kept as long as their emails.',
      access: 'full',
      audit: 'never',
      shows: ['contacts'],
      params: BroadcastParams,
      query: BroadcastRecipientQuery,
      reply: { 200: BroadcastRecipientList },
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [
            {
              id: 'AZOlwn1OexqcPy5dimtMEA',
              contact_id: CONTACTS.example.id,
              email: 'ada@example.com',
              count: 2,
              clicked_links: [{ url: 'https://example.com/november', clicks: 2 }],
            },
          ],
        },
      },
    }),
    async ({ teamId, params, query }) => {
      const { type, email = null, bounce_type: bounceType = null } = query
      if (bounceType !== null && type !== 'bounced')
        throw invalid('The `bounce_type` parameter is only for the `type` parameter `bounced`.')
      const page = toPageRequest(query)
      const id = await findBroadcastId(teamId, params.broadcast_id)
      return toList(await broadcastRecipients.list(teamId, id, { type, email, bounceType }, page), toBroadcastRecipient(type))
    },
  )

  app.get(
    '/broadcasts/:broadcast_id/clicked-links',
    operation({
      id: 'broadcasts.clicked-links.list',
      summary: 'List the clicked links of a broadcast',
      description: 'Returns the links of a broadcast that people followed, the most clicked first, 20 by default.',
      access: 'full',
      audit: 'never',
      params: BroadcastParams,
      query: ClickedLinkQuery,
      reply: { 200: ClickedLinkList },
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [{ id: 'AZOlwn1OexqcPy5dimtMEA', url: 'https://example.com/november', clicks: 42, unique_clicks: 30 }],
        },
      },
    }),
    async ({ teamId, params, query }) => {
      const page = toPageRequest(query)
      return toList(await broadcastRecipients.clickedLinks(teamId, await findBroadcastId(teamId, params.broadcast_id), page), toClickedLink)
    },
  )
}

/** @throws Failure about an id that cannot be in the list. */
function toPageRequest({ limit, after, before }: { limit?: number; after?: string; before?: string }): PageRequest {
  return pageRequest(
    {
      ...(limit !== undefined && { limit }),
      ...(after !== undefined && { after: rowId('after', after) }),
      ...(before !== undefined && { before: rowId('before', before) }),
    },
    'always',
  )
}

function rowId(parameter: string, place: string): string {
  const id = idOfShort(place)
  if (id === null) throw invalid(`The \`${parameter}\` parameter must be the id of a row of this list.`)
  return id
}
