// What the address of a recipient is for, and so whether the server takes mail for it.

import type { PlatformContext } from '../../../http/platform.context.ts'
import { createExpiringCache } from '../../../lib/cache.ts'
import { isId } from '../../../lib/ids.ts'
import { canonicalDomain } from '../../../mail/addresses.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import type { DeliveryContext } from '../../delivery/delivery.context.ts'
import type { InboundContext } from '../inbound.context.ts'
import type { InboundPurpose } from '../inbound-messages.repository.ts'

type Context = PlatformContext & AccountsContext & DeliveryContext & InboundContext

export type Destination = ReportDestination | ReceivingDestination

/** Mail that comes back to us. */
export type ReportDestination = { purpose: InboundPurpose; recipientId: string | null }

/** Mail for a team. */
export type ReceivingDestination = { purpose: 'receiving'; teamId: string }

export const isReceiving = (destination: Destination): destination is ReceivingDestination => destination.purpose === 'receiving'

/** A map: strangers choose the name that is looked up. */
const ROLES: ReadonlyMap<string, InboundPurpose> = new Map([
  ['fbl', 'feedback'],
  ['postmaster', 'postmaster'],
  ['abuse', 'abuse'],
])

/** Strangers choose the hosts that are asked about. */
const HOSTS_MAX = 10_000
// Only what was found is kept, so that mail for a domain is taken as soon as it may be. Strangers who ask for others are bound by what a peer may do.
/** A host of ours that is given up is forgotten after this time. */
const HOST_KEPT_MS = 60_000
/** A team that switches receiving off waits this long for it to take effect. */
const RECEIVING_KEPT_MS = 10_000

type Dependencies = Pick<Context, 'config' | 'clock' | 'repositories' | 'returnPathTokens'>

/** Null: no address of ours. */
export function createDestinations({ config, clock, repositories, returnPathTokens }: Dependencies) {
  const known = createExpiringCache<true>({ entriesMax: HOSTS_MAX, clock })
  const teams = createExpiringCache<string>({ entriesMax: HOSTS_MAX, clock })

  return async (address: string): Promise<Destination | null> => {
    const at = address.lastIndexOf('@')
    // The postmaster may be named without a domain (RFC 5321, section 4.1.1.3). The SMTP library takes no other address without one.
    const local = (at === -1 ? address : address.slice(0, at)).toLowerCase()
    const recipientId = returnPathTokens.read(local)
    // Only we can have made the token, so the host does not matter: its domain may have another label for return paths by now, or be deleted.
    if (recipientId !== null) return { purpose: 'return_path', recipientId }
    const purpose = ROLES.get(local)
    if (purpose !== undefined && (at === -1 || (await isOurs(address.slice(at + 1))))) return { purpose, recipientId: null }
    const teamId = at === -1 ? null : await findTeam(address.slice(at + 1))
    return teamId === null ? null : { purpose: 'receiving', teamId }
  }

  /** Whose domain it is, if mail for it is received. */
  async function findTeam(domain: string): Promise<string | null> {
    const host = canonicalDomain(domain)
    if (typeof host !== 'string') return null
    const remembered = teams.get(host)
    if (remembered !== undefined) return remembered
    const teamId = await findTeamOfHost(host)
    if (teamId !== null) teams.set(host, teamId, RECEIVING_KEPT_MS)
    return teamId
  }

  async function findTeamOfHost(host: string): Promise<string | null> {
    const { inboundDomain } = config
    const label = inboundDomain !== null && host.endsWith(`.${inboundDomain}`) ? host.slice(0, -inboundDomain.length - 1) : null
    // The address of a team is its own, even if another team registers it. Other names there may be domains like any other.
    if (label === null || !isId(label)) return repositories.receivingDomains.teamOfAcrossTeams(host)
    return (await repositories.teams.find(label)) === null ? null : label.toLowerCase()
  }

  async function isOurs(domain: string): Promise<boolean> {
    if (domain.toLowerCase() === config.mailHostname) return true
    const host = canonicalDomain(domain)
    if (typeof host !== 'string') return false
    if (host === config.mailHostname) return true
    if (known.get(host)) return true
    const isReturnPath = await repositories.returnPathHosts.isOneAcrossTeams(host)
    if (isReturnPath) known.set(host, true, HOST_KEPT_MS)
    return isReturnPath
  }
}
