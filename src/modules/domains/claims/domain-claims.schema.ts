import { Type } from '@sinclair/typebox'
import { Resource } from '../../../http/resource.ts'
import { teamLimit } from '../../../lib/limits/team-limit.ts'
import { Enum, EXAMPLE_TIME, Id, Kind, Named, Nullable, Ref, Timestamp } from '../../../lib/validation/common.schema.ts'
import { DOMAINS, DomainCreate, REGIONS } from '../domains.schema.ts'
import { ACTIVE_HOURS, BLOCKED_REASONS, CANCELED_DAYS, CLAIM_DAYS, CLAIM_STATUSES, claimRecordValue, GRACE_HOURS } from './claim-states.ts'

/** Open claims of one team. On one name each team has at most one. */
export const CLAIMS_MAX = 100
export const CLAIM_LIMIT = teamLimit(CLAIMS_MAX, 'open claims', 'Verify some of them, or delete their domains, first.')

const CLAIMED = ['name', 'region', 'custom_return_path', 'open_tracking', 'click_tracking', 'tracking_subdomain'] as const

export const DomainClaimCreate = Named(
  'DomainClaimCreate',
  Type.Pick(DomainCreate, [...CLAIMED], { description: 'A domain to take over from another team.' }),
)

export const DomainClaimRecord = Named(
  'DomainClaimRecord',
  Type.Object(
    {
      type: Enum(['TXT'], { description: 'The type of the DNS record.' }),
      name: Type.String({ description: 'The whole name of the record: the domain itself.', examples: ['example.com'] }),
      value: Type.String({
        description: 'The value of the record. Other TXT records at the name can stay.',
        examples: [claimRecordValue('5f1c9a7be2d84c0d9e3b6a1f80c7d254')],
      }),
      ttl: Enum(['Auto'], { description: 'How long resolvers may cache the record. Always `Auto`: the default of your DNS provider.' }),
    },
    { description: 'The DNS record that proves the claim.' },
  ),
)

const fields = {
  id: Id('Id of the claim.'),
  name: Type.String({ description: 'The domain that is claimed, in lower case and as A-labels.', examples: ['example.com'] }),
  status: Enum([...CLAIM_STATUSES], {
    description:
      '`pending`: the record is to be published, or is being looked for. `blocked`: it was seen, and the claim waits for what `blocked_reason` says. `completed`: the team has the name, and can verify the domain. `expired`: it was not completed before `expires_at`. `superseded`: another claim on the name was completed. `canceled`: the domain of the claim was deleted. `failed`: see `failure_reason`. A claim is completed as soon as it is verified, so `verified` is not seen here.',
  }),
  domain_id: Nullable(Type.String({ format: 'uuid', description: 'Id of the domain that gets the name; null if it was deleted.' }), {
    examples: [DOMAINS.example.id],
  }),
  region: Nullable(Enum([...REGIONS], { description: 'The region of that domain; null if it was deleted.' })),
  record: Ref(DomainClaimRecord),
  blocked_reason: Nullable(
    Enum([...BLOCKED_REASONS], {
      description: `\`grace_period\`: the other team got the name less than ${GRACE_HOURS} hours ago. \`recent_owner_activity\`: it sent from the domain in the last ${ACTIVE_HOURS} hours. \`pending_scheduled_emails\`: it has scheduled emails from the domain. Null unless the claim is blocked.`,
    }),
  ),
  failure_reason: Nullable(Type.String({ description: 'Why the claim failed; null unless it did.' })),
  created_at: Timestamp('When the domain was claimed.'),
  expires_at: Timestamp(`When the claim expires, ${CLAIM_DAYS} days after its creation.`),
}

export const DomainClaim = Named(
  'DomainClaim',
  Type.Object(
    { object: Kind('domain_claim'), ...fields },
    { description: `A claim on a domain that another team has. A canceled claim can be read for ${CANCELED_DAYS} days.` },
  ),
)

export const DOMAIN_CLAIMS = Resource({
  tag: DOMAINS.tag,
  noun: 'Domain claim',
  parameter: 'claim_id',
  item: Type.Object(fields),
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c81',
    name: DOMAINS.example.name,
    status: 'pending',
    domain_id: DOMAINS.example.id,
    region: 'us-east-1',
    record: { type: 'TXT', name: DOMAINS.example.name, value: claimRecordValue('5f1c9a7be2d84c0d9e3b6a1f80c7d254'), ttl: 'Auto' },
    blocked_reason: null,
    failure_reason: null,
    created_at: EXAMPLE_TIME,
    expires_at: '2026-11-27 09:30:00.123000+00',
  },
})
