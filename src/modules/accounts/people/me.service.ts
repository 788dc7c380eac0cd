// The person who is signed in, as they see themselves.

import type { Static } from '@sinclair/typebox'
import type { SignedIn } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import type { MemberRole } from '../../../lib/member-roles.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { includesScope, SCOPE_NAMES } from '../scopes.ts'
import { confirmedUntil } from '../sessions/confirmation.ts'
import type { Me } from './me.schema.ts'
import { isOperator } from './operators.ts'
import { SCOPES_OF_ROLES } from './roles.ts'

/** Everything that a role includes, by name. */
const allowedTo = (role: MemberRole): string[] => SCOPE_NAMES.filter((scope) => includesScope(SCOPES_OF_ROLES[role], scope))

type Needs = Pick<PlatformContext & AccountsContext, 'repositories' | 'clock' | 'config' | 'installationMails'>

export async function readMe(
  { repositories, clock, config, installationMails }: Needs,
  { id, email, name, team, confirmedAt, isOperatorByGroup }: SignedIn,
): Promise<Static<typeof Me>> {
  const memberships = await repositories.persons.teamsAcrossTeams(id)
  const teams = memberships.map(({ teamId, teamName, role }) => ({ id: teamId, name: teamName, role }))
  const inTeam = teams.find((each) => each.id === team?.id) ?? null
  return {
    ...{ object: 'me', id, email, name, teams, team: inTeam, scopes: inTeam ? allowedTo(inTeam.role) : [] },
    is_operator: isOperator(config, { email, isOperatorByGroup }),
    installation: {
      delivery: config.delivery,
      has_mailed: await installationMails.isCertain(),
      has_mail_hostname: config.mailHostname !== 'localhost',
      tracked_by_default: config.tracking.byDefault,
    },
    confirmed_until: toTimestamp(confirmedUntil({ confirmedAt }, clock.now())),
  }
}
