// What a person may do in a team: a role is a set of the scopes that operations declare. docs/access.md shows the same table.
import type { MemberRole } from '../../../lib/member-roles.ts'
import { FULL_ACCESS, includesScope, SCOPE_NAMES } from '../scopes.ts'

const ALL = SCOPE_NAMES.filter((scope) => scope !== FULL_ACCESS)
const all = (...sections: string[]): string[] => sections.flatMap((section) => [`${section}:read`, `${section}:write`])

/** The only source of what a role may do. */
export const SCOPES_OF_ROLES: Readonly<Record<MemberRole, readonly string[]>> = {
  owner: [FULL_ACCESS],
  admin: ALL,
  developer: ALL.filter((scope) => !['members:write', ...all('audit-log')].includes(scope)),
  marketer: [
    ...all(
      'contacts',
      'contact-imports',
      'contact-properties',
      'segments',
      'topics',
      'audiences',
      'templates',
      'images',
      'broadcasts',
      'automations',
    ),
    ...['events:read', 'suppressions:read', 'team:read', 'broadcasts:send', 'numbers:read'],
  ],
  support: [
    ...['emails:read', 'emails:resend', 'received-emails:read', 'contacts:read', 'contacts:subscriptions'],
    ...['topics:read', 'segments:read', 'suppressions:read', 'suppressions:delete', 'team:read', 'numbers:read'],
  ],
  viewer: ['numbers:read'],
}

/** What a credential with these scopes may still do where its person has this role. */
export const withinRole = (role: MemberRole, scopes: readonly string[]): string[] => {
  const allowed = SCOPES_OF_ROLES[role]
  if (scopes.includes(FULL_ACCESS)) return [...allowed]
  const wider = scopes.filter((scope) => includesScope(allowed, scope))
  // A narrower scope of the role stays where the credential has a wider one.
  return [...new Set([...wider, ...allowed.filter((scope) => scope !== FULL_ACCESS && includesScope(scopes, scope))])]
}

/** A role that may do more than the giver cannot be given. */
export const mayGive = (giver: MemberRole, given: MemberRole): boolean =>
  giver === 'owner' || (given !== 'owner' && SCOPES_OF_ROLES[given].every((scope) => includesScope(SCOPES_OF_ROLES[giver], scope)))
