import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { contactReference } from '../mail/audience/contact-addresses.ts'
import {
  SUPPRESSIONS,
  Suppression,
  SuppressionCreate,
  SuppressionDeletion,
  SuppressionList,
  SuppressionListQuery,
  SuppressionParams,
  SuppressionReference,
} from '../schemas/suppressions.ts'
import { toList } from '../serializers/list.ts'
import { toSuppression, toSuppressionSummary } from '../serializers/suppressions.ts'
import { addSuppressions } from '../services/add-suppressions.ts'
import { type Call, operation, routes } from './operation.ts'

export const suppressionRoutes = routes(SUPPRESSIONS, (context) => {
  const { suppressions } = context.repositories

  async function create({ teamId, body }: Call<{ body: typeof SuppressionCreate }>) {
    const [id = ''] = await addSuppressions(context, teamId, [{ field: 'email', text: body.email }])
    return { object: 'suppression' as const, id }
  }

  async function list({ teamId, query }: Call<{ query: typeof SuppressionListQuery }>) {
    const { origin = null, ...page } = query
    return toList(await suppressions.list(teamId, origin, pageRequest(page, 'always')), toSuppressionSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof SuppressionParams }>) {
    const found = await suppressions.find(teamId, named(params))
    if (!found) throw notFound(SUPPRESSIONS.noun)
    return toSuppression(found)
  }

  async function remove({ teamId, params }: Call<{ params: typeof SuppressionParams }>) {
    const removed = await suppressions.remove(teamId, named(params))
    if (!removed) throw notFound(SUPPRESSIONS.noun)
    return { object: 'suppression' as const, id: removed.id, deleted: true }
  }

  return [
    operation({
      id: 'suppressions.create',
      method: 'POST',
      path: '/suppressions',
      summary: 'Suppress an address',
      description:
        'Adds an address to the suppression list, with the origin `manual`. It gets no mail from any domain of the team; an email that is scheduled already skips it, and still goes to its other recipients. An address that is on the list stays as it is, and its id is returned.',
      access: 'full',
      status: 201,
      body: SuppressionCreate,
      reply: SuppressionReference,
      example: { body: { email: 'ada@example.com' }, reply: { object: 'suppression', id: SUPPRESSIONS.example.id } },
      handle: create,
    }),
    operation({
      id: 'suppressions.list',
      method: 'GET',
      path: '/suppressions',
      summary: 'List suppressions',
      description: 'Returns the suppressions of the team, or those of one origin, newest first, 20 by default.',
      access: 'full',
      query: SuppressionListQuery,
      reply: SuppressionList,
      example: { reply: { object: 'list', has_more: false, data: [SUPPRESSIONS.example] } },
      handle: list,
    }),
    operation({
      id: 'suppressions.retrieve',
      method: 'GET',
      path: '/suppressions/:suppression_id',
      summary: 'Retrieve a suppression',
      description: 'Returns a suppression, by its id or email address.',
      access: 'full',
      params: SuppressionParams,
      reply: Suppression,
      example: { reply: { object: 'suppression', ...SUPPRESSIONS.example } },
      handle: retrieve,
    }),
    operation({
      id: 'suppressions.delete',
      method: 'DELETE',
      path: '/suppressions/:suppression_id',
      summary: 'Remove a suppression',
      description:
        'Removes an address from the suppression list, by the id of the suppression or the address. It can get mail again, until the next bounce or complaint adds it again.',
      access: 'full',
      params: SuppressionParams,
      reply: SuppressionDeletion,
      example: { reply: { object: 'suppression', id: SUPPRESSIONS.example.id, deleted: true } },
      handle: remove,
    }),
  ]
})

/** @throws Failure `notFound` if the text is neither an id nor an address. */
function named({ suppression_id: text }: { suppression_id: string }): { id: string } | { email: string } {
  const reference = contactReference(text)
  if (!reference) throw notFound(SUPPRESSIONS.noun)
  return reference
}
