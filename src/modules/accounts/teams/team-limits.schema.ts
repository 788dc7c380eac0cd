import { type TSchema, Type } from '@sinclair/typebox'
import { Kind, Named, Nullable } from '../../../lib/validation/common.schema.ts'
import { LIMIT_MAX, type LimitName, STORED_BYTES_MAX } from '../../limits/limits.schema.ts'

const limit = (of: string) =>
  Nullable(Type.Integer({ minimum: 0, maximum: LIMIT_MAX, description: `How many ${of}; null: no limit.`, examples: [1_000] }))

/** Each of the names that LIMIT_NAMES has: the type fails for one that is missing or unknown. */
const limits = {
  emails_per_day: limit('addresses the team may send to in a day (UTC), those of to, cc and bcc each'),
  emails_per_month: limit('addresses the team may send to in a month (UTC)'),
  broadcast_recipients: limit('recipients a broadcast may have'),
  contacts: limit('contacts the team may have'),
  domains: limit('domains the team may have'),
  webhooks: limit('webhooks the team may have'),
  stored_bytes: Nullable(
    Type.Integer({
      ...{ minimum: 0, maximum: STORED_BYTES_MAX },
      description:
        'How many bytes the files of the team may take: attachments, large messages that were submitted over SMTP, received emails and their files, files of imports; null: no limit.',
      examples: [10_000_000_000],
    }),
  ),
} satisfies Record<LimitName, TSchema>

export const TeamLimitsUpdate = Named(
  'TeamLimitsUpdate',
  Type.Partial(Type.Object(limits), {
    description: 'Limits of a team to change. Limits that are left out stay as they are, and null removes one.',
  }),
)

export const TeamLimitsAnswer = Named(
  'TeamLimits',
  Type.Object({ object: Kind('team_limits'), ...limits }, { description: 'How much a team may have and send.' }),
)
