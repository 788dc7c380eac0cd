// Which recipients of an email have a try ahead, for the page of an email.
import { type Static, Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/failure.ts'
import { Enum, EXAMPLE_TIME, Kind, Named, Nullable, Timestamp } from '../../../lib/validation/common.schema.ts'
import type { CapturedPendingRow } from '../../emails/captured-emails.repository.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import { EMAILS, EmailParams } from '../../emails/emails.schema.ts'
import { CONSOLE } from '../console.schema.ts'

const PENDING_STATES = ['sending', 'waiting', 'paused'] as const

const PendingDeliveries = Named(
  'PendingDeliveries',
  Type.Object(
    {
      object: Kind('list'),
      data: Type.Array(
        Type.Object({
          recipient: Type.String({ description: 'Address of the recipient.', examples: ['ada@example.com'] }),
          state: Enum([...PENDING_STATES], {
            description: '`sending`: a try is under way; `waiting`: it comes; `paused`: once an operator resumes this part of the queue.',
          }),
          due_at: Nullable(Timestamp('When the next try is due; null unless it waits.')),
        }),
        { description: 'Recipients with a try ahead, at most 200, the next try first.' },
      ),
    },
    { description: 'What is left to deliver of an email.' },
  ),
)

const operation = declareOperations(CONSOLE)

export const pendingDeliveryRoutes: Routes<EmailsContext> = async (app, { context }) => {
  const { capturedEmails, emails } = context.repositories

  app.get(
    '/emails/:email_id/deliveries',
    operation({
      id: 'emails.deliveries.list',
      summary: 'List what is left to deliver of an email',
      description: 'Returns the recipients of an email that have a try ahead, and when it is due.',
      access: 'member',
      scope: 'emails:read',
      audit: 'never',
      params: EmailParams,
      reply: { 200: PendingDeliveries },
      example: { reply: { object: 'list', data: [{ recipient: 'ada@example.com', state: 'waiting', due_at: EXAMPLE_TIME }] } },
    }),
    async ({ teamId, params }) => {
      const emailId = params.email_id.toLowerCase()
      if (!(await emails.has(teamId, emailId))) throw notFound(EMAILS.noun)
      const [pending, recipients] = await Promise.all([
        capturedEmails.pendingOf(teamId, emailId),
        capturedEmails.recipientsOf(teamId, emailId),
      ])
      const addresses = new Map(recipients.map(({ id, address }) => [id, address]))
      return {
        object: 'list' as const,
        data: pending.flatMap((row) => {
          const recipient = addresses.get(row.recipientId)
          return recipient === undefined ? [] : [{ recipient, ...toPending(row) }]
        }),
      }
    },
  )
}

type Pending = Static<typeof PendingDeliveries>['data'][number]

function toPending({ dueAt, isRunning }: CapturedPendingRow): Pick<Pending, 'state' | 'due_at'> {
  if (isRunning) return { state: 'sending', due_at: null }
  return dueAt === null ? { state: 'paused', due_at: null } : { state: 'waiting', due_at: toTimestamp(dueAt) }
}
