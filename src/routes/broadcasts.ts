import { type BroadcastAct, refusedMove } from '../lib/broadcast-states.ts'
import { invalid, notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { BROADCASTS_SEARCHED_MAX } from '../lib/search-bounds.ts'
import type { Refused } from '../repositories/broadcasts/broadcasts.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'
import {
  BROADCAST_EXAMPLE_COUNTS,
  BROADCASTS,
  Broadcast,
  BroadcastCreate,
  BroadcastDeletion,
  BroadcastList,
  BroadcastListQuery,
  BroadcastParams,
  BroadcastReference,
  BroadcastSaved,
  BroadcastSend,
  BroadcastUpdate,
} from '../schemas/broadcasts.ts'
import { searchedSentence } from '../schemas/list-filters.ts'
import { SEGMENTS } from '../schemas/segments.ts'
import { toBroadcast, toBroadcastSummary } from '../serializers/broadcasts.ts'
import { toList, toSearchedList } from '../serializers/list.ts'
import { judgeEmail } from '../services/judge-emails.ts'
import { broadcastSearch } from '../services/list-filters.ts'
import { type BroadcastSender, changeBroadcast, createBroadcast, duplicateBroadcast, sendBroadcast } from '../services/save-broadcast.ts'
import { type Call, operation, routes } from './operation.ts'

export const broadcastRoutes = routes(BROADCASTS, (context) => {
  const { clock, repositories, wakeWorkers } = context
  const { broadcasts, broadcastSearches, emailCounts } = repositories
  const sender = (holder: KeyHolder): BroadcastSender => ({ holder, judge: (email) => judgeEmail(context, holder, email) })

  async function create({ holder, body, idempotencyKey }: Call<{ body: typeof BroadcastCreate }>) {
    return { object: 'broadcast' as const, ...(await createBroadcast(context, sender(holder), body, { idempotencyKey })) }
  }

  async function list({ teamId, query }: Call<{ query: typeof BroadcastListQuery }>) {
    const request = pageRequest(query, 'always')
    const sought = broadcastSearch(query, request)
    if (sought === null) return toList(await broadcasts.list(teamId, request), toBroadcastSummary)
    const found = await broadcastSearches.searchPage(teamId, sought)
    return toSearchedList({ ...found, rows: await broadcasts.listOfIds(teamId, found.rows) }, toBroadcastSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof BroadcastParams }>) {
    const broadcast = await broadcasts.find(teamId, params.broadcast_id)
    if (!broadcast) throw notFound(BROADCASTS.noun)
    return toBroadcast(broadcast, await emailCounts.ofBroadcast(teamId, broadcast.id, clock.now()))
  }

  async function update({ holder, params, body }: Call<{ params: typeof BroadcastParams; body: typeof BroadcastUpdate }>) {
    const saved = await changeBroadcast(context, sender(holder), { id: params.broadcast_id, input: body })
    if (saved === null) throw notFound(BROADCASTS.noun)
    return { object: 'broadcast' as const, ...saved }
  }

  async function remove({ teamId, params }: Call<{ params: typeof BroadcastParams }>) {
    refuseUnlessMoved('delete', await broadcasts.remove(teamId, params.broadcast_id))
    return { object: 'broadcast' as const, id: params.broadcast_id.toLowerCase(), deleted: true }
  }

  async function send({ holder, params, body, warn }: Call<{ params: typeof BroadcastParams; body: typeof BroadcastSend }>) {
    const sent = await sendBroadcast(context, sender(holder), { id: params.broadcast_id, scheduledAt: body.scheduled_at ?? null })
    warn(sent?.warnings ?? [])
    return referenceTo(sent)
  }

  async function duplicate({ holder, params }: Call<{ params: typeof BroadcastParams }>) {
    return referenceTo(await duplicateBroadcast(context, { holder }, params.broadcast_id))
  }

  const act =
    (name: 'cancel' | 'pause' | 'resume') =>
    async ({ teamId, params }: Call<{ params: typeof BroadcastParams }>) => {
      refuseUnlessMoved(name, await broadcasts[name](teamId, params.broadcast_id))
      wakeWorkers('broadcasts')
      return referenceTo({ id: params.broadcast_id.toLowerCase() })
    }

  const reference = { object: 'broadcast' as const, id: BROADCASTS.example.id }
  const content = {
    from: 'Acme <hello@example.com>',
    subject: 'News for {{{contact.first_name|you}}}',
    html: '<p>Hello {{{contact.first_name|there}}}!</p><p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>',
  }

  return [
    operation({
      id: 'broadcasts.create',
      method: 'POST',
      path: '/broadcasts',
      summary: 'Create a broadcast',
      description:
        'Creates a draft. With `send: true`, the broadcast is sent at once, or at `scheduled_at` if that is given. Every contact who is in the segment by then, has not unsubscribed and is not suppressed gets an email of their own.',
      access: 'full',
      sends: 'when `send` is true',
      isIdempotent: true,
      status: 201,
      body: BroadcastCreate,
      reply: BroadcastSaved,
      example: { body: { name: 'November news', segment_id: SEGMENTS.example.id, ...content }, reply: { ...reference, warnings: [] } },
      handle: create,
    }),
    operation({
      id: 'broadcasts.list',
      method: 'GET',
      path: '/broadcasts',
      summary: 'List broadcasts',
      description: `Returns the broadcasts of the team, newest first, 20 by default. ${searchedSentence(BROADCASTS_SEARCHED_MAX)}`,
      access: 'full',
      query: BroadcastListQuery,
      reply: BroadcastList,
      example: { reply: { object: 'list', has_more: false, data: [BROADCASTS.example] } },
      handle: list,
    }),
    operation({
      id: 'broadcasts.retrieve',
      method: 'GET',
      path: '/broadcasts/:broadcast_id',
      summary: 'Retrieve a broadcast',
      description: 'Returns a broadcast with its content, its status, and what has happened to its emails so far.',
      access: 'full',
      params: BroadcastParams,
      reply: Broadcast,
      example: {
        reply: {
          object: 'broadcast',
          ...BROADCASTS.example,
          ...content,
          ...{ reply_to: null, preview_text: null, text: null },
          counts: BROADCAST_EXAMPLE_COUNTS,
        },
      },
      handle: retrieve,
    }),
    operation({
      id: 'broadcasts.update',
      method: 'PATCH',
      path: '/broadcasts/:broadcast_id',
      summary: 'Update a broadcast',
      description: 'Changes a draft or a scheduled broadcast. The name can always be changed.',
      access: 'full',
      sends: 'when the broadcast is scheduled and more than its name changes',
      params: BroadcastParams,
      body: BroadcastUpdate,
      reply: BroadcastSaved,
      example: { body: { subject: 'News' }, reply: { ...reference, warnings: [] } },
      handle: update,
    }),
    operation({
      id: 'broadcasts.delete',
      method: 'DELETE',
      path: '/broadcasts/:broadcast_id',
      summary: 'Delete a broadcast',
      description: 'Deletes a draft or a scheduled broadcast. A broadcast that is being sent cannot be deleted: cancel it first.',
      access: 'full',
      params: BroadcastParams,
      reply: BroadcastDeletion,
      example: { reply: { ...reference, deleted: true } },
      handle: remove,
    }),
    operation({
      id: 'broadcasts.send',
      method: 'POST',
      path: '/broadcasts/:broadcast_id/send',
      summary: 'Send a broadcast',
      description: 'Sends a draft at once, or at `scheduled_at`. The recipients are determined when it is sent.',
      access: 'full',
      scope: 'emails:send',
      warns: true,
      params: BroadcastParams,
      body: BroadcastSend,
      reply: BroadcastReference,
      example: { body: { scheduled_at: 'in 1 hour' }, reply: reference },
      handle: send,
    }),
    operation({
      id: 'broadcasts.cancel',
      method: 'POST',
      path: '/broadcasts/:broadcast_id/cancel',
      summary: 'Cancel a broadcast',
      description:
        'Makes a scheduled broadcast a draft again. A broadcast that is being sent stops: emails whose delivery has begun are still delivered, all others are canceled.',
      access: 'full',
      params: BroadcastParams,
      reply: BroadcastReference,
      example: { reply: reference },
      handle: act('cancel'),
    }),
    operation({
      id: 'broadcasts.pause',
      method: 'POST',
      path: '/broadcasts/:broadcast_id/pause',
      summary: 'Pause a broadcast',
      description:
        'Stops a broadcast that is being sent. Emails whose delivery has begun are still delivered, all others wait until it is resumed.',
      access: 'full',
      params: BroadcastParams,
      reply: BroadcastReference,
      example: { reply: reference },
      handle: act('pause'),
    }),
    operation({
      id: 'broadcasts.resume',
      method: 'POST',
      path: '/broadcasts/:broadcast_id/resume',
      summary: 'Resume a broadcast',
      description: 'Continues a paused broadcast where it stood.',
      access: 'full',
      sends: true,
      params: BroadcastParams,
      reply: BroadcastReference,
      example: { reply: reference },
      handle: act('resume'),
    }),
    operation({
      id: 'broadcasts.duplicate',
      method: 'POST',
      path: '/broadcasts/:broadcast_id/duplicate',
      summary: 'Duplicate a broadcast',
      description: 'Creates a draft with the same content, segment and topic. Its name ends in ` (copy)`.',
      access: 'full',
      params: BroadcastParams,
      reply: BroadcastReference,
      example: { reply: reference },
      handle: duplicate,
    }),
  ]
})

function referenceTo(found: { id: string } | null) {
  if (found === null) throw notFound(BROADCASTS.noun)
  return { object: 'broadcast' as const, id: found.id }
}

function refuseUnlessMoved(act: BroadcastAct, moved: null | 'moved' | Refused): void {
  if (moved === null) throw notFound(BROADCASTS.noun)
  if (moved !== 'moved') throw invalid(refusedMove(act, moved.refused))
}
