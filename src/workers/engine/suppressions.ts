// Addresses on the suppression list get no mail, decided when the mail is due: an address that was suppressed after a scheduled email was accepted
// does not get it either. A retry is not judged again, because the mail counts as sent.
import type { Context } from '../../context.ts'
import { contactForm } from '../../mail/audience/contact-addresses.ts'
import { simulatedOutcome } from '../../mail/simulator.ts'
import type { ClaimedDelivery } from '../../repositories/engine/deliveries.ts'
import type { SuppressionOrigin } from '../../schemas/suppressions.ts'

/** What `email.suppressed` says, in the words of the wire. */
export type Suppressed = {
  message: string
  type: 'OnAccountSuppressionList'
  reason: 'previous_bounce' | 'previous_complaint' | 'manual'
  diagnosticCode: string[]
}

/** What keeps deliveries from being tried, by their ids. Runs no query if all of them are retries or for the simulator. */
export async function suppressionsOf(
  { repositories, config }: Pick<Context, 'repositories' | 'config'>,
  deliveries: ClaimedDelivery[],
): Promise<Map<string, Suppressed>> {
  const found = new Map<string, Suppressed>()
  const listed = []
  for (const { id, teamId, address, attemptCount } of deliveries) {
    const simulated = simulatedOutcome(address, config.simulatorDomains)
    if (simulated === 'suppressed') found.set(id, SIMULATED)
    else if (simulated === null && attemptCount === 0) listed.push({ id, teamId, email: contactForm(address) })
  }
  const origins = await repositories.suppressedAddresses.findAcrossTeams(listed)
  for (const [id, origin] of origins) found.set(id, suppressedBy(origin))
  return found
}

export const suppressedBy = (origin: SuppressionOrigin): Suppressed => ({
  ...REASONS[origin],
  type: 'OnAccountSuppressionList',
  diagnosticCode: [],
})

const REASONS: Record<SuppressionOrigin, Pick<Suppressed, 'message' | 'reason'>> = {
  bounce: { message: 'The address is on the suppression list: an earlier email to it bounced.', reason: 'previous_bounce' },
  complaint: {
    message: 'The address is on the suppression list: an earlier email to it was reported as spam.',
    reason: 'previous_complaint',
  },
  manual: { message: 'The address is on the suppression list: your team added it.', reason: 'manual' },
}

const SIMULATED: Suppressed = {
  message: 'The address is on the suppression list: an earlier email to it bounced. (Simulated.)',
  type: 'OnAccountSuppressionList',
  reason: 'previous_bounce',
  diagnosticCode: [],
}
