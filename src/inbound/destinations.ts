// What the address of a recipient is for, and so whether the server takes mail for it. Receiving for the domains of teams will be one more purpose.
import type { Context } from '../context.ts'
import { createExpiringCache } from '../lib/expiring-cache.ts'
import { canonicalDomain } from '../mail/addresses.ts'
import type { InboundPurpose } from '../repositories/inbound/inbound-messages.ts'

export type Destination = { purpose: InboundPurpose; recipientId: string | null }

/** A map: strangers choose the name that is looked up. */
const ROLES: ReadonlyMap<string, InboundPurpose> = new Map([
  ['fbl', 'feedback'],
  ['postmaster', 'postmaster'],
  ['abuse', 'abuse'],
])

/** Strangers choose the hosts that are asked about. */
const HOSTS_MAX = 10_000
/** A new domain is known after this time at the latest. */
const HOST_KEPT_MS = 60_000

type Dependencies = Pick<Context, 'config' | 'clock' | 'repositories' | 'returnPathTokens'>

/** Null: no address of ours. */
export function createDestinations({ config, clock, repositories, returnPathTokens }: Dependencies) {
  const known = createExpiringCache<boolean>({ entriesMax: HOSTS_MAX, clock })

  return async (address: string): Promise<Destination | null> => {
    const at = address.lastIndexOf('@')
    // The postmaster may be named without a domain (RFC 5321, section 4.1.1.3). The SMTP library takes no other address without one.
    const local = (at === -1 ? address : address.slice(0, at)).toLowerCase()
    const recipientId = returnPathTokens.read(local)
    // Only we can have made the token, so the host does not matter: its domain may have another label for return paths by now, or be deleted.
    if (recipientId !== null) return { purpose: 'return_path', recipientId }
    const purpose = ROLES.get(local)
    if (purpose === undefined) return null
    return at === -1 || (await isOurs(address.slice(at + 1))) ? { purpose, recipientId: null } : null
  }

  async function isOurs(domain: string): Promise<boolean> {
    if (domain.toLowerCase() === config.mailHostname) return true
    const host = canonicalDomain(domain)
    if (typeof host !== 'string') return false
    if (host === config.mailHostname) return true
    const remembered = known.get(host)
    if (remembered !== undefined) return remembered
    const isReturnPath = await repositories.returnPathHosts.isOneAcrossTeams(host)
    known.set(host, isReturnPath, HOST_KEPT_MS)
    return isReturnPath
  }
}
