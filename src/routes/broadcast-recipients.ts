import { invalid, notFound } from '../lib/failure.ts'
import { type PageRequest, pageRequest } from '../lib/page-request.ts'
import { idOfShort } from '../lib/short-ids.ts'
import { BroadcastRecipientList, BroadcastRecipientQuery, ClickedLinkList, ClickedLinkQuery } from '../schemas/broadcast-recipients.ts'
import { BROADCASTS, BroadcastParams } from '../schemas/broadcasts.ts'
import { CONTACTS } from '../schemas/contacts.ts'
import { toBroadcastRecipient, toClickedLink } from '../serializers/broadcast-recipients.ts'
import { toList } from '../serializers/list.ts'
import { type Call, operation, routes } from './operation.ts'

export const broadcastRecipientRoutes = routes(BROADCASTS, ({ repositories }) => {
  const { broadcasts, broadcastRecipients } = repositories

  async function list({ teamId, params, query }: Call<{ params: typeof BroadcastParams; query: typeof BroadcastRecipientQuery }>) {
    const { type, email = null, bounce_type: bounceType = null } = query
    if (bounceType !== null && type !== 'bounced') throw invalid('The `bounce_type` parameter is only for the `type` parameter `bounced`.')
    const page = pageOf(query)
    const id = await idOf(teamId, params.broadcast_id)
    return toList(await broadcastRecipients.list(teamId, id, { type, email, bounceType }, page), toBroadcastRecipient(type))
  }

  async function listLinks({ teamId, params, query }: Call<{ params: typeof BroadcastParams; query: typeof ClickedLinkQuery }>) {
    const page = pageOf(query)
    return toList(await broadcastRecipients.clickedLinks(teamId, await idOf(teamId, params.broadcast_id), page), toClickedLink)
  }

  async function idOf(teamId: string, broadcastId: string): Promise<string> {
    const broadcast = await broadcasts.find(teamId, broadcastId)
    if (!broadcast) throw notFound(BROADCASTS.noun)
    return broadcast.id
  }

  return [
    operation({
      id: 'broadcasts.recipients.list',
      method: 'GET',
      path: '/broadcasts/:broadcast_id/recipients',
      summary: 'List the recipients of a broadcast',
      description:
        'Returns the recipients to whom something happened, 20 by default. Opens and clicks of programs do not count. Recipients are kept as long as their emails.',
      access: 'full',
      shows: ['contacts'],
      params: BroadcastParams,
      query: BroadcastRecipientQuery,
      reply: BroadcastRecipientList,
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
      handle: list,
    }),
    operation({
      id: 'broadcasts.clicked-links.list',
      method: 'GET',
      path: '/broadcasts/:broadcast_id/clicked-links',
      summary: 'List the clicked links of a broadcast',
      description: 'Returns the links of a broadcast that people followed, the most clicked first, 20 by default.',
      access: 'full',
      params: BroadcastParams,
      query: ClickedLinkQuery,
      reply: ClickedLinkList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [{ id: 'AZOlwn1OexqcPy5dimtMEA', url: 'https://example.com/november', clicks: 42, unique_clicks: 30 }],
        },
      },
      handle: listLinks,
    }),
  ]
})

/** @throws Failure about an id that cannot be in the list. */
function pageOf({ limit, after, before }: { limit?: number; after?: string; before?: string }): PageRequest {
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
