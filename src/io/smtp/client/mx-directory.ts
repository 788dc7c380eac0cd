// Finds the hosts that take mail for a domain. mx-connect knows the rules (MX, then A, then AAAA; null MX); this file adds a cache and sentences.
import { createHash } from 'node:crypto'
import resolveIp from 'mx-connect/lib/resolve-ip.js'
import resolveMx, { type Delivery } from 'mx-connect/lib/resolve-mx.js'
import { createExpiringCache } from '../../../lib/cache.ts'
import { type Clock, systemClock } from '../../../lib/clock.ts'
import { providerOf } from './destination-limits.ts'
import { ABSENCE_LIFETIME_MS, createMailDns, LIFETIME_MS_MAX, type MailDns } from './mx-dns.ts'
import { resultWithoutReply, type SmtpResult } from './smtp-outcome.ts'

export type MxHost = {
  /** In lower case, without a dot at the end. */
  name: string
  /** The lowest is tried first. Hosts of equal preference share the load. */
  preference: number
  /** IPv4 before IPv6. Not checked: the code that connects does that. */
  addresses: string[]
}

export type MxSet = {
  /** Domains with the same hosts, or with the same large provider, have the same key. Limits and pace belong to it. At most 200 characters. */
  key: string
  /** In the order of preference: at least one, each with at least one address. */
  hosts: MxHost[]
}

/** A failure is the outcome of every message to the domain while it is cached: `bounced` if another lookup would not help. */
export type MxLookup = { set: MxSet } | { failure: SmtpResult }

export type MxDirectory = {
  /** Never fails. What cannot be found is a value. */
  lookUp(domain: string): Promise<MxLookup>
}

export type MxDirectoryOptions = {
  /** `ip` or `ip:port`. If empty, the system's servers are used. */
  dnsServers: readonly string[]
  clock?: Clock
  /** Instead of `dnsServers`, to share one. */
  dns?: MailDns
}

const DOMAINS_MAX = 10_000

/** Some domains have hundreds. An attempt tries a few, and the next ones continue after these (RFC 5321, section 5.1). */
const HOSTS_MAX = 50

/** Names that are looked up at once. A domain with more of them, none of which has an address, is rather being changed than without mail. */
const HOSTS_AT_ONCE = 10

/** After this time no further names are looked up, if some of those before have addresses or did not answer. */
const LOOKUP_MS_MAX = 60_000

const ADDRESSES_PER_FAMILY_MAX = 4

/** RFC 1035, section 2.3.4, as text. */
const NAME_LENGTH_MAX = 253

const KEY_LENGTH_MAX = 200

export function createMxDirectory({
  dnsServers,
  clock = systemClock,
  dns = createMailDns({ dnsServers, clock }),
}: MxDirectoryOptions): MxDirectory {
  const known = createExpiringCache<MxLookup>({ entriesMax: DOMAINS_MAX, clock })
  const running = new Map<string, Promise<MxLookup>>()

  async function ask(domain: string): Promise<MxLookup> {
    const { lookup, lifetimeMs } = await find(domain, dns, clock)
    known.set(domain, lookup, lifetimeMs)
    return lookup
  }

  return {
    async lookUp(name) {
      const domain = normalized(name)
      const found = known.get(domain) ?? running.get(domain)
      if (found !== undefined) return found
      const asking = ask(domain).finally(() => running.delete(domain))
      running.set(domain, asking)
      return asking
    },
  }
}

type Found = { lookup: MxLookup; lifetimeMs: number }

async function find(domain: string, dns: MailDns, clock: Clock): Promise<Found> {
  if (domain === '' || domain.length > NAME_LENGTH_MAX) return failed(noSuchDomain(domain))
  // Node returns the lifetime of addresses only, so the set is looked up again when its first address expires.
  let lifetimeMs = LIFETIME_MS_MAX
  const resolveRecords = async (name: string, type: string) => {
    if (type === 'MX') return dns.mx(name)
    const found = await dns.addresses(name, type === 'AAAA' ? 'AAAA' : 'A')
    lifetimeMs = Math.min(lifetimeMs, found.lifetimeMs)
    return found.addresses
  }
  const delivery: Delivery = { domain, decodedDomain: domain, isIp: false, mx: [], dnsOptions: { resolveRecords } }
  try {
    await resolveMx(delivery)
    delivery.mx = firstHosts(delivery.mx)
  } catch (error) {
    return failed(mxFailure(domain, error))
  }
  // Includes hosts whose address cannot be found at the moment, so that the key stays the same.
  const key = keyOf(delivery.mx.map(({ exchange }) => exchange))
  const { hosts, failure } = await resolveHosts(delivery, clock)
  return hosts.length === 0 && failure !== null ? failed(failure) : { lookup: { set: { key, hosts } }, lifetimeMs }
}

/** A few at a time. The failure is the one that is least final, and none if a host was found. */
async function resolveHosts(delivery: Delivery, clock: Clock): Promise<{ hosts: MxHost[]; failure: SmtpResult | null }> {
  const { domain, mx } = delivery
  const startedMs = clock.monotonicMs()
  const hosts: MxHost[] = []
  let failure: SmtpResult | null = null
  for (let from = 0; from < mx.length; from += HOSTS_AT_ONCE) {
    if (from > 0 && clock.monotonicMs() - startedMs >= LOOKUP_MS_MAX) {
      failure ??= notAllLookedUp(domain)
      break
    }
    const some = { ...delivery, mx: mx.slice(from, from + HOSTS_AT_ONCE) }
    try {
      await resolveIp(some)
    } catch (error) {
      const found = addressFailure(domain, error)
      if (failure === null || failure.kind === 'bounced') failure = found
    }
    hosts.push(...some.mx.flatMap(toHost))
  }
  if (failure?.kind === 'bounced' && mx.length > HOSTS_AT_ONCE) failure = noneOfMany(domain)
  return { hosts, failure }
}

/** Each host once, in an order that does not depend on the answer. */
function firstHosts(mx: Delivery['mx']): Delivery['mx'] {
  const sorted = mx
    .map((entry) => ({ ...entry, exchange: normalized(entry.exchange) }))
    .sort((a, b) => a.priority - b.priority || (a.exchange < b.exchange ? -1 : 1))
  return sorted.filter(({ exchange }, index) => sorted.findIndex((other) => other.exchange === exchange) === index).slice(0, HOSTS_MAX)
}

function toHost({ exchange, priority, A, AAAA }: Delivery['mx'][number]): MxHost[] {
  const addresses = [...A.slice(0, ADDRESSES_PER_FAMILY_MAX), ...AAAA.slice(0, ADDRESSES_PER_FAMILY_MAX)]
  return addresses.length === 0 ? [] : [{ name: exchange, preference: priority, addresses }]
}

function keyOf(names: readonly string[]): string {
  const key = providerOf(names) ?? [...names].sort().join(' ')
  return key.length <= KEY_LENGTH_MAX ? key : createHash('sha256').update(key).digest('hex')
}

const normalized = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const failed = (failure: SmtpResult): Found => ({ lookup: { failure }, lifetimeMs: ABSENCE_LIFETIME_MS })

function mxFailure(domain: string, error: unknown): SmtpResult {
  const code = dnsErrorCode(error)
  // The code and the enhanced code that RFC 7505, section 4.1, gives for this.
  if (code === 'ENULLMX')
    return { ...refusal('bounced', '5.1.10', `The domain ${domain} takes no email: it publishes a null MX record`), code: 556 }
  if (code === 'InvalidIpAddress') return noAddress(domain)
  return isTemporary(error) ? notFoundNow(domain, code) : noSuchDomain(domain)
}

const addressFailure = (domain: string, error: unknown): SmtpResult =>
  isTemporary(error) ? notFoundNow(domain, dnsErrorCode(error)) : noAddress(domain)

const noSuchDomain = (domain: string) =>
  refusal('bounced', '5.1.2', `The domain ${domain.slice(0, NAME_LENGTH_MAX)} does not exist, or has neither mail servers nor an address`)
const noAddress = (domain: string) =>
  refusal('bounced', '5.4.4', `None of the mail servers of ${domain} has an address that mail could go to`)
/** Not final: an owner of so many names will correct them. */
const noneOfMany = (domain: string) =>
  refusal('delayed', '4.4.4', `None of the many mail servers of ${domain} has an address that mail could go to`)
const notAllLookedUp = (domain: string) =>
  refusal('delayed', '4.4.3', `The addresses of the mail servers of ${domain} could not be looked up in time`)
const notFoundNow = (domain: string, code: string) =>
  refusal('delayed', '4.4.3', `The mail servers of ${domain} could not be looked up (${code})`)

const refusal = (kind: 'delayed' | 'bounced', enhancedCode: string, text: string): SmtpResult => ({
  ...resultWithoutReply(kind, 'connect', text),
  enhancedCode,
})

/** A name that no resolver accepts stays invalid. */
const isTemporary = (error: unknown): boolean =>
  error instanceof Error && 'temporary' in error && error.temporary === true && dnsErrorCode(error) !== 'EBADNAME'

function dnsErrorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  // Only the DNS fails here with a code. Any other error is a bug.
  throw error
}
