// MTA-STS (RFC 8461): which domains require verified TLS and the hosts of their policy.

import { createExpiringCache } from '../../../lib/cache.ts'
import { type Clock, systemClock } from '../../../lib/clock.ts'
import { isAllowedHost } from '../../outbound-guard.ts'
import type { MailDns } from './mx-dns.ts'

/** The policy as mailauth returns it, without what cannot be stored. */
export type MtaStsPolicy = {
  id: string
  mode: 'enforce' | 'testing' | 'none'
  mx?: string[]
  expires: string
  version?: string
  maxAge?: number
}

/** Keeps policies until they expire, so that an attacker cannot hide one by blocking the DNS record or the web server. */
export type MtaStsCache = {
  get(domain: string): Promise<MtaStsPolicy | undefined>
  set(domain: string, policy: MtaStsPolicy): Promise<void>
}

export type MtaSts = {
  /** Fails only if the library cannot be loaded. Without a policy the mode is `none`. */
  policyOf(domain: string): Promise<AppliedPolicy>
}

export type AppliedPolicy = {
  mode: 'enforce' | 'testing' | 'none'
  /** Whether the policy names this MX host; always true in the mode `none`. */
  allows(host: string): boolean
}

/** The record is looked up again after this time, so a change of the policy is noticed that soon. */
const CHECK_LIFETIME_MS = 5 * 60_000
const DOMAINS_MAX = 10_000

/** The first message to a domain waits for it. */
const FETCH_TIMEOUT_MS = 10_000

export function createMtaSts(options: {
  dns: Pick<MailDns, 'txt' | 'addresses'>
  guard: { allowPrivateNetworks: boolean }
  cache: MtaStsCache
  clock?: Clock
}): MtaSts {
  const { dns, guard, cache, clock = systemClock } = options
  const checked = createExpiringCache<AppliedPolicy>({ entriesMax: DOMAINS_MAX, clock })
  const running = new Map<string, Promise<AppliedPolicy>>()

  /** The policy is fetched from the address that is checked here. */
  async function resolver(name: string, type: string): Promise<string[] | string[][]> {
    if (type === 'TXT') return dns.txt(name)
    const { addresses } = await dns.addresses(name, type === 'AAAA' ? 'AAAA' : 'A')
    return addresses.filter((address) => isAllowedHost(address, guard))
  }

  async function check(domain: string): Promise<AppliedPolicy> {
    // Loaded when mail first leaves directly, so that every start is quicker.
    const [{ getPolicy, validateMx }, known] = await Promise.all([
      import('mailauth/lib/mta-sts.js'),
      cache.get(domain).catch(() => undefined),
    ])
    const { policy, status } = await getPolicy(domain, known ?? null, { resolver, strict: true, timeout: FETCH_TIMEOUT_MS })
    const { id, expires, error: _error, ...fetched } = policy
    // Stores the policy, or that it could not be fetched, so that the fetch is not retried at once. An error never replaces a policy that is still
    // valid.
    const isNew = status === 'found' || (status === 'errored' && policy.mode === 'none')
    if (isNew && id && expires) await cache.set(domain, { ...fetched, id, expires }).catch(() => {})
    const applied: AppliedPolicy = { mode: policy.mode, allows: (host) => validateMx(host, policy).valid }
    checked.set(domain, applied, CHECK_LIFETIME_MS)
    return applied
  }

  return {
    async policyOf(domain) {
      const found = checked.get(domain) ?? running.get(domain)
      if (found !== undefined) return found
      const checking = check(domain).finally(() => running.delete(domain))
      running.set(domain, checking)
      return checking
    },
  }
}

/** Policies in memory, for the domains that were used last. */
export function createMtaStsMemory({ clock = systemClock }: { clock?: Clock } = {}): MtaStsCache {
  const policies = createExpiringCache<MtaStsPolicy>({ entriesMax: DOMAINS_MAX, clock })
  return {
    get: async (domain) => policies.get(domain),
    set: async (domain, policy) => policies.set(domain, policy, Math.max(0, Date.parse(policy.expires) - clock.now().getTime())),
  }
}
