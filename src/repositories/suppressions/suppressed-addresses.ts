// Which recipients are on the suppression list of their team; in SQL, because a whole part of a batch is looked up at once. Crosses teams: for
// workers.
import type { SuppressionOrigin } from '../../schemas/suppressions.ts'
import type { Database } from '../database.ts'

/** A recipient, under an id that the caller chooses. */
export type AddressedRecipient = {
  id: string
  teamId: string
  /** In the form in which the list has it: in lower case, the domain as an A-label. */
  email: string
}

export function suppressedAddressRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Keyed by the ids of the recipients. Recipients who are not on the list are not in it. */
    async findAcrossTeams(recipients: AddressedRecipient[]): Promise<Map<string, SuppressionOrigin>> {
      if (recipients.length === 0) return new Map()
      const rows = await execute<{ id: string; origin: SuppressionOrigin }>(FIND, [
        recipients.map(({ id }) => id),
        recipients.map(({ teamId }) => teamId),
        recipients.map(({ email }) => email),
      ])
      return new Map(rows.map(({ id, origin }) => [id, origin]))
    },
  }
}

// `offset 0` makes it a probe for each recipient, because a part is small compared with the list.
const FIND = `
select r.id, s.origin from unnest($1::uuid[], $2::uuid[], $3::text[]) as r(id, team_id, email)
 cross join lateral (select origin from suppressions where team_id = r.team_id and email = r.email offset 0) s`
