// What a peer may do. Anyone on the internet can connect, so everything that costs memory, disk or time has a limit.

const MIB = 1024 * 1024
const MINUTE_MS = 60_000

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
