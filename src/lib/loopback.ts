import ipaddr from 'ipaddr.js'

/** Whether a host of a URL, a `Host` header or a socket is this machine and nothing else. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback'
}

/** Names below `localhost` are not meant: some systems ask a resolver for them, whose answer can be forged. */
export const isThisMachine = (host: string): boolean => isLoopback(host) && !host.toLowerCase().endsWith('.localhost')
