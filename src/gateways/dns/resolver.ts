import { Resolver } from 'node:dns/promises'

export type ResolverOptions = {
  /** `ip` or `ip:port` (`[ip]:port` for IPv6). If empty, the system's servers are used. */
  dnsServers: readonly string[]
  /** Of the first try with a server. Later ones take longer. */
  timeoutMs: number
  /** With each server. */
  tries: number
}

export function createResolver({ dnsServers, timeoutMs, tries }: ResolverOptions): Resolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (dnsServers.length > 0) resolver.setServers(dnsServers)
  return resolver
}

/** The DNS answered that the name, or a record of this type at the name, does not exist. */
export function isAbsence(error: unknown): error is Error {
  const code = codeOf(error)
  return code === 'ENOTFOUND' || code === 'ENODATA'
}

/** Such as `ESERVFAIL`; null if it has none. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
