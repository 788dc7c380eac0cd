// What placeholders of messages to contacts stand for: the properties of contacts, and what is the same for all of them.
import type { PropertyOfContacts } from '../../../mail/rendering/contact-placeholders.ts'
import { withTeamValues } from '../../../mail/rendering/team-placeholders.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import type { AudienceContext } from '../audience.context.ts'

type Repositories = Pick<AccountsContext['repositories'] & AudienceContext['repositories'], 'teams' | 'contactProperties'>

export async function placeholderProperties({ teams, contactProperties }: Repositories, teamId: string): Promise<PropertyOfContacts[]> {
  const [properties, team] = await Promise.all([contactProperties.all(teamId), teams.valuesOf(teamId)])
  return withTeamValues(properties, team)
}
