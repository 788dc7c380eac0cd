// The ways that mail can go: the simulator, nowhere (capture), or the relay.
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { assertNever } from '../lib/assert-never.ts'
import { simulatedOutcome } from '../mail/simulator.ts'
import type { ClaimedDelivery } from '../repositories/deliveries.ts'
import type { BuiltMessage } from '../services/build-message.ts'
import type { Outcome } from './settlements.ts'

type Simulation = Pick<Config, 'simulatorDomains'>

/** Why nothing is tried for this address; null: it may be tried. */
export const suppressionOf = (address: string, { simulatorDomains }: Simulation): string | null =>
  simulatedOutcome(address, simulatorDomains) === 'suppressed'
    ? 'The address is on the suppression list: an earlier email to it bounced. (Simulated.)'
    : null

/** The outcome of an attempt to an address of the simulator; null for every other address. */
export function simulate(address: string, { simulatorDomains }: Simulation): Outcome | null {
  const outcome = simulatedOutcome(address, simulatorDomains)
  const simulated = { host: 'simulator', tls: null, durationMs: 0 }
  switch (outcome) {
    case null:
    case 'suppressed':
      return null
    case 'delivered':
      return { ...simulated, ...ACCEPTED }
    case 'complained':
      return { ...simulated, ...ACCEPTED, isComplaint: true }
    case 'bounced':
      return { ...simulated, kind: 'bounced', code: 550, enhancedCode: '5.1.1', text: 'User unknown. (Simulated.)' }
    default:
      return assertNever(outcome)
  }
}

const ACCEPTED = { kind: 'delivered', code: 250, enhancedCode: '2.0.0', text: 'Accepted. (Simulated.)' } as const

type Transmission = { delivery: ClaimedDelivery; message: BuiltMessage; mayContinue: () => boolean }

/** Tries once. Whatever happens is an outcome. */
export async function transmit(
  { gateways }: Pick<Context, 'gateways'>,
  { delivery, message, mayContinue }: Transmission,
): Promise<Outcome> {
  if (!gateways.relay)
    return {
      kind: 'delivered',
      code: null,
      enhancedCode: null,
      text: 'Captured: it was stored and did not leave this machine.',
      host: 'capture',
      tls: null,
      durationMs: 0,
    }
  return gateways.relay.send({ envelope: { from: message.sender, to: delivery.address }, message: message.content, mayContinue })
}
