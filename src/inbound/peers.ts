// How much each peer and its network have done lately, and what they may not do for a while.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../lib/clock.ts'
import { createExpiringCache } from '../lib/expiring-cache.ts'
import { networkOf, peerOf } from '../lib/inbound/peer-addresses.ts'
import { createWindowCounts } from '../lib/limits/window-counts.ts'
import type { InboundLimits } from './limits.ts'
import type { RefusalReason } from './replies.ts'

export type Peers = ReturnType<typeof createPeers>

/** A role is an address that everyone knows, such as the postmaster. */
export type RecipientKind = 'role' | 'return path' | 'receiving'

const MESSAGES_MAX = {
  role: 'roleMessagesPerPeerPerMinute',
  'return path': 'returnPathMessagesPerPeerPerMinute',
  receiving: 'receivedMessagesPerPeerPerMinute',
} as const satisfies Record<RecipientKind, keyof InboundLimits>

const MINUTE_MS = 60_000
const EVERYONE = '*'

/** @param limits those of one peer; a network may do as much as some peers. */
export function createPeers(limits: InboundLimits, clock: Clock) {
  const network = createLevel('network', limits.peersPerNetwork, clock)
  const levels = [createLevel('peer', 1, clock), network]
  const bytesInAll = createWindowCounts({ keysMax: 1, clock })

  const bytesLeft = (): number => limits.bytesPerMinute - bytesInAll.read(EVERYONE, MINUTE_MS).current

  /** What a peer may bring in a minute: less, the less is left for all. */
  const bytesMax = (): number => Math.min(limits.bytesPerPeerPerMinute, bytesLeft() * limits.shareOfBytesLeft)

  return {
    /** Null if another connection from this address is welcome; then it counts until `leave`. */
    enter(address: string): RefusalReason | null {
      const keyed = levels.map((level) => ({ level, key: level.keyOf(address) }))
      for (const { level, key } of keyed)
        if ((level.open.get(key) ?? 0) >= limits.connectionsPerPeerMax * level.peers) return `${level.name} connections`
      const problem = this.problemOf(address)
      if (problem === null) for (const { level, key } of keyed) level.open.set(key, (level.open.get(key) ?? 0) + 1)
      return problem
    },

    /** The connections of the network of this address. */
    openInNetwork: (address: string): number => network.open.get(network.keyOf(address)) ?? 0,

    leave(address: string): void {
      for (const { open, keyOf } of levels) {
        const key = keyOf(address)
        const count = (open.get(key) ?? 0) - 1
        if (count > 0) open.set(key, count)
        else open.delete(key)
      }
    },

    countCommand(address: string): void {
      for (const { commands, keyOf } of levels) commands.add(keyOf(address), MINUTE_MS)
    },

    countError(address: string): void {
      for (const { errors, keyOf } of levels) errors.add(keyOf(address), MINUTE_MS)
    },

    /** This address has brought a message for a return path, which strangers cannot name. */
    trust(address: string): void {
      for (const { trusted, keyOf } of levels) trusted.set(keyOf(address), true, limits.goodStandingMs)
    },

    /** Counts bytes as they arrive. False: they are more than this address may bring, and have to be thrown away. */
    takeBytes(address: string, count: number): boolean {
      const max = bytesMax()
      const used = levels.map(({ bytes, keyOf, peers }) => bytes.add(keyOf(address), MINUTE_MS, count).current / peers)
      const isTaken = used.every((ofOnePeer) => ofOnePeer <= max)
      // What is thrown away uses up only the share of the one who sends it.
      if (isTaken) bytesInAll.add(EVERYONE, MINUTE_MS, count)
      return isTaken
    },

    /** Counts a recipient. False: this address may bring no more messages of this kind for now. */
    takeRecipient(address: string, kind: RecipientKind): boolean {
      const max = limits[MESSAGES_MAX[kind]]
      // The peer first, so that what it is refused uses up nothing of its network.
      return levels.every(({ recipients, keyOf, peers }) => recipients[kind].add(keyOf(address), MINUTE_MS).current <= max * peers)
    },

    /** Why this address may do nothing more for now; null if it may. */
    problemOf(address: string): RefusalReason | null {
      const max = bytesMax()
      for (const { name, keyOf, peers, errors, trusted, commands, bytes } of levels) {
        const key = keyOf(address)
        const hasManyErrors = errors.read(key, MINUTE_MS).current >= limits.errorsPerPeerPerMinute * peers
        if (hasManyErrors && !trusted.get(key)) return `${name} errors`
        if (commands.read(key, MINUTE_MS).current > limits.commandsPerPeerPerMinute * peers) return `${name} commands`
        const used = bytes.read(key, MINUTE_MS).current / peers
        if (used >= max) return used >= limits.bytesPerPeerPerMinute ? `${name} bytes` : 'bytes'
      }
      return null
    },
  }
}

/**
 * Addresses, and networks, that are counted at once. The least recently seen are forgotten: someone with more networks than that is held by what
 * is counted for all together, the connections and the bytes.
 */
const COUNTED_MAX = 10_000

function createLevel<Name extends 'peer' | 'network'>(name: Name, peers: number, clock: Clock) {
  // Reading an address takes longer than all the counting for a command.
  const keys = new LRUCache<string, string>({ max: COUNTED_MAX, memoMethod: name === 'peer' ? peerOf : networkOf })
  const counts = () => createWindowCounts({ keysMax: COUNTED_MAX, clock })
  return {
    name,
    /** The number of peers that may do as much. */
    peers,
    keyOf: (address: string) => keys.memo(address),
    open: new Map<string, number>(),
    commands: counts(),
    errors: counts(),
    trusted: createExpiringCache<true>({ entriesMax: COUNTED_MAX, clock }),
    bytes: counts(),
    recipients: { role: counts(), 'return path': counts(), receiving: counts() },
  }
}
