// The connections that are open, and which of them have to end.
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { SMTPServerDataStream } from 'smtp-server'
import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import type { Clock } from '../lib/clock.ts'
import type { Destination } from './destinations.ts'
import type { InboundLimits } from './limits.ts'
import type { Peers } from './peers.ts'
import type { RefusalReason } from './replies.ts'

export type Visits = ReturnType<typeof createVisits>

/** One connection of a peer. */
export type Visit = {
  id: string
  socket: Socket
  address: string
  /** Null until the session begins. */
  connection: SMTPConnection | null
  startedAtMs: number
  /** When it last got a reply. */
  repliedAtMs: number
  /** When it last did what connections are for: a message was stored, or the first recipient of one accepted. */
  usefulAtMs: number
  /** True from DATA to our reply. */
  isInMessage: boolean
  /** The content that arrives, until its end. */
  arriving: { content: { byteLength: number }; sinceMs: number } | null
  /** Keyed by the addresses of the message's recipients. */
  destinations: Map<string, Destination>
  messages: number
  errors: number
  /** Since the last message, without recipients that were accepted. */
  commandsWithoutMessage: number
  tls: string | null
  /** It was told that it ends. */
  isEnding: boolean
}

/** A visit whose session has begun, and does not end yet. */
export type Session = Visit & { connection: SMTPConnection }

const START_MESSAGE = 354

export function createVisits({ limits, peers, clock }: { limits: InboundLimits; peers: Peers; clock: Clock }) {
  const visits = new Map<string, Visit>()
  let onEmpty = () => {}
  let onTold: (() => void) | null = null

  /** Connections whose session has not begun: the header of the proxy, or TLS, is not there yet. */
  const awaiting = (): number => [...visits.values()].filter(({ connection }) => connection === null).length

  /** Leaves out sessions that are ending. */
  const sessions = (): Session[] => [...visits.values()].filter(isSession)

  /** A message that has arrived is being stored, which is no fault of its sender. */
  function isSlow({ arriving }: Visit, nowMs: number): boolean {
    if (arriving === null) return false
    const elapsedMs = nowMs - arriving.sinceMs
    return (
      elapsedMs >= limits.uselessMsWhenFull && arriving.content.byteLength * 1_000 < limits.messageBytesPerSecondMinWhenFull * elapsedMs
    )
  }

  return {
    size: () => visits.size,
    /** Counts the visits whose session has begun. */
    begun: () => visits.size - awaiting(),
    awaiting,
    find: (id: string): Visit | undefined => visits.get(id),
    /** Null if there is none, or it ends. */
    session(id: string): Session | null {
      const visit = visits.get(id)
      return visit && isSession(visit) ? visit : null
    },
    all: (): Visit[] => [...visits.values()],
    sessions,

    add(socket: Socket, address: string): Visit {
      const nowMs = clock.monotonicMs()
      const visit: Visit = {
        id: randomUUID(),
        socket,
        address,
        connection: null,
        startedAtMs: nowMs,
        repliedAtMs: nowMs,
        usefulAtMs: nowMs,
        isInMessage: false,
        arriving: null,
        destinations: new Map(),
        messages: 0,
        errors: 0,
        commandsWithoutMessage: 0,
        tls: null,
        isEnding: false,
      }
      visits.set(visit.id, visit)
      return visit
    },

    remove(id: string): Visit | undefined {
      const visit = visits.get(id)
      visits.delete(id)
      if (visits.size === 0) onEmpty()
      if (onTold !== null && sessions().length === 0) onTold()
      return visit
    },

    /** Its last reply is on its way. */
    endBegun(visit: Visit): void {
      visit.isEnding = true
      if (onTold !== null && sessions().length === 0) onTold()
    },

    /** Only a recipient that is new is progress: others can be named without end. */
    addRecipient(visit: Visit, address: string, destination: Destination): void {
      const key = address.toLowerCase()
      if (!visit.destinations.has(key)) this.progressed(visit, { isFirst: visit.destinations.size === 0 })
      visit.destinations.set(key, destination)
    },

    /** A recipient was accepted. */
    progressed(visit: Visit, { isFirst }: { isFirst: boolean }): void {
      if (isFirst) visit.usefulAtMs = clock.monotonicMs()
      visit.commandsWithoutMessage -= 1
    },

    /** The content of a message begins to arrive. */
    follow(visit: Visit, content: SMTPServerDataStream): void {
      visit.arriving = { content, sinceMs: clock.monotonicMs() }
      content.once('end', () => {
        visit.arriving = null
      })
    },

    stored(visit: Visit): void {
      visit.messages += 1
      visit.commandsWithoutMessage = 0
      visit.usefulAtMs = clock.monotonicMs()
    },

    /** Resolves once all sessions are ending. */
    allTold(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (sessions().length === 0) resolve()
      else onTold = resolve
      return promise
    },

    /** Resolves once there are none. */
    allGone(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (visits.size === 0) resolve()
      else onEmpty = resolve
      return promise
    },

    /** The one that has been of no use for the longest time, if that is long enough to end it for another. */
    leastUseful(): Session | null {
      const nowMs = clock.monotonicMs()
      return longestUseless(
        sessions().filter((visit) => (visit.isInMessage ? isSlow(visit, nowMs) : nowMs - visit.usefulAtMs >= limits.uselessMsWhenFull)),
      )
    },

    /**
     * For a newcomer: the least useful one of the network that has the most connections, whatever its age, if that has more than the network of the
     * newcomer. A message that has arrived is stored first.
     */
    leastUsefulOfLargest(newcomer: string): Session | null {
      const candidates = sessions().filter((visit) => !visit.isInMessage || visit.arriving !== null)
      const most = Math.max(0, ...candidates.map(({ address }) => peers.openInNetwork(address)))
      if (most <= peers.openInNetwork(newcomer)) return null
      const ofLargest = candidates.filter(({ address }) => peers.openInNetwork(address) === most)
      const withoutMessage = ofLargest.filter((visit) => !visit.isInMessage)
      return longestUseless(withoutMessage.length > 0 ? withoutMessage : ofLargest)
    },

    /** The visits whose time is over, and why. */
    overdue(): { visit: Session; reason: RefusalReason }[] {
      const nowMs = clock.monotonicMs()
      return sessions().flatMap((visit) => {
        // It waits for us: what is done with a message that has arrived has limits of its own.
        if (visit.isInMessage && visit.arriving === null) return []
        if (nowMs - visit.repliedAtMs > (visit.isInMessage ? limits.messageMsMax : limits.commandMsMax)) return { visit, reason: 'slow' }
        return !visit.isInMessage && nowMs - visit.startedAtMs > limits.sessionMsMax ? { visit, reason: 'session' } : []
      })
    },

    /** Records a reply. Returns why it was the last one, if it was. */
    replied(visit: Visit, code: number): RefusalReason | null {
      visit.repliedAtMs = clock.monotonicMs()
      visit.isInMessage = code === START_MESSAGE
      visit.commandsWithoutMessage += 1
      peers.countCommand(visit.address)
      // What is refused for now is our fault, not the peer's.
      if (code >= 500) {
        visit.errors += 1
        peers.countError(visit.address)
      }
      if (visit.isInMessage) return null
      if (visit.errors >= limits.errorsPerConnectionMax) return 'errors'
      return peers.problemOf(visit.address) ?? (visit.commandsWithoutMessage > limits.commandsWithoutMessageMax ? 'no message' : null)
    },
  }
}

const longestUseless = (sessions: Session[]): Session | null =>
  sessions.reduce<Session | null>((found, visit) => (found && found.usefulAtMs <= visit.usefulAtMs ? found : visit), null)

const isSession = (visit: Visit): visit is Session => visit.connection !== null && !visit.isEnding
