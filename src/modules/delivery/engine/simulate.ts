// The simulator: addresses whose name decides the outcome, so that nothing leaves the machine.
import type { Config } from '../../../config/config.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { assertNever } from '../../../lib/problem.ts'
import { simulatedOutcome } from '../../../mail/simulator.ts'
import type { TrackingContext } from '../../tracking/tracking.context.ts'
import type { ClaimedDelivery } from '../queue/deliveries.repository.ts'
import type { Outcome } from './settlements.ts'

type Context = PlatformContext & TrackingContext

type Simulation = Pick<Config, 'simulatorDomains'>

/** The outcome of an attempt to an address of the simulator; null for every other address. */
export function simulate(address: string, { simulatorDomains }: Simulation): Outcome | null {
  const outcome = simulatedOutcome(address, simulatorDomains)
  const simulated = { host: 'simulator', tls: null, durationMs: 0, isSimulated: true }
  switch (outcome) {
    case null:
    case 'suppressed':
      return null
    case 'delivered':
      return { ...simulated, ...ACCEPTED }
    case 'opened':
      return { ...simulated, ...ACCEPTED, readerEvents: ['open'] }
    case 'clicked':
      return { ...simulated, ...ACCEPTED, readerEvents: ['open', 'click'] }
    case 'complained':
      return { ...simulated, ...ACCEPTED, isComplaint: true }
    case 'bounced':
      return { ...simulated, kind: 'bounced', code: 550, enhancedCode: '5.1.1', text: 'User unknown. (Simulated.)' }
    default:
      return assertNever(outcome)
  }
}

const ACCEPTED = { kind: 'delivered', code: 250, enhancedCode: '2.0.0', text: 'Accepted. (Simulated.)' } as const

// The reader at an address of the simulator, who opens mail and follows a link as people do.

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
  const events = kinds.map((kind) => ({ ...facts, kind, target: kind === 'click' ? LINK : '' }))
  try {
    await repositories.trackedEvents.recordAcrossTeams(events, at)
  } catch (error) {
    log.warn({ err: error, emailId, recipientId }, 'simulated opens and clicks not recorded')
  }
}
