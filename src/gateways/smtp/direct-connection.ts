// Opens a session with the first MX host that accepts one.
import type { Clock } from '../../lib/clock.ts'
import { createExpiringCache } from '../../lib/expiring-cache.ts'
import { isAllowedHost } from '../outbound-guard.ts'
import type { MxHost } from './mx-directory.ts'
import { resultWithoutReply, type SmtpResult } from './smtp-outcome.ts'
import { type FailedOpening, type OpenedSession, openSmtpSession, type SmtpTarget, type SmtpTimeouts } from './smtp-session.ts'

/** Where mail is sent, and the requirements for the connection. */
export type DirectRoute = {
  /** In the order of preference, at least one. */
  hosts: readonly MxHost[]
  tls: RouteTls
}

/**
 * opportunistic: TLS where it works, whatever the certificate (RFC 7435). required: the same, but nothing without TLS. verified: TLS with a
 * certificate that is valid for the host.
 */
export type RouteTls = 'opportunistic' | 'required' | 'verified'

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
  /**
   * Tries the hosts and their addresses one after another. `isStopped` is called before each. A failure is that of the address that got furthest.
   */
  open(route: DirectRoute, isStopped: () => boolean): Promise<OpenedSession>
}

/** Each may take its whole time. The others wait for the next attempt. */
const ADDRESSES_TRIED_MAX = 5

/** After this time no further address is tried. The next attempt is better for the message. */
const OPENING_MS_MAX = 60_000

/** An address that did not answer is tried last for this time. */
const AVOIDED_MS = 60_000
const AVOIDED_MAX = 10_000

type Place = { host: string; address: string }

export function createDirectConnector({ helloName, guard, port, timeouts, clock, random }: DirectConnectorOptions): DirectConnector {
  const avoided = createExpiringCache<true>({ entriesMax: AVOIDED_MAX, clock })

  /** Public addresses only. The connection is made to the address that is checked here. */
  function placesOf(route: DirectRoute): Place[] {
    const places = inOrder(route.hosts, random).filter(({ address }) => isAllowedHost(address, guard))
    const isAvoided = ({ address }: Place) => avoided.get(address) === true
    return [...places.filter((place) => !isAvoided(place)), ...places.filter(isAvoided)].slice(0, ADDRESSES_TRIED_MAX)
  }

  async function openAt({ host, address }: Place, tls: RouteTls): Promise<OpenedSession> {
    const requirements = { requireTls: tls !== 'opportunistic', verifyCertificate: tls === 'verified' }
    const target: SmtpTarget = { host, address, port, implicitTls: false, ...requirements, credentials: null }
    const opened = await openSmtpSession(target, { helloName, timeouts })
    if ('session' in opened || !opened.isTlsFailure) return opened
    if (tls !== 'opportunistic') return { ...opened, failure: withoutTls(host, tls, opened.failure) }
    // Broken encryption is no reason to delay mail: without encryption anyone could read it too.
    return openSmtpSession({ ...target, inTheClear: true }, { helloName, timeouts })
  }

  return {
    async open(route, isStopped) {
      const startedMs = clock.monotonicMs()
      const places = placesOf(route)
      let failed: FailedOpening = { failure: nowhereToGo(route) }
      for (const place of places) {
        if (isStopped()) return { failure: STOPPED }
        const opened = await openAt(place, route.tls)
        if ('session' in opened) return opened
        if (opened.failure.code === null && !opened.isTlsFailure) avoided.set(place.address, true, AVOIDED_MS)
        // The first failure is kept if it got as far as the others.
        if (failed.host === undefined || reach(opened) > reach(failed)) failed = { ...opened, host: place.host }
        if (clock.monotonicMs() - startedMs >= OPENING_MS_MAX) break
      }
      return failed
    },
  }
}

/** A reply of the server tells more than its silence, and silence tells more than a refused connection. */
const reach = ({ failure }: FailedOpening): number => (failure.code !== null ? 2 : failure.stage === 'connect' ? 0 : 1)

const STOPPED = resultWithoutReply('abandoned', 'connect', 'The service is stopping')

/**
 * RFC 3463: 4.7.4, a security feature that is not supported; 4.7.5, a cryptographic failure. Not final: certificates are renewed. Without the code,
 * because it is the reply to STARTTLS, and says nothing about the message or the pace.
 */
const withoutTls = (host: string, tls: Exclude<RouteTls, 'opportunistic'>, failure: SmtpResult): SmtpResult => ({
  ...failure,
  kind: 'delayed',
  code: null,
  enhancedCode: failure.code === null ? '4.7.5' : '4.7.4',
  text: `${REQUIREMENTS[tls]}, but could not be established with ${host}: ${failure.text}`,
})

const REQUIREMENTS = {
  required: 'TLS is required by the domain of the sender',
  verified: 'TLS with a valid certificate is required',
}

/** Bounced, because a domain whose MX hosts have only private addresses cannot be reached. */
const nowhereToGo = ({ hosts }: DirectRoute): SmtpResult => ({
  ...resultWithoutReply('bounced', 'connect', `No mail server has a public address: ${hosts.map(({ name }) => name).join(', ')}`),
  enhancedCode: '5.4.4',
})

/**
 * Orders the places by preference. Hosts of equal preference, and the addresses of a host, are in random order (RFC 5321, section 5.1). IPv4 comes
 * first, because servers demand more of an IPv6 sender.
 */
function inOrder(hosts: readonly MxHost[], random: () => number): Place[] {
  const drawn = hosts.map((host) => ({ host, chance: random() }))
  drawn.sort((a, b) => a.host.preference - b.host.preference || a.chance - b.chance)
  return drawn.flatMap(({ host: { name, addresses } }) => {
    const shuffled = addresses.map((address) => ({ address, chance: random() })).sort((a, b) => a.chance - b.chance)
    const ofFamily = (isIpv6: boolean) => shuffled.filter(({ address }) => address.includes(':') === isIpv6)
    return [...ofFamily(false), ...ofFamily(true)].map(({ address }) => ({ host: name, address }))
  })
}
