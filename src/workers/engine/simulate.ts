// The simulator: addresses whose name decides the outcome, so that nothing leaves the machine.
import type { Config } from '../../config.ts'
import { assertNever } from '../../lib/assert-never.ts'
import { simulatedOutcome } from '../../mail/simulator.ts'
import type { Outcome } from './settlements.ts'

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
      return { ...simulated, ...ACCEPTED, readerActs: ['open'] }
    case 'clicked':
      return { ...simulated, ...ACCEPTED, readerActs: ['open', 'click'] }
    case 'complained':
      return { ...simulated, ...ACCEPTED, isComplaint: true }
    case 'bounced':
      return { ...simulated, kind: 'bounced', code: 550, enhancedCode: '5.1.1', text: 'User unknown. (Simulated.)' }
    default:
      return assertNever(outcome)
  }
}

const ACCEPTED = { kind: 'delivered', code: 250, enhancedCode: '2.0.0', text: 'Accepted. (Simulated.)' } as const
