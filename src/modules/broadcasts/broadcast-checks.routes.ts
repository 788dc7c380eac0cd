import { Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { notFound } from '../../lib/failure.ts'
import { Named } from '../../lib/validation/common.schema.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { AuditContext } from '../audit/audit.context.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import { CHECKS_EXAMPLE, checksFields, toChecks } from '../templates/checks.schema.ts'
import type { TrackingContext } from '../tracking/tracking.context.ts'
import { checkBroadcast } from './broadcast-checks.service.ts'
import type { BroadcastsContext } from './broadcasts.context.ts'
import { BROADCASTS, BroadcastParams } from './broadcasts.schema.ts'
import { broadcastSender } from './broadcasts.service.ts'

type Context = PlatformContext &
  AccountsContext &
  AuditContext &
  DomainsContext &
  AudienceContext &
  EmailsContext &
  TrackingContext &
  BroadcastsContext

const BroadcastChecks = Named(
  'BroadcastChecks',
  Type.Object(checksFields('broadcast_checks', 'broadcast'), { description: 'What was found about a broadcast.' }),
)

const operation = declareOperations(BROADCASTS)

export const broadcastCheckRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/broadcasts/:broadcast_id/checks',
    operation({
      id: 'broadcasts.checks.retrieve',
      summary: 'Check a broadcast',
      description:
        'Looks through a broadcast before it is sent: what sending would be refused for, the unsubscribe link, the sender, the segment, links that lead nowhere, images without a text, placeholders that stand for nothing, and what Outlook, Gmail and Apple Mail do not show. No link is fetched. The HTML is measured as it is sent, with tracked links.',
      access: 'full',
      audit: 'never',
      params: BroadcastParams,
      reply: { 200: BroadcastChecks },
      example: { reply: { object: 'broadcast_checks', id: BROADCASTS.example.id, ...CHECKS_EXAMPLE } },
    }),
    async ({ caller, params }) => {
      const broadcast = await context.repositories.broadcasts.find(caller.teamId, params.broadcast_id)
      if (!broadcast) throw notFound(BROADCASTS.noun)
      const { checks, htmlBytes } = await checkBroadcast(context, broadcastSender(context, caller), broadcast)
      return { object: 'broadcast_checks' as const, id: broadcast.id, html_bytes: htmlBytes, data: toChecks(checks) }
    },
  )
}
