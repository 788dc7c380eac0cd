export type SimulatedOutcome = (typeof OUTCOMES)[number]

/**
 * What happens to mail for a simulator address, such as `bounced@simulator.test` or `delivered+signup@simulator.test`; null for an address of any
 * other domain. An unknown name at a simulator domain bounces, so that nothing for such a domain ever leaves the machine. `address` is canonical,
 * and the domains are in lower case.
 */
export function simulatedOutcome(address: string, simulatorDomains: readonly string[]): SimulatedOutcome | null {
  const at = address.lastIndexOf('@')
  if (at === -1 || !simulatorDomains.includes(address.slice(at + 1))) return null
  const [name = ''] = address.slice(0, at).toLowerCase().split('+', 1)
  return OUTCOMES.find((outcome) => outcome === name) ?? 'bounced'
}

const OUTCOMES = ['delivered', 'bounced', 'complained', 'suppressed', 'opened', 'clicked'] as const
