// The parts of mx-connect that are used; it has no types. They turn a domain into MX hosts, and those into addresses.

declare module 'mx-connect/lib/resolve-mx.js' {
  type DnsOptions = {
    /** Fails with the codes of Node's resolver. ENODATA and ENOTFOUND mean that there is no record. */
    resolveRecords: (name: string, type: string) => Promise<unknown[]>
  }

  export type Delivery = {
    /** The name that its messages show. */
    domain: string
    /** The name that is looked up: an A-label name without a dot at the end. */
    decodedDomain: string
    isIp: boolean
    dnsOptions: DnsOptions
    /** Filled in: sorted by priority, with addresses if the domain itself replaces its MX records. */
    mx: { exchange: string; priority: number; A: string[]; AAAA: string[] }[]
  }

  export default function resolveMx(delivery: Delivery): Promise<Delivery>
}

declare module 'mx-connect/lib/resolve-ip.js' {
  import type { Delivery } from 'mx-connect/lib/resolve-mx.js'

  /** Looks up the addresses of all hosts that have none yet. Fails only if no host has any. */
  export default function resolveIp(delivery: Delivery): Promise<Delivery>
}
