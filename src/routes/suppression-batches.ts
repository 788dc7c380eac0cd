import { invalid } from '../lib/failure.ts'
import { explainProblem } from '../lib/problem.ts'
import { contactAddress } from '../mail/audience/contact-addresses.ts'
import {
  SUPPRESSION_BATCH_MAX,
  SUPPRESSIONS,
  SuppressionBatchCreate,
  SuppressionBatchCreated,
  SuppressionBatchDelete,
  SuppressionBatchDeletion,
} from '../schemas/suppressions.ts'
import { addSuppressions } from '../services/add-suppressions.ts'
import { type Call, operation, routes } from './operation.ts'

export const suppressionBatchRoutes = routes(SUPPRESSIONS, (context) => {
  const { suppressions } = context.repositories

  async function create({ teamId, body }: Call<{ body: typeof SuppressionBatchCreate }>) {
    const addresses = body.emails.map((text, index) => ({ field: `emails[${index}]`, text }))
    const ids = await addSuppressions(context, teamId, addresses)
    return { data: ids.map((id) => ({ object: 'suppression' as const, id })) }
  }

  async function remove({ teamId, body }: Call<{ body: typeof SuppressionBatchDelete }>) {
    const { emails, ids } = body
    if (emails == null && ids == null) throw invalid('Missing `emails` or `ids` field.')
    if (emails != null && ids != null) throw invalid('Give either `emails` or `ids`, not both.')
    const named = emails == null ? { ids: ids?.map((id) => id.toLowerCase()) ?? [] } : { emails: addressesOf(emails) }
    const removed = await suppressions.removeMany(teamId, named)
    return { data: inOrder(removed, named).map((id) => ({ object: 'suppression' as const, id, deleted: true })) }
  }

  return [
    operation({
      id: 'suppressions.create-batch',
      method: 'POST',
      path: '/suppressions/batch/add',
      summary: `Suppress up to ${SUPPRESSION_BATCH_MAX} addresses`,
      description: `Adds up to ${SUPPRESSION_BATCH_MAX} addresses to the suppression list. Either all are added or none. An address that is on the list stays as it is, and its id is returned.`,
      access: 'full',
      status: 201,
      body: SuppressionBatchCreate,
      reply: SuppressionBatchCreated,
      example: {
        body: { emails: ['ada@example.com', 'alan@example.com'] },
        reply: {
          data: [
            { object: 'suppression', id: SUPPRESSIONS.example.id },
            { object: 'suppression', id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c81' },
          ],
        },
      },
      handle: create,
    }),
    operation({
      id: 'suppressions.delete-batch',
      method: 'POST',
      path: '/suppressions/batch/remove',
      summary: `Remove up to ${SUPPRESSION_BATCH_MAX} suppressions`,
      description: `Removes up to ${SUPPRESSION_BATCH_MAX} addresses from the suppression list: give their \`emails\`, or the \`ids\` of their suppressions. Addresses that are not on the list are left out of the answer.`,
      access: 'full',
      body: SuppressionBatchDelete,
      reply: SuppressionBatchDeletion,
      example: {
        body: { emails: ['ada@example.com', 'alan@example.com'] },
        reply: { data: [{ object: 'suppression', id: SUPPRESSIONS.example.id, deleted: true }] },
      },
      handle: remove,
    }),
  ]
})

const addressesOf = (texts: string[]): string[] =>
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
