import { pageRequest } from '../lib/page-request.ts'
import { ListQuery } from '../schemas/common.ts'
import { CONTACTS, ContactList } from '../schemas/contacts.ts'
import { SEGMENTS, SegmentParams } from '../schemas/segments.ts'
import { toContactSummary } from '../serializers/contacts.ts'
import { toList } from '../serializers/list.ts'
import { listMembers } from '../services/list-members.ts'
import { type Call, operation, routes } from './operation.ts'

export const segmentContactRoutes = routes(SEGMENTS, (context) => {
  async function list({ teamId, params, query }: Call<{ params: typeof SegmentParams; query: typeof ListQuery }>) {
    return toList(await listMembers(context, teamId, params.segment_id, pageRequest(query, 'always')), toContactSummary)
  }

  return [
    operation({
      id: 'segments.contacts.list',
      method: 'GET',
      path: '/segments/:segment_id/contacts',
      summary: 'List the contacts of a segment',
      description:
        'Returns the contacts that were added to a segment, or that its filter selects at the moment, newest contacts first, 20 by default. If the filter takes longer than five seconds, the response is a 422.',
      access: 'full',
      shows: ['contacts'],
      params: SegmentParams,
      query: ListQuery,
      reply: ContactList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [CONTACTS.example],
        },
      },
      handle: list,
    }),
  ]
})
