// Puts addresses on the suppression list of a team, because the team asks for it.
import type { Context } from '../context.ts'
import { invalid } from '../lib/failure.ts'
import { explainProblem } from '../lib/problem.ts'
import { suppressibleAddress } from '../mail/audience/suppressible-addresses.ts'

type Dependencies = {
  repositories: Pick<Context['repositories'], 'suppressions'>
  config: Pick<Context['config'], 'simulatorDomains'>
  /** Absent in commands, whose counts no one would read. */
  metrics?: Pick<Context['metrics'], 'suppressionsAdded'>
}

/**
 * @param addresses by the names of their fields.
 * @returns the id of each, in the same order.
 * @throws Failure about the first address that is wrong; nothing is added then.
 */
export async function addSuppressions(
  { repositories, config, metrics }: Dependencies,
  teamId: string,
  addresses: { field: string; text: string }[],
): Promise<string[]> {
  const entries = addresses.map(({ field, text }) => {
    const email = suppressibleAddress(text, config.simulatorDomains)
    if (typeof email !== 'string') throw invalid(explainProblem(field, email, text))
    return { email, origin: 'manual' as const }
  })
  const { ids, addedCount } = await repositories.suppressions.add(teamId, entries)
  metrics?.suppressionsAdded.inc({ origin: 'manual' }, addedCount)
  return ids
}
