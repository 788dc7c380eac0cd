import ipaddr from 'ipaddr.js'

/** Whether the host of a URL, a `Host` header or a socket is certainly this machine. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback'
}

/** Names below `localhost` do not count. Some systems ask a resolver for them, whose answer can be forged. */
export const isThisMachine = (host: string): boolean => isLoopback(host) && !host.toLowerCase().endsWith('.localhost')
