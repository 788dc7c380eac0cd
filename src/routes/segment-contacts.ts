import type { Context } from '../context.ts'
import { pageRequest } from '../lib/page-request.ts'
import { ListQuery } from '../schemas/common.ts'
import { ContactList } from '../schemas/contacts.ts'
import { SegmentParams } from '../schemas/segments.ts'
import { toContactSummary } from '../serializers/contacts.ts'
import { toList } from '../serializers/list.ts'
import { listMembers } from '../services/list-members.ts'
import { EXAMPLE_CONTACT } from './examples.ts'
import { type Call, type Operation, operation } from './operation.ts'

export function segmentContactRoutes(context: Context): Operation[] {
  async function list({ teamId, params, query }: Call<{ params: typeof SegmentParams; query: typeof ListQuery }>) {
    return toList(await listMembers(context, teamId, params.segment_id, pageRequest(query, 'always')), toContactSummary)
  }

  return [
    operation({
      id: 'segments.contacts.list',
      method: 'GET',
      path: '/segments/:segment_id/contacts',
      tag: 'Segments',
      summary: 'List the contacts of a segment',
      description:
        'Returns the contacts that were added to a segment, or that its filter selects at the moment, newest contacts first, 20 by default. If the filter takes longer than five seconds, the response is a 422.',
      access: 'full',
      params: SegmentParams,
      query: ListQuery,
      reply: ContactList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [EXAMPLE_CONTACT],
        },
      },
      handle: list,
    }),
  ]
}
