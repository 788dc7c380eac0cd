// Opens a session with the first MX host that takes one.
import type { Clock } from '../../lib/clock.ts'
import { createExpiringCache } from '../../lib/expiring-cache.ts'
import { isAllowedHost } from '../outbound-guard.ts'
import type { MxHost } from './mx-directory.ts'
import { resultWithoutReply, type SmtpResult } from './smtp-outcome.ts'
import { type FailedOpening, type OpenedSession, openSmtpSession, type SmtpTarget, type SmtpTimeouts } from './smtp-session.ts'

/** Where mail goes and what the connection must be like. */
export type DirectRoute = {
  /** By preference, at least one. */
  hosts: readonly MxHost[]
  /** Only over TLS with a certificate that is valid for the host. Otherwise TLS is used where it works, whoever's certificate it is (RFC 7435). */
  requireTls: boolean
}

export type DirectConnectorOptions = {
  /** The name in EHLO. */
  helloName: string
  guard: { allowPrivateNetworks: boolean }
  port: number
  timeouts: SmtpTimeouts
  clock: Clock
  random: () => number
}

export type DirectConnector = {
  /** Host after host and address after address. `isStopped` is asked before each. A failure is that of the address that said most. */
  open(route: DirectRoute, isStopped: () => boolean): Promise<OpenedSession>
}

/** Each may take its whole time; the rest is for the next attempt. */
const ADDRESSES_TRIED_MAX = 5

/** No further address is begun with after so long: whoever waits is better off with the next attempt. */
const OPENING_MS_MAX = 60_000

/** An address where nobody spoke is tried last for so long. */
const AVOIDED_MS = 60_000
const AVOIDED_MAX = 10_000

type Place = { host: string; address: string }

export function createDirectConnector({ helloName, guard, port, timeouts, clock, random }: DirectConnectorOptions): DirectConnector {
  const avoided = createExpiringCache<true>({ entriesMax: AVOIDED_MAX, clock })

  /** Public addresses only: the connection is made to the very address that is checked here. */
  function placesOf(route: DirectRoute): Place[] {
    const places = inOrder(route.hosts, random).filter(({ address }) => isAllowedHost(address, guard))
    const isAvoided = ({ address }: Place) => avoided.get(address) === true
    return [...places.filter((place) => !isAvoided(place)), ...places.filter(isAvoided)].slice(0, ADDRESSES_TRIED_MAX)
  }

  async function openAt({ host, address }: Place, requireTls: boolean): Promise<OpenedSession> {
    const target: SmtpTarget = { host, address, port, implicitTls: false, requireTls, verifyCertificate: requireTls, credentials: null }
    const opened = await openSmtpSession(target, { helloName, timeouts })
    if ('session' in opened || !opened.isTlsFailure) return opened
    if (requireTls) return { ...opened, failure: withoutTls(host, opened.failure) }
    // Encryption that does not work is no reason to keep the mail: without it anybody could read it as well.
    return openSmtpSession({ ...target, inTheClear: true }, { helloName, timeouts })
  }

  return {
    async open(route, isStopped) {
      const startedMs = clock.monotonicMs()
      const places = placesOf(route)
      let failed: FailedOpening = { failure: nowhereToGo(route) }
      for (const place of places) {
        if (isStopped()) return { failure: STOPPED }
        const opened = await openAt(place, route.requireTls)
        if ('session' in opened) return opened
        if (opened.failure.code === null && !opened.isTlsFailure) avoided.set(place.address, true, AVOIDED_MS)
        // The first is kept when it said as much as the others.
        if (failed.host === undefined || reach(opened) > reach(failed)) failed = { ...opened, host: place.host }
        if (clock.monotonicMs() - startedMs >= OPENING_MS_MAX) break
      }
      return failed
    },
  }
}

/** What a server said tells more than that it was silent, and that more than that nobody was there. */
const reach = ({ failure }: FailedOpening): number => (failure.code !== null ? 2 : failure.stage === 'connect' ? 0 : 1)

const STOPPED = resultWithoutReply('abandoned', 'connect', 'The service is stopping')

/** RFC 3463: 4.7.4, a security feature that is not supported; 4.7.5, a cryptographic failure. Not final: certificates are renewed. */
const withoutTls = (host: string, failure: SmtpResult): SmtpResult => ({
  ...failure,
  kind: 'delayed',
  enhancedCode: failure.code === null ? '4.7.5' : '4.7.4',
  text: `TLS with a valid certificate is required, but could not be had from ${host}: ${failure.text}`,
})

/** Bounced: whoever lets mail for a domain go to private addresses does not want it. */
const nowhereToGo = ({ hosts }: DirectRoute): SmtpResult => ({
  ...resultWithoutReply('bounced', 'connect', `No mail server has a public address: ${hosts.map(({ name }) => name).join(', ')}`),
  enhancedCode: '5.4.4',
})

/** By preference; hosts of equal preference, and the addresses of a host, in random order (RFC 5321, section 5.1). IPv4 first: servers ask more of an IPv6 sender. */
function inOrder(hosts: readonly MxHost[], random: () => number): Place[] {
  const drawn = hosts.map((host) => ({ host, chance: random() }))
  drawn.sort((a, b) => a.host.preference - b.host.preference || a.chance - b.chance)
  return drawn.flatMap(({ host: { name, addresses } }) => {
    const shuffled = addresses.map((address) => ({ address, chance: random() })).sort((a, b) => a.chance - b.chance)
    const ofFamily = (isIpv6: boolean) => shuffled.filter(({ address }) => address.includes(':') === isIpv6)
    return [...ofFamily(false), ...ofFamily(true)].map(({ address }) => ({ host: name, address }))
  })
}
