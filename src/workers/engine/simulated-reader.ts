// The reader at an address of the simulator, who opens mail and follows a link as people do.
import type { Context } from '../../context.ts'
import type { ClaimedDelivery } from '../../repositories/engine/deliveries.ts'

/** Whether or not the email has links, and its domain asks for tracking: the address alone decides. */
const LINK = 'https://simulator.test/'
const USER_AGENT = 'Posthaste simulator'

/** Records what the reader does with mail that was delivered. A process that dies before it has done so leaves the mail delivered. */
export async function actAsReader(
  { repositories, clock, log }: Pick<Context, 'repositories' | 'clock' | 'log'>,
  { teamId, emailId, id: recipientId, address }: ClaimedDelivery,
  kinds: readonly ('open' | 'click')[],
): Promise<void> {
  const at = clock.now()
  const facts = { teamId, emailId, recipientId, address, at, machineRule: null, userAgent: USER_AGENT, ipAddress: null, writtenLink: null }
  const acts = kinds.map((kind) => ({ ...facts, kind, target: kind === 'click' ? LINK : '' }))
  try {
    await repositories.trackedActs.recordAcrossTeams(acts, at)
  } catch (error) {
    log.warn({ err: error, emailId, recipientId }, 'simulated opens and clicks not recorded')
  }
}
