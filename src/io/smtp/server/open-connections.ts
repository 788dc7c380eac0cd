// The connections that are open, and which of them have to end.
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { SMTPServerDataStream } from 'smtp-server'
import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import type { Clock } from '../../../lib/clock.ts'
import type { InboundLimits, Peers } from './peers.ts'
import type { RefusalReason } from './replies.ts'

export type OpenConnections = ReturnType<typeof createOpenConnections>

/** One connection of a peer. */
export type Connection = {
  id: string
  socket: Socket
  address: string
  /** Null until the session begins. */
  smtp: SMTPConnection | null
  startedAtMs: number
  /** When it last got a reply. */
  repliedAtMs: number
  /** When it last did what connections are for: a message was stored, or the first recipient of one accepted. */
  progressAtMs: number
  /** True from DATA to our reply. */
  isInMessage: boolean
  /** The content that arrives, until its end. */
  arriving: { content: { byteLength: number }; sinceMs: number } | null
  /** The addresses of the message's recipients, in lower case. */
  recipients: Set<string>
  messages: number
  errors: number
  /** Since the last message, without recipients that were accepted. */
  commandsWithoutMessage: number
  tls: string | null
  /** It was told that it ends. */
  isEnding: boolean
}

/** A connection whose session has begun, and does not end yet. */
export type Session = Connection & { smtp: SMTPConnection }

const START_MESSAGE = 354

export function createOpenConnections({ limits, peers, clock }: { limits: InboundLimits; peers: Peers; clock: Clock }) {
  const openConnections = new Map<string, Connection>()
  let onEmpty = () => {}
  let onAllEnding: (() => void) | null = null

  /** Connections whose session has not begun: the header of the proxy, or TLS, is not there yet. */
  const awaiting = (): number => [...openConnections.values()].filter(({ smtp }) => smtp === null).length

  /** Leaves out sessions that are ending. */
  const sessions = (): Session[] => [...openConnections.values()].filter(isSession)

  /** A message that has arrived is being stored, which is no fault of its sender. */
  function isSlow({ arriving }: Connection, nowMs: number): boolean {
    if (arriving === null) return false
    const elapsedMs = nowMs - arriving.sinceMs
    return (
      elapsedMs >= limits.uselessMsWhenFull && arriving.content.byteLength * 1_000 < limits.messageBytesPerSecondMinWhenFull * elapsedMs
    )
  }

  return {
    size: () => openConnections.size,
    /** Counts the connections whose session has begun. */
    begun: () => openConnections.size - awaiting(),
    awaiting,
    find: (id: string): Connection | undefined => openConnections.get(id),
    /** Null if there is none, or it ends. */
    session(id: string): Session | null {
      const connection = openConnections.get(id)
      return connection && isSession(connection) ? connection : null
    },
    all: (): Connection[] => [...openConnections.values()],
    sessions,

    add(socket: Socket, address: string): Connection {
      const nowMs = clock.monotonicMs()
      const connection: Connection = {
        id: randomUUID(),
        socket,
        address,
        smtp: null,
        startedAtMs: nowMs,
        repliedAtMs: nowMs,
        progressAtMs: nowMs,
        isInMessage: false,
        arriving: null,
        recipients: new Set(),
        messages: 0,
        errors: 0,
        commandsWithoutMessage: 0,
        tls: null,
        isEnding: false,
      }
      openConnections.set(connection.id, connection)
      return connection
    },

    remove(id: string): Connection | undefined {
      const connection = openConnections.get(id)
      openConnections.delete(id)
      if (openConnections.size === 0) onEmpty()
      if (onAllEnding !== null && sessions().length === 0) onAllEnding()
      return connection
    },

    /** Its last reply is on its way. */
    endBegun(connection: Connection): void {
      connection.isEnding = true
      if (onAllEnding !== null && sessions().length === 0) onAllEnding()
    },

    /** Only a recipient that is new is progress: others can be named without end. */
    addRecipient(connection: Connection, address: string): void {
      const key = address.toLowerCase()
      if (!connection.recipients.has(key)) this.progressed(connection, { isFirst: connection.recipients.size === 0 })
      connection.recipients.add(key)
    },

    /** A recipient was accepted. */
    progressed(connection: Connection, { isFirst }: { isFirst: boolean }): void {
      if (isFirst) connection.progressAtMs = clock.monotonicMs()
      connection.commandsWithoutMessage -= 1
    },

    /** The content of a message begins to arrive. */
    follow(connection: Connection, content: SMTPServerDataStream): void {
      connection.arriving = { content, sinceMs: clock.monotonicMs() }
      content.once('end', () => {
        connection.arriving = null
      })
    },

    stored(connection: Connection): void {
      connection.messages += 1
      connection.commandsWithoutMessage = 0
      connection.progressAtMs = clock.monotonicMs()
    },

    /** Resolves once all sessions are ending. */
    allEnding(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (sessions().length === 0) resolve()
      else onAllEnding = resolve
      return promise
    },

    /** Resolves once there are none. */
    allGone(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (openConnections.size === 0) resolve()
      else onEmpty = resolve
      return promise
    },

    /** The one that has been of no use for the longest time, if that is long enough to end it for another. */
    leastUseful(): Session | null {
      const nowMs = clock.monotonicMs()
      return longestUseless(
        sessions().filter((connection) =>
          connection.isInMessage ? isSlow(connection, nowMs) : nowMs - connection.progressAtMs >= limits.uselessMsWhenFull,
        ),
      )
    },

    /**
     * For a newcomer: the least useful one of the network that has the most connections, whatever its age, if that has more than the network of the
     * newcomer. A message that has arrived is stored first.
     */
    leastUsefulOfLargest(newcomer: string): Session | null {
      const candidates = sessions().filter((connection) => !connection.isInMessage || connection.arriving !== null)
      const most = Math.max(0, ...candidates.map(({ address }) => peers.openInNetwork(address)))
      if (most <= peers.openInNetwork(newcomer)) return null
      const ofLargest = candidates.filter(({ address }) => peers.openInNetwork(address) === most)
      const withoutMessage = ofLargest.filter((connection) => !connection.isInMessage)
      return longestUseless(withoutMessage.length > 0 ? withoutMessage : ofLargest)
    },

    /** The connections whose time is over, and why. */
    overdue(): { connection: Session; reason: RefusalReason }[] {
      const nowMs = clock.monotonicMs()
      return sessions().flatMap((connection) => {
        // It waits for us: what is done with a message that has arrived has limits of its own.
        if (connection.isInMessage && connection.arriving === null) return []
        if (nowMs - connection.repliedAtMs > (connection.isInMessage ? limits.messageMsMax : limits.commandMsMax))
          return { connection, reason: 'slow' }
        return !connection.isInMessage && nowMs - connection.startedAtMs > limits.sessionMsMax ? { connection, reason: 'session' } : []
      })
    },

    /** Records a reply. Returns why it was the last one, if it was. */
    replied(connection: Connection, code: number): RefusalReason | null {
      connection.repliedAtMs = clock.monotonicMs()
      connection.isInMessage = code === START_MESSAGE
      connection.commandsWithoutMessage += 1
      peers.countCommand(connection.address)
      // What is refused for now is our fault, not the peer's.
      if (code >= 500) {
        connection.errors += 1
        peers.countError(connection.address)
      }
      if (connection.isInMessage) return null
      if (connection.errors >= limits.errorsPerConnectionMax) return 'errors'
      return (
        peers.checkPeer(connection.address) ?? (connection.commandsWithoutMessage > limits.commandsWithoutMessageMax ? 'no message' : null)
      )
    },
  }
}

const longestUseless = (sessions: Session[]): Session | null =>
  sessions.reduce<Session | null>(
    (found, connection) => (found && found.progressAtMs <= connection.progressAtMs ? found : connection),
    null,
  )

const isSession = (connection: Connection): connection is Session => connection.smtp !== null && !connection.isEnding
