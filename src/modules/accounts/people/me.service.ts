// The person who is signed in, as they see themselves.
import type { Static } from '@sinclair/typebox'
import type { SignedIn } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { confirmedUntil } from '../sessions/confirmation.ts'
import type { Me } from './me.schema.ts'

type Needs = Pick<PlatformContext & AccountsContext, 'repositories' | 'clock'>

export async function readMe({ repositories, clock }: Needs, { id, email, name, team, confirmedAt }: SignedIn): Promise<Static<typeof Me>> {
  const memberships = await repositories.persons.teamsAcrossTeams(id)
  const teams = memberships.map(({ teamId, teamName, role }) => ({ id: teamId, name: teamName, role }))
  return {
    ...{ object: 'me', id, email, name, teams, team: teams.find((each) => each.id === team?.id) ?? null },
    confirmed_until: toTimestamp(confirmedUntil({ confirmedAt }, clock.now())),
  }
}
