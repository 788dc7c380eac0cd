import type { Static } from '@sinclair/typebox'
import { searchedSentence } from '../../http/list-filters.ts'
import { declareOperations, type Routes } from '../../http/operation.ts'
import { plainResource } from '../../http/plain-resource.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toList, toSearchedList } from '../../http/resource.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { invalid } from '../../lib/failure.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { explainProblem } from '../../lib/problem.ts'
import { contactAddress, contactReference, partOfContactAddress } from '../../mail/address-forms.ts'
import { SOFT_BOUNCES } from './soft-bounces.ts'
import type { SoftBounce, SuppressionRow } from './suppression-changes.repository.ts'
import type { SuppressionsContext } from './suppressions.context.ts'
import { SUPPRESSIONS_SEARCHED_MAX } from './suppressions.repository.ts'
import {
  SUPPRESSION_BATCH_MAX,
  SUPPRESSIONS,
  Suppression,
  SuppressionBatchCreate,
  SuppressionBatchCreated,
  SuppressionBatchDelete,
  SuppressionBatchDeletion,
  SuppressionCreate,
  SuppressionDeletion,
  SuppressionList,
  SuppressionListQuery,
  SuppressionParams,
  SuppressionReference,
  type SuppressionSummary,
} from './suppressions.schema.ts'
import { addSuppressions } from './suppressions.service.ts'

type Context = PlatformContext & SuppressionsContext

const operation = declareOperations(SUPPRESSIONS)
const suppression = plainResource(SUPPRESSIONS, 'suppression')

export const suppressionBatchRoutes: Routes<Context> = async (app, { context }) => {
  const { suppressions } = context.repositories

  app.post(
    '/suppressions/batch/add',
    operation({
      id: 'suppressions.create-batch',
      summary: `Suppress up to ${SUPPRESSION_BATCH_MAX} addresses`,
      description: `Adds up to ${SUPPRESSION_BATCH_MAX} addresses to the suppression list. Either all are added or none. An address that is on the list stays as it is, and its id is returned.`,
      access: 'full',
      audit: 'people',
      body: SuppressionBatchCreate,
      reply: { 201: SuppressionBatchCreated },
      example: {
        body: { emails: ['ada@example.com', 'alan@example.com'] },
        reply: {
          data: [suppression.examples.reference, { object: 'suppression', id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c81' }],
        },
      },
    }),
    async ({ teamId, body }) => {
      const addresses = body.emails.map((text, index) => ({ field: `emails[${index}]`, text }))
      const ids = await addSuppressions(context, teamId, addresses)
      return { data: ids.map((id) => suppression.reference({ id })) }
    },
  )

  app.post(
    '/suppressions/batch/remove',
    operation({
      id: 'suppressions.delete-batch',
      summary: `Remove up to ${SUPPRESSION_BATCH_MAX} suppressions`,
      description: `Removes up to ${SUPPRESSION_BATCH_MAX} addresses from the suppression list: give their \`emails\`, or the \`ids\` of their suppressions. Addresses that are not on the list are left out of the response.`,
      access: 'full',
      audit: 'always',
      scope: 'suppressions:delete',
      body: SuppressionBatchDelete,
      reply: { 200: SuppressionBatchDeletion },
      example: {
        body: { emails: ['ada@example.com', 'alan@example.com'] },
        reply: { data: [suppression.examples.deletion] },
      },
    }),
    async ({ teamId, body }) => {
      const { emails, ids } = body
      const named = emails == null ? { ids: ids?.map((id) => id.toLowerCase()) ?? [] } : { emails: uniqueAddresses(emails) }
      const removed = await suppressions.deleteSuppressions(teamId, named)
      return { data: inOrder(removed, named).map((id) => suppression.deletion({ id })) }
    },
  )
}

const uniqueAddresses = (texts: string[]): string[] =>
  texts.map((text, index) => {
    const email = contactAddress(text)
    if (typeof email !== 'string') throw invalid(explainProblem(`emails[${index}]`, email, text))
    return email
  })

/** The ids of those that were removed, each once, in the order in which the request names them. */
function inOrder(removed: { id: string; email: string }[], named: { ids: string[] } | { emails: string[] }): string[] {
  const wanted = 'ids' in named ? named.ids : named.emails
  const ids = new Map(removed.map(({ id, email }) => ['ids' in named ? id : email, id]))
  return [...new Set(wanted)].flatMap((one) => ids.get(one) ?? [])
}

export const toSuppressionSummary = ({
  id,
  email,
  origin,
  sourceId,
  createdAt,
  softBounces,
}: SuppressionRow): Static<typeof SuppressionSummary> => ({
  id,
  email,
  origin,
  source_id: sourceId,
  created_at: toTimestamp(createdAt),
  ...(softBounces && { reason: SOFT_BOUNCES }),
})

export const toSuppression = (row: SuppressionRow): Static<typeof Suppression> => ({
  object: 'suppression',
  ...toSuppressionSummary(row),
  ...(row.softBounces && { soft_bounces: toSoftBounces(row.softBounces) }),
})

export const toSoftBounces = (softBounces: SoftBounce[]): NonNullable<Static<typeof Suppression>['soft_bounces']> =>
  softBounces.map(({ email_id, bounced_at }) => ({ email_id, bounced_at: toTimestamp(new Date(bounced_at)) }))

export const suppressionRoutes: Routes<Context> = async (app, { context }) => {
  const { suppressions } = context.repositories

  app.post(
    '/suppressions',
    operation({
      id: 'suppressions.create',
      summary: 'Suppress an address',
      description:
        'Adds an address to the suppression list, with the origin `manual`. It gets no mail from any domain of the team; an email that is scheduled already skips it, and still goes to its other recipients. An address that is on the list stays as it is, and its id is returned.',
      access: 'full',
      audit: 'people',
      body: SuppressionCreate,
      reply: { 201: SuppressionReference },
      example: { body: { email: 'ada@example.com' }, reply: suppression.examples.reference },
    }),
    async ({ teamId, body }) => {
      const [id = ''] = await addSuppressions(context, teamId, [{ field: 'email', text: body.email }])
      return suppression.reference({ id })
    },
  )

  app.get(
    '/suppressions',
    operation({
      id: 'suppressions.list',
      summary: 'List suppressions',
      description: `Returns the suppressions of the team, or those of one origin, newest first, 20 by default. ${searchedSentence(SUPPRESSIONS_SEARCHED_MAX)}`,
      access: 'full',
      audit: 'never',
      query: SuppressionListQuery,
      reply: { 200: SuppressionList },
      example: { reply: suppression.examples.list },
    }),
    async ({ teamId, query }) => {
      const { origin = null, search, ...page } = query
      const request = pageRequest(page, 'always')
      if (search === undefined) return toList(await suppressions.list(teamId, origin, request), toSuppressionSummary)
      const part = partOfContactAddress(search)
      return toSearchedList(await suppressions.searchPage(teamId, { ...request, part, origin }), toSuppressionSummary)
    },
  )

  app.get(
    '/suppressions/:suppression_id',
    operation({
      id: 'suppressions.retrieve',
      summary: 'Retrieve a suppression',
      description: 'Returns a suppression, by its id or email address.',
      access: 'full',
      audit: 'never',
      params: SuppressionParams,
      reply: { 200: Suppression },
      example: { reply: { object: 'suppression', ...SUPPRESSIONS.example } },
    }),
    suppression.retrieve((teamId, text) => suppressions.find(teamId, referenceIn(text)), toSuppression),
  )

  app.delete(
    '/suppressions/:suppression_id',
    operation({
      id: 'suppressions.delete',
      summary: 'Remove a suppression',
      description:
        'Removes an address from the suppression list, by the id of the suppression or the address. It can get mail again, until the next bounce or complaint adds it again.',
      access: 'full',
      audit: 'people',
      scope: 'suppressions:delete',
      params: SuppressionParams,
      reply: { 200: SuppressionDeletion },
      example: { reply: suppression.examples.deletion },
    }),
    async ({ teamId, params }) => suppression.deletion(await suppressions.deleteSuppression(teamId, referenceIn(params.suppression_id))),
  )
}

/** @throws Failure `notFound` if the text is neither an id nor an address. */
const referenceIn = (text: string): { id: string } | { email: string } => suppression.found(contactReference(text))
