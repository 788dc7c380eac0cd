// Opens a session with the first MX host that accepts one.

import { createExpiringCache } from '../../../lib/cache.ts'
import { type Clock, DAY_MS } from '../../../lib/clock.ts'
import { isAllowedHost } from '../../outbound-guard.ts'
import { type Place, placesToTry } from './direct-places.ts'
import type { MxHost } from './mx-directory.ts'
import type { SilentHosts } from './silent-hosts.ts'
import { resultWithoutReply, type SmtpResult } from './smtp-outcome.ts'
import {
  type FailedOpening,
  type OpenedSession,
  type OpeningTimeouts,
  openSmtpSession,
  type SmtpTarget,
  type SmtpTimeouts,
} from './smtp-session.ts'

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

export type DirectOpeningTimeouts = {
  /** The time for an address with a next one to go to. */
  hurried: OpeningTimeouts
  /** The time for the last address of an attempt. */
  patient: OpeningTimeouts
  /** The time for all addresses of an attempt. */
  allMs: number
}

/**
 * RFC 5321, section 4.5.3.2.1, asks for 5 minutes for the greeting, which is the patience with the last address. A shorter one would give up servers
 * that are slow and well. With a next address to go to, a minute for each step is enough. What is left of 15 minutes is for the message.
 */
export const DIRECT_OPENING_TIMEOUTS: DirectOpeningTimeouts = {
  hurried: { connectMs: 10_000, replyMs: 60_000, readyMs: 120_000 },
  patient: { connectMs: 30_000, replyMs: 300_000, readyMs: 600_000 },
  allMs: 12 * 60_000,
}

export type DirectConnectorOptions = {
  /** The name in EHLO. */
  helloName: string
  guard: { allowPrivateNetworks: boolean }
  port: number
  timeouts: SmtpTimeouts
  openingTimeouts: DirectOpeningTimeouts
  clock: Clock
  random: () => number
}

export type DirectConnector = {
  /**
   * Tries the hosts and their addresses one after another. What failed in an attempt is tried last in the next one. A failure is that of the address
   * that got furthest.
   */
  open(route: DirectRoute, silentHosts: SilentHosts): Promise<OpenedSession>
  /** Ends what is being opened, and opens nothing more. */
  stop(): void
}

/** An address that was silent is tried last for this time if another took the connection: that one will take the next ones too. */
const AVOIDED_MS = 60_000

/** Longer than the longest wait for the next attempt. After an attempt that failed, the next one begins with other addresses. */
const REMEMBERED_MS = DAY_MS
const REMEMBERED_MAX = 20_000

type Failure = {
  atMs: number
  /** It gave no reply, so it had better not be asked again at once. */
  isWithoutReply: boolean
  /** Waiting for it took long. */
  wasSilent: boolean
  wasHurried: boolean
}

type Limits = { leftMs(): number; isLast: boolean }

export function createDirectConnector(options: DirectConnectorOptions): DirectConnector {
  const { helloName, guard, port, timeouts, openingTimeouts, clock, random } = options
  const failures = createExpiringCache<Failure>({ entriesMax: REMEMBERED_MAX, clock })
  /** Addresses that took a connection. */
  const reached = createExpiringCache<true>({ entriesMax: REMEMBERED_MAX, clock })
  const opening = new Set<AbortController>()
  let isStopped = false

  async function openAt({ host, address }: Place, tls: RouteTls, limits: Limits & { signal: AbortSignal }) {
    const { leftMs, isLast, signal } = limits
    const requirements = { requireTls: tls !== 'opportunistic', verifyCertificate: tls === 'verified' }
    const target: SmtpTarget = { host, address, port, implicitTls: false, ...requirements, credentials: null }
    const inTime = (): OpeningTimeouts => {
      const { connectMs, replyMs, readyMs } = isLast ? openingTimeouts.patient : openingTimeouts.hurried
      const mayTakeMs = Math.max(1, leftMs())
      return { connectMs: Math.min(connectMs, mayTakeMs), replyMs, readyMs: Math.min(readyMs, mayTakeMs) }
    }
    const opened = await openSmtpSession(target, { helloName, timeouts, opening: inTime(), signal })
    if ('session' in opened || !opened.isTlsFailure || signal.aborted) return opened
    if (tls !== 'opportunistic') return { ...opened, failure: withoutTls(host, tls, opened.failure) }
    if (leftMs() <= 0) return opened
    // Broken encryption is no reason to delay mail: without encryption anyone could read it too.
    return openSmtpSession({ ...target, inTheClear: true }, { helloName, timeouts, opening: inTime(), signal })
  }

  /** Null if the host is known to be silent, and too many connections wait for such hosts. */
  async function openUnlessSilent(
    place: Place,
    tls: RouteTls,
    {
      silentHosts,
      isKnownSilent,
      wasReached,
      ...limits
    }: Limits & { silentHosts: SilentHosts; isKnownSilent: boolean; wasReached: boolean },
  ): Promise<{ opened: OpenedSession; wasSilent: boolean } | null> {
    const ending = new AbortController()
    const wait = silentHosts.begin({ isKnownSilent, wasReached, onTooMany: () => ending.abort() })
    if (wait === null) return null
    opening.add(ending)
    const opened = await openAt(place, tls, { ...limits, signal: ending.signal })
    opening.delete(ending)
    const wasSilent = wait.end()
    // What the opening came to says nothing then.
    return { opened: ending.signal.aborted ? { failure: TOO_MANY_SILENT } : opened, wasSilent }
  }

  return {
    async open(route, silentHosts) {
      const startedMs = clock.monotonicMs()
      const leftMs = () => openingTimeouts.allMs - (clock.monotonicMs() - startedMs)
      const keyOf = ({ address }: Place) => `${route.tls} ${address}`
      const failureOf = (place: Place) => failures.get(keyOf(place)) ?? null
      /** Public addresses only. The connection is made to the address that is checked here. */
      const isAllowed = ({ address }: Place) => isAllowedHost(address, guard)
      const wasReached = (place: Place) => reached.get(keyOf(place)) === true
      const places = placesToTry(route.hosts, { random, isAllowed, failureOf, wasReached })
      const failed: { place: Place; failure: Failure }[] = []
      let worst: FailedOpening = { failure: places.length === 0 ? nowhereToGo(route) : TOO_MANY_SILENT }
      for (const [index, place] of places.entries()) {
        if (isStopped) return { failure: STOPPED }
        if (leftMs() <= 0) break
        const isLast = index === places.length - 1
        const isKnownSilent = failureOf(place)?.wasSilent ?? false
        const tried = await openUnlessSilent(place, route.tls, {
          silentHosts,
          isKnownSilent,
          wasReached: wasReached(place),
          leftMs,
          isLast,
        })
        if (tried === null) continue
        const { opened, wasSilent } = tried
        if ('session' in opened) {
          reached.set(keyOf(place), true, REMEMBERED_MS)
          noteReached(place.address)
          return opened
        }
        const isWithoutReply = opened.failure.code === null && !opened.isTlsFailure
        failed.push({ place, failure: { atMs: clock.monotonicMs(), isWithoutReply, wasSilent, wasHurried: !isLast } })
        // The first failure is kept if it got as far as the others.
        if (worst.host === undefined || reach(opened) > reach(worst)) worst = { ...opened, host: place.host }
      }
      for (const { place, failure } of failed) failures.set(keyOf(place), failure, REMEMBERED_MS)
      return isStopped ? { failure: STOPPED } : worst

      /** The others are tried in their order again, but for a while not if they gave no reply. */
      function noteReached(address: string): void {
        for (const { place, failure } of failed) failures.set(keyOf(place), failure, AVOIDED_MS)
        for (const host of route.hosts) {
          for (const each of host.addresses) {
            const place = { host: host.name, address: each }
            const failure = failureOf(place)
            if (failure === null) continue
            const isAvoided = each !== address && failure.isWithoutReply
            failures.set(keyOf(place), failure, isAvoided ? AVOIDED_MS - (clock.monotonicMs() - failure.atMs) : 0)
          }
        }
      }
    },

    stop() {
      isStopped = true
      for (const ending of opening) ending.abort()
    },
  }
}

/** A reply of the server tells more than its silence, and silence tells more than a refused connection. */
const reach = ({ failure }: FailedOpening): number => (failure.code !== null ? 2 : failure.stage === 'connect' ? 0 : 1)

const STOPPED = resultWithoutReply('abandoned', 'connect', 'The service is stopping')

/** Our own shortage: congestion (RFC 3463, X.4.5). */
const TOO_MANY_SILENT: SmtpResult = {
  ...resultWithoutReply('delayed', 'connect', 'The mail server was silent, and too many connections wait for silent servers already'),
  enhancedCode: '4.4.5',
}

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
