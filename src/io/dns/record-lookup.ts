// Asks the DNS what is published at a name now. Nothing is kept here, because the owner of the domain may be changing it; what the resolver keeps is
// its own. Node's resolver asks again over TCP when an answer does not fit into a datagram, drops answers to other questions, and follows aliases.
import type { CaaRecord } from 'node:dns'
import { getServers, Resolver } from 'node:dns/promises'
import { createFairQueue } from '../../lib/limits/fair.ts'
import type { LookupType, RecordAnswer } from '../../mail/record-types.ts'

export type ResolverOptions = {
  /** `ip` or `ip:port` (`[ip]:port` for IPv6). If empty, the system's servers are used. */
  dnsServers: readonly string[]
  /** The time-out of the first try with a server. Later ones wait longer. */
  timeoutMs: number
  /** Tries with each server. */
  tries: number
  /** The limit for all tries with all servers. */
  timeMsMax: number
}

/**
 * Asks with a resolver of its own, because Node can only stop all lookups of one at once, and one that was answered quickly waits less long the next
 * time.
 * @throws with `code`: see `isAbsence`; ECANCELLED when it took too long.
 */
export async function withResolver<Answer>(
  { dnsServers, timeoutMs, tries, timeMsMax }: ResolverOptions,
  ask: (resolver: Resolver) => Promise<Answer>,
): Promise<Answer> {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (dnsServers.length > 0) resolver.setServers(dnsServers)
  const timer = setTimeout(() => resolver.cancel(), timeMsMax)
  try {
    return await ask(resolver)
  } finally {
    clearTimeout(timer)
  }
}

/** The servers that are asked. */
export const chooseServers = (dnsServers: readonly string[]): readonly string[] => (dnsServers.length > 0 ? dnsServers : getServers())

/** Node asks the next server when one is silent, but takes a failure of the first for the answer. */
export async function askServers<Answer>(resolver: Resolver, ask: (resolver: Resolver) => Promise<Answer>): Promise<Answer> {
  const servers = resolver.getServers()
  for (let at = 1; ; at += 1) {
    try {
      return await ask(resolver)
    } catch (error) {
      if (at >= servers.length || !SERVER_FAILURES.includes(dnsErrorCode(error) ?? '')) throw error
      resolver.setServers([...servers.slice(at), ...servers.slice(0, at)])
    }
  }
}

const SERVER_FAILURES: readonly string[] = ['ESERVFAIL', 'EREFUSED', 'ENOTIMP', 'EFORMERR']

/** The DNS answered that the name, or a record of this type at the name, does not exist. */
export function isAbsence(error: unknown): error is Error {
  const code = dnsErrorCode(error)
  return code === 'ENOTFOUND' || code === 'ENODATA'
}

/** A code such as `ESERVFAIL`; null if the error has none. */
export const dnsErrorCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null

export type RecordLookup = {
  /**
   * Never fails. A name has one answer for each type.
   * @param asker lookups that wait are done in turns, one for each asker.
   */
  ask(host: string, type: LookupType, asker?: string): Promise<RecordAnswer>
}

export type RecordLookupOptions = Pick<ResolverOptions, 'dnsServers'> &
  Partial<Pick<ResolverOptions, 'timeoutMs' | 'tries' | 'timeMsMax'>> & {
    lookupsMax?: number
    waitingMax?: number
  }

const TIMEOUT_MS = 2_000
const TRIES = 2
const TIME_MS_MAX = 10_000

/** Each has a socket and a resolver object of its own while it lasts. */
const LOOKUPS_MAX = 256

/** More than a check of a thousand domains asks. */
const WAITING_MAX = 10_000

/** No honest name has so many records. Those beyond are not looked at. */
export const VALUES_MAX = 500

/** Twice the longest key in use. What is longer is cut, and so is not what anyone wants. */
export const VALUE_LENGTH_MAX = 8_192

export function createRecordLookup({
  dnsServers,
  timeoutMs = TIMEOUT_MS,
  tries = TRIES,
  timeMsMax = TIME_MS_MAX,
  lookupsMax = LOOKUPS_MAX,
  waitingMax = WAITING_MAX,
}: RecordLookupOptions): RecordLookup {
  const waiting = createFairQueue<() => void>({ itemsMax: waitingMax })
  let running = 0

  /** Null if too many wait already. */
  function takeTurn(asker: string): Promise<void> | null {
    if (running < lookupsMax) {
      running += 1
      return Promise.resolve()
    }
    const turn = Promise.withResolvers<void>()
    return waiting.add(asker, turn.resolve) ? turn.promise : null
  }

  function endTurn(): void {
    const next = waiting.take()
    if (next === undefined) running -= 1
    else next()
  }

  return {
    async ask(host, type, asker = '') {
      const turn = takeTurn(asker)
      if (turn === null) return { kind: 'unanswered', reason: 'too many other lookups were waiting' }
      await turn
      try {
        return await lookUp({ host, type }, { dnsServers, timeoutMs, tries, timeMsMax })
      } finally {
        endTurn()
      }
    },
  }
}

type Question = { host: string; type: LookupType }

async function lookUp(question: Question, options: ResolverOptions): Promise<RecordAnswer> {
  try {
    return await withResolver(options, (resolver) => find(resolver, question))
  } catch (error) {
    return { kind: 'unanswered', reason: dnsErrorReason(error) }
  }
}

async function find(resolver: Resolver, question: Question): Promise<RecordAnswer> {
  try {
    const found = await askServers(resolver, (each) => VALUES[question.type](each, question.host))
    const values = found.map((value) => value.slice(0, VALUE_LENGTH_MAX))
    return values.length > 0 ? { kind: 'records', values } : await absence(resolver, question)
  } catch (error) {
    if (!isAbsence(error)) throw error
    return absence(resolver, question)
  }
}

const VALUES: Record<Question['type'], (resolver: Resolver, host: string) => Promise<string[]>> = {
  TXT: async (resolver, host) => (await resolver.resolveTxt(host)).slice(0, VALUES_MAX).map((strings) => decodeText(strings.join(''))),
  async MX(resolver, host) {
    const records = (await resolver.resolveMx(host)).slice(0, VALUES_MAX)
    return records.sort((one, other) => one.priority - other.priority).map(({ priority, exchange }) => `${priority} ${plainName(exchange)}`)
  },
  A: async (resolver, host) => (await resolver.resolve4(host)).slice(0, VALUES_MAX),
  AAAA: async (resolver, host) => (await resolver.resolve6(host)).slice(0, VALUES_MAX),
  PTR: async (resolver, host) => (await resolver.resolvePtr(host)).slice(0, VALUES_MAX).map(plainName),
  NS: async (resolver, host) => (await resolver.resolveNs(host)).slice(0, VALUES_MAX).map(plainName),
  CNAME: async (resolver, host) => (await resolver.resolveCname(host)).slice(0, VALUES_MAX).map(plainName),
  CAA: async (resolver, host) => (await resolver.resolveCaa(host)).slice(0, VALUES_MAX).flatMap(propertyOf),
}

/** Tells of an alias that leads nowhere, such as that of a wildcard, because it is what the owner will find at the name. */
async function absence(resolver: Resolver, { host, type }: Question): Promise<RecordAnswer> {
  if (type !== 'TXT' && type !== 'MX') return { kind: 'absent' }
  const [alias] = await resolver.resolveCname(host).catch(() => [])
  return alias === undefined ? { kind: 'absent' } : { kind: 'absent', alias: plainName(alias) }
}

/** Node reads the octets of a text as one character each. */
const decodeText = (octets: string): string => Buffer.from(octets, 'latin1').toString('utf8')

/** In lower case, without a dot at the end. The root, which a null MX names (RFC 7505), is the dot alone. */
const plainName = (name: string): string => (name === '' ? '.' : name.toLowerCase())

/** One property under its tag, beside what Node adds. */
const propertyOf = ({ critical, ...property }: CaaRecord): string[] =>
  Object.entries(property).flatMap(([tag, value]) => (tag === 'type' ? [] : [`${critical} ${tag} "${value}"`]))

function dnsErrorReason(error: unknown): string {
  const code = dnsErrorCode(error)
  return REASONS[code ?? ''] ?? `the question failed (${code ?? String(error)})`
}

const REASONS: Record<string, string> = {
  ETIMEOUT: 'no answer came in time',
  ECANCELLED: 'no answer came in time',
  ECONNREFUSED: 'no resolver could be reached',
  EBADRESP: 'the answer was malformed',
  ESERVFAIL: 'the resolver failed (SERVFAIL)',
  EREFUSED: 'the resolver refused the question (REFUSED)',
}
