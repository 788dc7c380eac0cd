// The DNS records that mail needs, from the configured servers.
import type { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { createExpiringCache } from '../../../lib/cache.ts'
import { type Clock, HOUR_MS } from '../../../lib/clock.ts'
import { askServers, isAbsence, type ResolverOptions, withResolver } from '../../dns/record-lookup.ts'

export type MailDns = {
  mx(domain: string): Promise<{ exchange: string; priority: number }[]>
  /** Shared by all domains that name the host. Fails with ENOTFOUND or ENODATA if there are none. */
  addresses(name: string, type: 'A' | 'AAAA'): Promise<Addresses>
  txt(name: string): Promise<string[][]>
}

export type Addresses = {
  addresses: string[]
  /** How much longer the records may be kept. */
  lifetimeMs: number
}

export type MailDnsOptions = Pick<ResolverOptions, 'dnsServers'> & Partial<Omit<ResolverOptions, 'dnsServers'>> & { clock: Clock }

const TIMEOUT_MS = 5_000
const TRIES = 2
const TIME_MS_MAX = 30_000

/** Ten thousand domains name fewer hosts than this. */
const NAMES_MAX = 20_000

/** Records live as long as they say, but not so short that every message looks them up, nor so long that a move of the servers goes unnoticed. */
export const LIFETIME_MS_MIN = 30_000
export const LIFETIME_MS_MAX = HOUR_MS

/** An absent record is looked up again soon, because someone may be adding it. */
export const ABSENCE_LIFETIME_MS = 60_000

type Entry = { addresses: string[]; expiresAtMs: number } | { absence: Error }

export function createMailDns({
  dnsServers,
  clock,
  timeoutMs = TIMEOUT_MS,
  tries = TRIES,
  timeMsMax = TIME_MS_MAX,
}: MailDnsOptions): MailDns {
  const ask = <Answer>(question: (resolver: Resolver) => Promise<Answer>): Promise<Answer> =>
    withResolver({ dnsServers, timeoutMs, tries, timeMsMax }, (resolver) => askServers(resolver, question))
  const known = createExpiringCache<Entry>({ entriesMax: NAMES_MAX, clock })

  async function find(name: string, type: 'A' | 'AAAA'): Promise<Entry> {
    try {
      const records = await ask((resolver) =>
        type === 'A' ? resolver.resolve4(name, { ttl: true }) : resolver.resolve6(name, { ttl: true }),
      )
      const lifetimeMs = boundedLifetime(Math.min(...records.map(({ ttl }) => ttl * 1_000)))
      const addresses = records.map(({ address }) => address).filter((address) => isIP(address) !== 0)
      return keep({ addresses, expiresAtMs: clock.monotonicMs() + lifetimeMs }, lifetimeMs)
    } catch (error) {
      if (!isAbsence(error)) throw error
      return keep({ absence: error }, ABSENCE_LIFETIME_MS)
    }

    function keep(entry: Entry, lifetimeMs: number): Entry {
      known.set(`${type} ${name}`, entry, lifetimeMs)
      return entry
    }
  }

  return {
    mx: (domain) => ask((resolver) => resolver.resolveMx(domain)),
    txt: (name) => ask((resolver) => resolver.resolveTxt(name)),
    async addresses(name, type) {
      const entry = known.get(`${type} ${name}`) ?? (await find(name, type))
      if ('absence' in entry) throw entry.absence
      return { addresses: [...entry.addresses], lifetimeMs: entry.expiresAtMs - clock.monotonicMs() }
    },
  }
}

const boundedLifetime = (ms: number): number => Math.max(LIFETIME_MS_MIN, Math.min(LIFETIME_MS_MAX, ms))
