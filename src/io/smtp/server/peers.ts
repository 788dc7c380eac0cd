// How much each peer and its network have done lately, and what they may not do for a while.
import { LRUCache } from 'lru-cache'
import { createExpiringCache } from '../../../lib/cache.ts'
import { type Clock, MINUTE_MS } from '../../../lib/clock.ts'
import { createKeyCounts, createWindowCounts } from '../../../lib/limits/counts.ts'
import { networkOf, peerOf } from '../../../lib/peer-addresses.ts'
import type { RefusalReason } from './replies.ts'

// What a peer may do. Anyone on the internet can connect, so everything that costs memory, disk or time has a limit.

const MIB = 1024 * 1024

export type InboundLimits = typeof INBOUND_LIMITS

export const INBOUND_LIMITS = {
  /** The limit for all peers. Each connection costs up to some hundred kilobytes. */
  connectionsMax: 500,
  /** A large provider has many addresses; one address has no use for more. For IPv6, the /64 counts. */
  connectionsPerPeerMax: 25,
  /**
   * A network (a /24 of IPv4, a /48 of IPv6) may have and do as much as this number of peers, so that someone with many addresses has a share,
   * not everything.
   */
  peersPerNetwork: 4,
  /** When all connections are in use, one that has done nothing useful for this long makes room: no message was stored, no recipient accepted. */
  uselessMsWhenFull: 10_000,
  /** When all connections are in use, a message that arrives more slowly than this makes room too. */
  messageBytesPerSecondMinWhenFull: 1_024,
  /** A sender needs about six for its first message. More of them (NOOP, RSET, EHLO) only hold a connection. */
  commandsWithoutMessageMax: 30,
  /** Peers share the connections fairly if none keeps one for good. */
  messagesPerConnectionMax: 1_000,
  /** RFC 5321, section 4.5.3.1.8, asks for at least as many. */
  recipientsMax: 100,
  /** What came back is a few KB, because servers return the beginning of a message or less. Only the first 4 MB are ever read. */
  messageBytesMax: 10 * MIB,
  /** A message for a team may be as large as an email that is sent. */
  receivedBytesMax: 40 * MIB,
  /** RFC 5321, section 4.5.3.1.4, allows 512; extensions add to that. */
  commandBytesMax: 2_048,
  /** Room for 100 messages a second from one address. */
  commandsPerPeerPerMinute: 30_000,
  /** A message counts for each of its recipients. Room for more than 150 bounces a second from one address. */
  returnPathMessagesPerPeerPerMinute: 10_000,
  /** To fbl@, postmaster@ and abuse@, which anyone can name, whereas a return path is known to those who got the mail. */
  roleMessagesPerPeerPerMinute: 300,
  /** To addresses of teams, which anyone can guess. Room for a busy provider. */
  receivedMessagesPerPeerPerMinute: 6_000,
  /** Each team gets a copy of the message of its own. */
  teamsPerMessageMax: 10,
  /** The limit for all peers together. A mail comes back once or twice. */
  messagesPerReturnPathPerMinute: 10,
  /** Anyone who guesses return paths or looks for an open relay finds nothing here. */
  errorsPerConnectionMax: 20,
  errorsPerPeerPerMinute: 300,
  /**
   * The errors of a minute do not count against an address, or a network, that brought a message for a return path within this time: strangers can
   * make a large provider cause them. Those of a connection do.
   */
  goodStandingMs: 24 * 60 * MINUTE_MS,
  /** What is received in a minute must not fill a disk before someone notices. */
  bytesPerPeerPerMinute: 256 * MIB,
  bytesPerMinute: 2_048 * MIB,
  /** A peer may bring this part of what is left of `bytesPerMinute`. So the busy share it fairly, and something is always left for a newcomer. */
  shareOfBytesLeft: 1 / 8,
  /** What waits to be read, for some minutes of reading. A network may take up as much of it as is left. */
  waitingMessagesMax: 100_000,
  waitingBytesMax: 1_024 * MIB,
  /** Four times what new emails need, so that strangers cannot use up the disk on which they are accepted. */
  freeBytesMin: 1_024 * MIB,
  /** RFC 5321, section 4.5.3.2.7. */
  silenceMsMax: 5 * MINUTE_MS,
  /** For a whole command, however slowly its bytes arrive. */
  commandMsMax: 5 * MINUTE_MS,
  /** For a whole message, from DATA to our reply. A sender at 600 kbit/s needs all of it for the largest. */
  messageMsMax: 10 * MINUTE_MS,
  /** A connection does not outlive this, unless a message is arriving. */
  sessionMsMax: 60 * MINUTE_MS,
  /** A proxy sends its header at once, and a client begins TLS. Connections that wait for it do not count among the others. */
  awaitingMax: 100,
  tlsMsMax: 10_000,
  proxyHeaderMsMax: 3_000,
  /** How often the times are looked at. */
  checkEveryMs: 1_000,
  /** When the service stops, messages that are arriving have this time. */
  lastMessagesMs: 5_000,
}

export type Peers = ReturnType<typeof createPeers>

/** A role is an address that everyone knows, such as the postmaster. */
export type RecipientKind = 'role' | 'return path' | 'receiving'

const MESSAGES_MAX = {
  role: 'roleMessagesPerPeerPerMinute',
  'return path': 'returnPathMessagesPerPeerPerMinute',
  receiving: 'receivedMessagesPerPeerPerMinute',
} as const satisfies Record<RecipientKind, keyof InboundLimits>

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
        if (level.open.of(key) >= limits.connectionsPerPeerMax * level.peers) return `${level.name} connections`
      const problem = this.checkPeer(address)
      if (problem === null) for (const { level, key } of keyed) level.open.add(key)
      return problem
    },

    /** The connections of the network of this address. */
    openInNetwork: (address: string): number => network.open.of(network.keyOf(address)),

    leave(address: string): void {
      for (const { open, keyOf } of levels) open.takeAway(keyOf(address))
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
    checkPeer(address: string): RefusalReason | null {
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
    open: createKeyCounts(),
    commands: counts(),
    errors: counts(),
    trusted: createExpiringCache<true>({ entriesMax: COUNTED_MAX, clock }),
    bytes: counts(),
    recipients: { role: counts(), 'return path': counts(), receiving: counts() },
  }
}
