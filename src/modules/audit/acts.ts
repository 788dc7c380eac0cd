// Which act a request is, and on what: it follows from the declaration of its operation.
import { type Act, newAct } from '../../db/acts.ts'
import type { Actor, ActorKind } from '../../http/actor.ts'
import type { Operation } from '../../http/operation.ts'
import type { Clock } from '../../lib/clock.ts'
import { isId } from '../../lib/ids.ts'

/** What a target is called, by the parameter that names it in a path, and the table whose changes are kept; null if it has none that says more. */
const TARGETS: Record<string, { type: string; table: string | null }> = {
  api_key_id: { type: 'api_key', table: 'api_keys' },
  attachment_id: { type: 'email', table: null },
  audience_id: { type: 'segment', table: 'segments' },
  automation_id: { type: 'automation', table: 'automations' },
  broadcast_id: { type: 'broadcast', table: 'broadcasts' },
  claim_id: { type: 'domain_claim', table: 'domain_claims' },
  contact_id: { type: 'contact', table: 'contacts' },
  contact_import_id: { type: 'contact_import', table: 'contact_imports' },
  contact_job_id: { type: 'contact_job', table: 'contact_jobs' },
  contact_property_id: { type: 'contact_property', table: 'contact_properties' },
  domain_id: { type: 'domain', table: 'domains' },
  email_id: { type: 'email', table: null },
  event_id: { type: 'event', table: 'events' },
  image_id: { type: 'image', table: 'images' },
  invitation_id: { type: 'invitation', table: 'invitations' },
  member_id: { type: 'member', table: 'members' },
  oauth_grant_id: { type: 'oauth_grant', table: 'oauth_grants' },
  own_team_id: { type: 'team', table: 'teams' },
  person_id: { type: 'person', table: 'persons' },
  received_email_id: { type: 'received_email', table: null },
  segment_id: { type: 'segment', table: 'segments' },
  suppression_id: { type: 'suppression', table: 'suppressions' },
  team_id: { type: 'team', table: 'teams' },
  template_id: { type: 'template', table: 'templates' },
  topic_id: { type: 'topic', table: 'topics' },
  webhook_event_id: { type: 'webhook_event', table: null },
  webhook_id: { type: 'webhook', table: 'webhooks' },
}

/** Operations on a record of another kind than their section has. */
const PARAMETERS: [beginning: string, parameter: string][] = [
  ['audiences.contacts.', 'contact_id'],
  ['broadcasts.versions.', 'broadcast_id'],
  ['operation.images.', 'image_id'],
  ['teams.invitations.', 'invitation_id'],
  ['teams.members.', 'member_id'],
  ['templates.versions.', 'template_id'],
  ['webhooks.', 'webhook_id'],
]

const parameterOf = ({ id, resource }: Pick<Operation, 'id' | 'resource'>): string =>
  PARAMETERS.find(([beginning]) => id.startsWith(beginning))?.[1] ?? resource.parameter

/** The section whose records are of this type, for who may read what changed. Only full access reads a team. */
export function sectionOfTarget(type: string | null): string {
  if (type === 'invitation' || type === 'person') return 'members'
  if (type === 'domain_claim') return 'domains'
  if (type === 'webhook_event') return 'webhooks'
  if (type === 'contact_property') return 'contact-properties'
  if (type === 'contact_job') return 'contacts'
  return type === null || type === 'team' ? '' : type === 'oauth_grant' ? 'oauth' : `${type.replaceAll('_', '-')}s`
}

type Performed = { teamId: string | readonly string[] | null; actor: Actor; params: unknown; clock: Clock }

export function actOf(operation: Pick<Operation, 'id' | 'resource'>, { teamId, actor, params, clock }: Performed): Act {
  const parameter = parameterOf(operation)
  const target = targetOf(parameter, (params as Record<string, unknown> | undefined)?.[parameter])
  return newAct(operation.id, { teamId, actor, target, clock })
}

/** @param parameter what its id is called in the path of an operation */
export function targetOf(parameter: string, named: unknown): Act['target'] {
  const { type, table } = TARGETS[parameter] ?? { type: parameter.replace(/_id$/, ''), table: null }
  return { type, id: typeof named === 'string' && isId(named) ? named.toLowerCase() : null, table }
}

const PEOPLE: ReadonlySet<ActorKind> = new Set(['person', 'operator', 'command_line'])

/** Whether what this actor does with the operation stands in the audit log. */
export const isAudited = ({ audit }: Pick<Operation, 'audit'>, { kind }: Pick<Actor, 'kind'>): boolean =>
  audit === 'always' || (audit === 'people' && PEOPLE.has(kind))
