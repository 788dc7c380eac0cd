import { type Static, Type } from '@sinclair/typebox'
import { DateFilters, toTimeRange } from '../../http/list-filters.ts'
import { declareOperations, type Routes } from '../../http/operation.ts'
import { Enum, Kind, Named, Nullable, QueryId } from '../../lib/validation/common.schema.ts'
import { requireScope } from '../accounts/scopes.ts'
import { EMAILS } from '../emails/emails.schema.ts'
import { BREAKDOWN_EMAILS_MAX, type BreakdownRow } from './breakdowns.repository.ts'
import { percentage } from './email-metrics.ts'
import { MAILBOX_PROVIDERS } from './mailbox-providers.ts'
import type { MetricsContext } from './metrics.context.ts'

const count = (description: string) => Type.Integer({ description })
const rate = (description: string) => Type.Number({ description })

export const EmailBreakdownQuery = Type.Object({
  by: Enum(['provider', 'tag'], {
    description:
      '`provider`: who hosts the mailbox of the recipient, by the domain of the address. `tag`: each tag of the emails, for which an access token needs `emails:read`.',
  }),
  broadcast_id: QueryId('Count only emails of this broadcast.'),
  ...DateFilters('emails that were accepted'),
})

const most = BREAKDOWN_EMAILS_MAX.toLocaleString('en')

export const EmailBreakdown = Named(
  'EmailBreakdown',
  Type.Object(
    {
      object: Kind('email_breakdown'),
      by: Enum(['provider', 'tag'], { description: 'What the rows are.' }),
      emails: count('How many emails were looked at.'),
      is_complete: Type.Boolean({ description: `Whether those are all: of more, the newest ${most} are.` }),
      data: Type.Array(
        Type.Object({
          name: Type.String({
            description: `The provider, one of ${MAILBOX_PROVIDERS.map((name) => `\`${name}\``).join(', ')}, or the name of the tag.`,
            examples: ['gmail'],
          }),
          value: Nullable(Type.String({ description: 'Value of the tag; null for a provider.' })),
          recipients: count('Recipients.'),
          sent: count('Recipients for whom delivery has begun.'),
          delivered: count('Recipients whose mail server accepted the email.'),
          bounced: count('Recipients whose mail server returned the email.'),
          complained: count('Recipients who reported the email as spam.'),
          opened: count('Recipients who opened the email or clicked in it.'),
          clicked: count('Recipients who clicked in the email.'),
          suppressed: count('Recipients who were skipped because their address is suppressed.'),
          failed: count('Recipients to whom the email could not be sent.'),
          delivery_rate: rate('`delivered` as a percentage of `sent`.'),
          bounce_rate: rate('`bounced` as a percentage of `sent`.'),
          complaint_rate: rate('`complained` as a percentage of `delivered`.'),
          open_rate: rate('`opened` as a percentage of `delivered`.'),
          click_rate: rate('`clicked` as a percentage of `delivered`.'),
        }),
        { description: 'The rows with the most recipients, at most 100. An email with several tags counts for each.' },
      ),
    },
    { description: 'What became of emails, by the provider of the mailbox or by tags: the last state of each recipient.' },
  ),
)

const toRow = ({ name, value, recipients, sent, delivered, bounced, complained, opened, clicked, suppressed, failed }: BreakdownRow) => ({
  ...{ name, value, recipients, sent, delivered, bounced, complained, opened, clicked, suppressed, failed },
  ...{ delivery_rate: percentage(delivered, sent), bounce_rate: percentage(bounced, sent) },
  ...{
    complaint_rate: percentage(complained, delivered),
    open_rate: percentage(opened, delivered),
    click_rate: percentage(clicked, delivered),
  },
})

const operation = declareOperations(EMAILS)

export const emailBreakdownRoutes: Routes<MetricsContext> = async (app, { context: { repositories } }) => {
  app.get(
    '/emails/metrics/breakdown',
    operation({
      id: 'emails.metrics.breakdown.retrieve',
      summary: 'Compare emails by mailbox provider or tag',
      description: `Returns what became of the newest ${most} emails in a range, of the team or of one broadcast, by the provider of the recipient's mailbox or by tag. \`GET /emails/metrics\` has exact counts by time, domain and broadcast.`,
      access: 'full',
      audit: 'never',
      isCount: true,
      query: EmailBreakdownQuery,
      reply: { 200: EmailBreakdown },
      example: {
        reply: {
          ...{ object: 'email_breakdown', by: 'provider', emails: 1_000, is_complete: true },
          data: [
            toRow({
              ...{ name: 'gmail', value: null, recipients: 600, sent: 598, delivered: 590, bounced: 8, complained: 1 },
              ...{ opened: 300, clicked: 80, suppressed: 2, failed: 0 },
            }),
          ],
        },
      },
    }),
    async ({ caller, teamId, query }): Promise<Static<typeof EmailBreakdown>> => {
      const { by, broadcast_id: broadcastId } = query
      if (by === 'tag') requireScope(caller, 'emails:read')
      const asked = { by, ...toTimeRange(query), broadcastId: broadcastId?.toLowerCase() ?? null }
      const { rows, emails, isComplete } = await repositories.breakdowns.count(teamId, asked)
      return { object: 'email_breakdown', by, emails, is_complete: isComplete, data: rows.map(toRow) }
    },
  )
}
