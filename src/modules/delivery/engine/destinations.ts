// How much may be in progress, in all and to each destination, and how mail gets there.
import { LRUCache } from 'lru-cache'
import type { Lease } from '../../../db/leases/lease.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { MxDirectory, MxSet } from '../../../io/smtp/client/mx-directory.ts'
import type { SmtpOutcome } from '../../../io/smtp/client/smtp-outcome.ts'
import { simulatedOutcome } from '../../../mail/simulator.ts'
import { RELAY_DESTINATION } from '../../emails/new-delivery.ts'
import type { DeliveryContext } from '../delivery.context.ts'
import type { LaneRoom } from '../lanes.ts'
import { toPaceSignal } from '../pace/destination-pace.ts'
import { createPaceCache, type PaceCache } from '../pace/pace-store.ts'
import type { ClaimedDelivery } from '../queue/deliveries.repository.ts'
import type { RecentWork } from '../recent-work.ts'
import type { OutgoingMessage } from './outgoing-message.ts'
import type { Outcome } from './settlements.ts'

type Context = PlatformContext & DeliveryContext

// Where the mail of a domain is sent, known without waiting. An unknown domain is looked up in the background, and its lane waits meanwhile.

/** Lookups in progress at once. Other domains are looked up in the next rounds. */
const LOOKUPS_MAX = 100
const DOMAINS_MAX = 10_000
/** The directory keeps its answers by TTL. Here they are only remembered for the choice of lanes. */
const REMEMBERED_MS = 30_000

/** No hosts: every attempt has its outcome without a connection. */
export type Nowhere = { isNowhere: true }

export type MxRoutes = {
  /** Null while the domain is looked up. */
  known(domain: string): MxSet | Nowhere | null
}

export function createMxRoutes(directory: MxDirectory, onKnown: () => void): MxRoutes {
  const routes = new LRUCache<string, MxSet | Nowhere>({ max: DOMAINS_MAX, ttl: REMEMBERED_MS, allowStale: true, noDeleteOnStaleGet: true })
  const running = new Set<string>()

  async function lookUp(domain: string): Promise<void> {
    running.add(domain)
    const found = await directory.lookUp(domain)
    routes.set(domain, 'set' in found ? found.set : { isNowhere: true })
    running.delete(domain)
    onKnown()
  }

  return {
    known(domain) {
      const route = routes.get(domain)
      const isFresh = route !== undefined && routes.getRemainingTTL(domain) > 0
      if (!isFresh && !running.has(domain) && running.size < LOOKUPS_MAX) void lookUp(domain)
      return route ?? null
    },
  }
}

/**
 * Deliveries that are claimed and not settled: several times the connections, so that these never wait for the database. With direct delivery some
 * of them wait for slow servers.
 */
const IN_FLIGHT_MAX = { relay: 240, direct: 1_000 }
/** The greatest share for bulk mail. The rest is reserved for transactional mail, which people wait for. */
const BULK_SHARE = 0.8
/**
 * Beside transactional mail, bulk mail for a relay has this many places more than there are connections. With its whole share, single sends took two
 * thirds longer, and bulk mail was a tenth faster at most: it only waited for connections.
 */
const BULK_AHEAD_MAX = 40
/**
 * Fewer while emails of broadcasts are made, which takes processors too. Bulk mail is then claimed when no more of it is in
 * progress than there are connections.
 */
const BULK_AHEAD_MAX_BESIDE_FAN_OUT = 20
/** Bulk mail is claimed when there is room for this many, because smaller batches cost more per message. */
const BULK_CLAIM_MIN = 20

export type Destinations = {
  room(): LaneRoom
  begin(delivery: ClaimedDelivery): void
  end(delivery: ClaimedDelivery): void
  /** Makes one attempt; every result is an outcome. */
  transmit(delivery: ClaimedDelivery, message: OutgoingMessage): Promise<Outcome>
  stop(): Promise<void>
}

type Options = {
  lease: Lease
  urgentMail: RecentWork
  recentFanOut: Pick<RecentWork, 'isRecent'>
  /** Called when a destination without room has room again. */
  onRoom: () => void
}

export function createDestinations(context: Context, { lease, urgentMail, recentFanOut, onRoom }: Options): Destinations {
  const { gateways, config } = context
  const inFlightMax = gateways.direct ? IN_FLIGHT_MAX.direct : IN_FLIGHT_MAX.relay
  const bulkMax = Math.floor(inFlightMax * BULK_SHARE)
  const bulkMaxBesideUrgent = (): number => {
    const ahead = recentFanOut.isRecent() ? BULK_AHEAD_MAX_BESIDE_FAN_OUT : BULK_AHEAD_MAX
    return gateways.relay ? Math.min(bulkMax, config.smtpRelayConnections + ahead) : bulkMax
  }
  const direct = gateways.direct && {
    ...gateways.direct,
    routes: createMxRoutes(gateways.direct.directory, onRoom),
    paces: createPaceCache(context, lease),
  }
  /** The set that each delivery in progress counts for: the one it had when it was claimed. */
  const sets = new Map<string, string>()
  let inFlight = 0
  let bulkInFlight = 0

  return {
    room() {
      const freeForBulk = (urgentMail.isRecent() ? bulkMaxBesideUrgent() : bulkMax) - bulkInFlight
      return {
        free: inFlightMax - inFlight,
        freeForBulk: freeForBulk >= BULK_CLAIM_MIN ? freeForBulk : 0,
        at: (destination) => (direct ? roomAt(direct, destination) : inFlightMax),
      }
    },

    begin({ id, class: kind, address, attemptCount }) {
      inFlight += 1
      if (kind === 'bulk') bulkInFlight += 1
      // A later try is not waited for.
      else if (attemptCount === 0) urgentMail.note()
      const set = direct?.routes.known(domainOf(address))
      if (direct && set && 'hosts' in set) {
        sets.set(id, set.key)
        direct.paces.begin(set.key, direct.limitOf(set).connectionsMax)
      }
    },

    end({ id, class: kind }) {
      inFlight -= 1
      if (kind === 'bulk') bulkInFlight -= 1
      const key = sets.get(id)
      sets.delete(id)
      // The outcome has already been counted for the pace. This only frees the place.
      if (key !== undefined) direct?.paces.end(key)
    },

    async transmit(delivery, { sender, requiresTls, isEightBit, content, inSevenBits }) {
      const envelope = { from: sender, to: delivery.address }
      const transaction = { envelope, message: content, mayContinue: lease.isHeld, requiresTls, isEightBit, inSevenBits }
      if (gateways.relay) return gateways.relay.send({ ...transaction, isUrgent: delivery.class === 'transactional' })
      if (!direct) return CAPTURED
      const domain = domainOf(delivery.address)
      const found = await direct.directory.lookUp(domain)
      if ('failure' in found) return { ...found.failure, host: domain, tls: null, durationMs: 0 }
      const outcome = await direct.delivery.send({ ...transaction, domain, set: found.set })
      direct.paces.learn(found.set.key, toPaceSignal(outcome))
      return { ...outcome, isRefusalByRecipient: isRefusalByRecipient(outcome) }
    },

    async stop() {
      await direct?.paces.stop()
    },
  }

  function roomAt(
    { routes, paces, limitOf }: { routes: MxRoutes; paces: PaceCache; limitOf: (set: MxSet) => { connectionsMax: number } },
    destination: string,
  ): number {
    // Accepted for a relay before mail went direct. Its lane does not say where it is sent, but its addresses do.
    if (destination === RELAY_DESTINATION) return inFlightMax
    // Never sent over the network.
    if (simulatedOutcome(`any@${destination}`, config.simulatorDomains) !== null) return inFlightMax
    const set = routes.known(destination)
    if (!set) return 0
    return 'hosts' in set ? paces.room(set.key, limitOf(set).connectionsMax) : inFlightMax
  }
}

/** A reply to an earlier command is about us: our address, our name, or our connections. */
const isRefusalByRecipient = ({ kind, code, stage }: SmtpOutcome): boolean =>
  kind !== 'delivered' && code !== null && (stage === 'rcpt' || stage === 'data' || stage === 'end')

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

const CAPTURED: Outcome = {
  kind: 'delivered',
  code: null,
  enhancedCode: null,
  text: 'Captured: it was stored and did not leave this machine.',
  host: 'capture',
  tls: null,
  durationMs: 0,
}
