// Applies opt-outs from refused rows; in SQL, because there can be thousands. They create no contact, but the address is remembered, and a contact that has it is unsubscribed.

import { type MergeOptions, optOutAnyway } from '../contacts/merge-contacts.ts'
import { rememberOptOuts } from '../contacts/opt-outs.ts'
import type { Execute } from '../database.ts'

export type RefusedOptOut = {
  addressHash: string
  /** True if the person is unsubscribed from all bulk email. False: only from the topics of the import that are `opt_out`. */
  unsubscribed: boolean
}

/** The caller has locked the opt-outs of the team, because an address without a contact must not become one meanwhile. */
export async function takeRefusedOptOuts(
  execute: Execute,
  optOuts: RefusedOptOut[],
  options: Pick<MergeOptions, 'teamId' | 'topics' | 'now'>,
): Promise<void> {
  if (optOuts.length === 0) return
  const { teamId, now } = options
  const leaving = optOuts.filter(({ unsubscribed }) => unsubscribed).map(({ addressHash }) => addressHash)
  // The lock keeps them from being deleted meanwhile, which would leave their choices.
  await execute(LOCK, [teamId, optOuts.map(({ addressHash }) => addressHash)])
  if (leaving.length > 0) await execute(UNSUBSCRIBE, [teamId, leaving, now])
  await rememberOptOuts(execute, teamId, leaving, now)
  await optOutAnyway(execute, optOuts, options)
}

const LOCK = 'select from contacts where team_id = $1 and address_hash = any($2::text[]) order by email for update'

const UNSUBSCRIBE =
  'update contacts set unsubscribed = true, updated_at = $3 where team_id = $1 and address_hash = any($2::text[]) and not unsubscribed'
