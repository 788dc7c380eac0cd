// The former name of segments: the same records, for clients that still use it.
import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { endedWarnings } from '../lib/uses.ts'
import {
  AUDIENCES,
  Audience,
  AudienceCreate,
  AudienceCreated,
  AudienceDeletion,
  AudienceList,
  AudienceParams,
} from '../schemas/audiences.ts'
import { DeletionQuery, WholeListQuery } from '../schemas/common.ts'
import { toAudience, toAudienceSummary } from '../serializers/audiences.ts'
import { toList } from '../serializers/list.ts'
import { createSegment, removeSegment } from '../services/save-segment.ts'
import { type Call, operation, routes } from './operation.ts'

export const audienceRoutes = routes(AUDIENCES, (context) => {
  const { segments } = context.repositories

  async function create({ teamId, body }: Call<{ body: typeof AudienceCreate }>) {
    const created = await createSegment(context, teamId, { name: body.name, filter: null })
    return { object: 'audience' as const, ...created }
  }

  async function list({ teamId, query }: Call<{ query: typeof WholeListQuery }>) {
    return toList(await segments.list(teamId, pageRequest(query, 'optional')), toAudienceSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof AudienceParams }>) {
    const segment = await segments.find(teamId, params.audience_id)
    if (!segment) throw notFound(AUDIENCES.noun)
    return toAudience(segment)
  }

  async function remove({ teamId, params, query, warn }: Call<{ params: typeof AudienceParams; query: typeof DeletionQuery }>) {
    warn(endedWarnings(await removeSegment(context, teamId, params.audience_id, { unlessUsed: query.unless_used === true })))
    return { object: 'audience' as const, id: params.audience_id.toLowerCase(), deleted: true }
  }

  return [
    operation({
      id: 'audiences.create',
      method: 'POST',
      path: '/audiences',
      summary: 'Create an audience',
      description: 'Creates a segment under its former name. Use `POST /segments` instead.',
      isDeprecated: true,
      access: 'full',
      status: 201,
      body: AudienceCreate,
      reply: AudienceCreated,
      example: { body: { name: 'Customers' }, reply: { object: 'audience', id: AUDIENCES.example.id, name: 'Customers' } },
      handle: create,
    }),
    operation({
      id: 'audiences.list',
      method: 'GET',
      path: '/audiences',
      summary: 'List audiences',
      description: 'Returns the segments of the team, newest first, all of them by default. Use `GET /segments` instead.',
      isDeprecated: true,
      access: 'full',
      query: WholeListQuery,
      reply: AudienceList,
      example: {
        reply: { object: 'list', has_more: false, data: [AUDIENCES.example] },
      },
      handle: list,
    }),
    operation({
      id: 'audiences.retrieve',
      method: 'GET',
      path: '/audiences/:audience_id',
      summary: 'Retrieve an audience',
      description: 'Returns a segment under its former name. Use `GET /segments/{segment_id}` instead.',
      isDeprecated: true,
      access: 'full',
      params: AudienceParams,
      reply: Audience,
      example: { reply: { object: 'audience', ...AUDIENCES.example } },
      handle: retrieve,
    }),
    operation({
      id: 'audiences.delete',
      method: 'DELETE',
      path: '/audiences/:audience_id',
      summary: 'Delete an audience',
      description:
        'Deletes a segment. Its contacts are kept. A segment that does not exist counts as deleted. Broadcasts that are scheduled to it become drafts again, and enabled automations that add contacts to it are disabled. Use `DELETE /segments/{segment_id}` instead.',
      isDeprecated: true,
      allowsUnknown: true,
      access: 'full',
      // Scheduled broadcasts and enabled automations send by it.
      sends: true,
      params: AudienceParams,
      query: DeletionQuery,
      reply: AudienceDeletion,
      example: { reply: { object: 'audience', id: AUDIENCES.example.id, deleted: true } },
      warns: true,
      handle: remove,
    }),
  ]
})
