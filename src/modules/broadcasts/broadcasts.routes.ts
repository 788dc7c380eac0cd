import type { Static } from '@sinclair/typebox'
import { BROADCASTS_SEARCHED_MAX } from '../../db/bounded-queries.ts'
import { hasFilter, searchedSentence, toTimeRange } from '../../http/list-filters.ts'
import { type Caller, declareOperations, type Routes } from '../../http/operation.ts'
import { plainResource } from '../../http/plain-resource.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toList, toSearchedList } from '../../http/resource.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { invalid, notFound } from '../../lib/failure.ts'
import { type PageRequest, pageRequest } from '../../lib/page-request.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import { SEGMENTS } from '../audience/segments/segments.schema.ts'
import type { AuditContext } from '../audit/audit.context.ts'
import { writerOf } from '../audit/writers.service.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import type { Counts } from '../metrics/email-metrics.ts'
import type { MetricsContext } from '../metrics/metrics.context.ts'
import { fromStoredDocument } from '../templates/content-document.ts'
import type { BroadcastSearch } from './broadcast-searches.repository.ts'
import { type BroadcastAct, refusedMove } from './broadcast-states.ts'
import { broadcastVersion } from './broadcast-version.ts'
import type { BroadcastsContext } from './broadcasts.context.ts'
import type { BroadcastRow, BroadcastSummaryRow, Refused } from './broadcasts.repository.ts'
import {
  BROADCAST_EXAMPLE_COUNTS,
  BROADCASTS,
  Broadcast,
  type BroadcastCounts,
  BroadcastCreate,
  BroadcastDeletion,
  BroadcastList,
  BroadcastListQuery,
  BroadcastParams,
  BroadcastReference,
  BroadcastSaved,
  BroadcastSend,
  type BroadcastSummary,
  BroadcastUpdate,
} from './broadcasts.schema.ts'
import { broadcastSender, createBroadcast, duplicateBroadcast, sendBroadcast, updateBroadcast } from './broadcasts.service.ts'

type Context = PlatformContext &
  AccountsContext &
  DomainsContext &
  AudienceContext &
  EmailsContext &
  MetricsContext &
  AuditContext &
  BroadcastsContext

export const toBroadcastSummary = (row: BroadcastSummaryRow): Static<typeof BroadcastSummary> => ({
  id: row.id,
  name: row.name,
  audience_id: row.segmentId,
  segment_id: row.segmentId,
  topic_id: row.topicId,
  status: row.status,
  status_reason: row.statusReason ?? row.endReason,
  rate_per_hour: row.ratePerHour,
  created_at: toTimestamp(row.createdAt),
  scheduled_at: toTimestamp(row.scheduledAt),
  ...(row.scheduledAt !== null && row.timezone !== null && { timezone: row.timezone }),
  sent_at: toTimestamp(row.sentAt),
})

export const toBroadcast = (row: BroadcastRow, counts: Counts): Static<typeof Broadcast> => ({
  object: 'broadcast',
  ...toBroadcastSummary(row),
  from: row.from,
  subject: row.subject,
  reply_to: row.replyTo.length === 0 ? null : row.replyTo.join(', '),
  preview_text: row.previewText,
  html: row.html,
  text: row.text,
  content_document: fromStoredDocument(row.contentDocument),
  version: broadcastVersion(row),
  counts: toBroadcastCounts(counts),
})

export const toBroadcastCounts = (counts: Counts): Static<typeof BroadcastCounts> => ({
  recipients: counts.received ?? 0,
  sent: counts.sent ?? 0,
  delivered: counts.delivered ?? 0,
  opened: counts.unique_opened ?? 0,
  clicked: counts.unique_clicked ?? 0,
  bounced: (counts.bounced_permanent ?? 0) + (counts.bounced_transient ?? 0) + (counts.bounced_undetermined ?? 0),
  complained: counts.complained ?? 0,
  unsubscribed: counts.unsubscribed ?? 0,
  suppressed: counts.suppressed ?? 0,
  failed: counts.failed ?? 0,
  canceled: counts.canceled ?? 0,
})

const operation = declareOperations(BROADCASTS)
const broadcast = plainResource(BROADCASTS, 'broadcast')

export const broadcastRoutes: Routes<Context> = async (app, { context }) => {
  const { clock, repositories, wakeWorkers } = context

  const { broadcasts, broadcastSearches, emailCounts } = repositories

  async function change(name: 'cancel' | 'pause' | 'resume', caller: Caller, id: string) {
    refuseUnlessMoved(name, await broadcasts[name](caller.teamId, id, await writerOf(repositories, caller)))
    wakeWorkers('broadcasts')
    return broadcast.reference({ id: id.toLowerCase() })
  }

  const content = {
    from: 'Acme <hello@example.com>',
    subject: 'News for {{{contact.first_name|you}}}',
    html: '<p>Hello {{{contact.first_name|there}}}!</p><p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>',
  }

  app.post(
    '/broadcasts',
    operation({
      id: 'broadcasts.create',
      summary: 'Create a broadcast',
      description:
        'Creates a draft. With `send: true`, the broadcast is sent at once, or at `scheduled_at` if that is given. Every contact who is in the segment by then, has not unsubscribed and is not suppressed gets an email of their own.',
      access: 'full',
      audit: 'always',
      sends: 'when `send` is true',
      isIdempotent: true,
      body: BroadcastCreate,
      reply: { 201: BroadcastSaved },
      example: {
        body: { name: 'November news', segment_id: SEGMENTS.example.id, ...content },
        reply: { ...broadcast.examples.reference, warnings: [] },
      },
    }),
    async ({ caller, body, idempotencyKey }) => {
      return {
        object: 'broadcast' as const,
        ...(await createBroadcast(context, broadcastSender(context, caller), body, { idempotencyKey })),
      }
    },
  )

  app.get(
    '/broadcasts',
    operation({
      id: 'broadcasts.list',
      summary: 'List broadcasts',
      description: `Returns the broadcasts of the team, newest first, 20 by default. ${searchedSentence(BROADCASTS_SEARCHED_MAX)}`,
      access: 'full',
      audit: 'never',
      isCount: true,
      query: BroadcastListQuery,
      reply: { 200: BroadcastList },
      example: { reply: broadcast.examples.list },
    }),
    async ({ teamId, query }) => {
      const request = pageRequest(query, 'always')
      const search = broadcastSearch(query, request)
      if (search === null) return toList(await broadcasts.list(teamId, request), toBroadcastSummary)
      const found = await broadcastSearches.searchPage(teamId, search)
      return toSearchedList({ ...found, rows: await broadcasts.listOfIds(teamId, found.rows) }, toBroadcastSummary)
    },
  )

  app.get(
    '/broadcasts/:broadcast_id',
    operation({
      id: 'broadcasts.retrieve',
      summary: 'Retrieve a broadcast',
      description: 'Returns a broadcast with its content, its status, and what has happened to its emails so far.',
      access: 'full',
      audit: 'never',
      params: BroadcastParams,
      reply: { 200: Broadcast },
      example: {
        reply: {
          object: 'broadcast',
          ...BROADCASTS.example,
          ...content,
          ...{ reply_to: null, preview_text: null, text: null, content_document: null, version: '47DEQpj8HBSa-_TI' },
          counts: BROADCAST_EXAMPLE_COUNTS,
        },
      },
    }),
    async ({ teamId, params }) => {
      const row = broadcast.found(await broadcasts.find(teamId, params.broadcast_id))
      return toBroadcast(row, await emailCounts.ofBroadcast(teamId, row.id, clock.now()))
    },
  )

  app.patch(
    '/broadcasts/:broadcast_id',
    operation({
      id: 'broadcasts.update',
      summary: 'Update a broadcast',
      description: 'Changes a draft or a scheduled broadcast. The name can always be changed.',
      access: 'full',
      audit: 'always',
      sends: 'when the broadcast is scheduled and more than its name changes',
      params: BroadcastParams,
      body: BroadcastUpdate,
      reply: { 200: BroadcastSaved },
      example: { body: { subject: 'News' }, reply: { ...broadcast.examples.reference, warnings: [] } },
    }),
    async ({ caller, params, body }) =>
      broadcast.reference(await updateBroadcast(context, broadcastSender(context, caller), { id: params.broadcast_id, input: body })),
  )

  app.delete(
    '/broadcasts/:broadcast_id',
    operation({
      id: 'broadcasts.delete',
      summary: 'Delete a broadcast',
      description: 'Deletes a draft or a scheduled broadcast. A broadcast that is being sent cannot be deleted: cancel it first.',
      access: 'full',
      audit: 'always',
      params: BroadcastParams,
      reply: { 200: BroadcastDeletion },
      example: { reply: broadcast.examples.deletion },
    }),
    async ({ teamId, params }) => {
      refuseUnlessMoved('delete', await broadcasts.deleteBroadcast(teamId, params.broadcast_id))
      return broadcast.deletion({ id: params.broadcast_id.toLowerCase() })
    },
  )

  app.post(
    '/broadcasts/:broadcast_id/send',
    operation({
      id: 'broadcasts.send',
      summary: 'Send a broadcast',
      description:
        'Sends a draft at once, or at `scheduled_at`. A scheduled broadcast gets another time, or is sent at once. The recipients are determined when it is sent.',
      access: 'full',
      audit: 'always',
      scope: 'broadcasts:send',
      warns: true,
      params: BroadcastParams,
      body: BroadcastSend,
      reply: { 200: BroadcastReference },
      example: { body: { scheduled_at: 'in 1 hour' }, reply: broadcast.examples.reference },
    }),
    async ({ caller, params, body }, { warn }) => {
      const sent = await sendBroadcast(context, broadcastSender(context, caller), {
        id: params.broadcast_id,
        time: body,
        expectedVersion: body.expected_version ?? null,
      })
      warn(sent?.warnings ?? [])
      return broadcast.reference(sent && { id: sent.id })
    },
  )

  app.post(
    '/broadcasts/:broadcast_id/cancel',
    operation({
      id: 'broadcasts.cancel',
      summary: 'Cancel a broadcast',
      description:
        'Makes a scheduled broadcast a draft again. A broadcast that is being sent stops: emails whose delivery has begun are still delivered, all others are canceled.',
      access: 'full',
      audit: 'always',
      params: BroadcastParams,
      reply: { 200: BroadcastReference },
      example: { reply: broadcast.examples.reference },
    }),
    async ({ caller, params }) => change('cancel', caller, params.broadcast_id),
  )

  app.post(
    '/broadcasts/:broadcast_id/pause',
    operation({
      id: 'broadcasts.pause',
      summary: 'Pause a broadcast',
      description:
        'Stops a broadcast that is being sent. Emails whose delivery has begun are still delivered, all others wait until it is resumed.',
      access: 'full',
      audit: 'always',
      params: BroadcastParams,
      reply: { 200: BroadcastReference },
      example: { reply: broadcast.examples.reference },
    }),
    async ({ caller, params }) => change('pause', caller, params.broadcast_id),
  )

  app.post(
    '/broadcasts/:broadcast_id/resume',
    operation({
      id: 'broadcasts.resume',
      summary: 'Resume a broadcast',
      description: 'Continues a paused broadcast where it stood.',
      access: 'full',
      audit: 'always',
      sends: true,
      params: BroadcastParams,
      reply: { 200: BroadcastReference },
      example: { reply: broadcast.examples.reference },
    }),
    async ({ caller, params }) => change('resume', caller, params.broadcast_id),
  )

  app.post(
    '/broadcasts/:broadcast_id/duplicate',
    operation({
      id: 'broadcasts.duplicate',
      summary: 'Duplicate a broadcast',
      description: 'Creates a draft with the same content, segment and topic. Its name ends in ` (copy)`.',
      access: 'full',
      audit: 'always',
      params: BroadcastParams,
      reply: { 200: BroadcastReference },
      example: { reply: broadcast.examples.reference },
    }),
    async ({ caller, params }) => broadcast.reference(await duplicateBroadcast(context, { holder: caller }, params.broadcast_id)),
  )
}

function refuseUnlessMoved(act: BroadcastAct, moved: null | 'done' | Refused): void {
  if (moved === null) throw notFound(BROADCASTS.noun)
  if (moved !== 'done') throw invalid(refusedMove(act, moved.refused))
}

export function broadcastSearch(query: Static<typeof BroadcastListQuery>, request: PageRequest): BroadcastSearch | null {
  if (!hasFilter(query)) return null
  const { status = null, segment_id: segmentId, topic_id: topicId } = query
  return {
    ...request,
    ...{ status, segmentId: segmentId?.toLowerCase() ?? null, topicId: topicId?.toLowerCase() ?? null },
    ...toTimeRange(query),
  }
}
