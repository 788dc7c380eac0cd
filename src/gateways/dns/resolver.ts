import { getServers, Resolver } from 'node:dns/promises'

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
export const serversOf = (dnsServers: readonly string[]): readonly string[] => (dnsServers.length > 0 ? dnsServers : getServers())

/** Node asks the next server when one is silent, but takes a failure of the first for the answer. */
export async function askServers<Answer>(resolver: Resolver, ask: (resolver: Resolver) => Promise<Answer>): Promise<Answer> {
  const servers = resolver.getServers()
  for (let at = 1; ; at += 1) {
    try {
      return await ask(resolver)
    } catch (error) {
      if (at >= servers.length || !SERVER_FAILURES.includes(codeOf(error) ?? '')) throw error
      resolver.setServers([...servers.slice(at), ...servers.slice(0, at)])
    }
  }
}

const SERVER_FAILURES: readonly string[] = ['ESERVFAIL', 'EREFUSED', 'ENOTIMP', 'EFORMERR']

/** The DNS answered that the name, or a record of this type at the name, does not exist. */
export function isAbsence(error: unknown): error is Error {
  const code = codeOf(error)
  return code === 'ENOTFOUND' || code === 'ENODATA'
}

/** A code such as `ESERVFAIL`; null if the error has none. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
