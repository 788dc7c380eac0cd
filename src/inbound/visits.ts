// The connections that are open, and which of them have to end.
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import type { Clock } from '../lib/clock.ts'
import type { Destination } from './destinations.ts'
import type { InboundLimits } from './limits.ts'
import type { Peers } from './peers.ts'
import type { RefusalReason } from './replies.ts'

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
  isInMessage: boolean
  /** Of the recipients of the message, by their addresses. */
  destinations: Map<string, Destination>
  messages: number
  errors: number
  tls: string | null
}

/** A visit whose session has begun. */
export type Session = Visit & { connection: SMTPConnection }

const START_MESSAGE = 354

export function createVisits({ limits, peers, clock }: { limits: InboundLimits; peers: Peers; clock: Clock }) {
  const visits = new Map<string, Visit>()
  let onEmpty = () => {}

  const sessions = (): Session[] => [...visits.values()].filter(isSession)

  return {
    size: () => visits.size,
    find: (id: string): Visit | undefined => visits.get(id),
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
        isInMessage: false,
        destinations: new Map(),
        messages: 0,
        errors: 0,
        tls: null,
      }
      visits.set(visit.id, visit)
      return visit
    },

    remove(id: string): Visit | undefined {
      const visit = visits.get(id)
      visits.delete(id)
      if (visits.size === 0) onEmpty()
      return visit
    },

    /** Resolves once there are none. */
    allGone(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (visits.size === 0) resolve()
      else onEmpty = resolve
      return promise
    },

    /** The one that was silent the longest, if that is long enough to end it for another. */
    mostIdle(): Session | null {
      const idle = sessions().filter(({ isInMessage }) => !isInMessage)
      const most = idle.reduce<Session | null>((found, visit) => (found && found.repliedAtMs <= visit.repliedAtMs ? found : visit), null)
      return most && clock.monotonicMs() - most.repliedAtMs >= limits.idleMsWhenFull ? most : null
    },

    /** Those whose time is over, and why. */
    overdue(): { visit: Session; reason: RefusalReason }[] {
      const nowMs = clock.monotonicMs()
      return sessions().flatMap((visit) => {
        if (nowMs - visit.repliedAtMs > (visit.isInMessage ? limits.messageMsMax : limits.commandMsMax)) return { visit, reason: 'slow' }
        return !visit.isInMessage && nowMs - visit.startedAtMs > limits.sessionMsMax ? { visit, reason: 'session' } : []
      })
    },

    /** Records a reply. Returns why it was the last one, if it was. */
    replied(visit: Visit, code: number): RefusalReason | null {
      visit.repliedAtMs = clock.monotonicMs()
      visit.isInMessage = code === START_MESSAGE
      peers.countCommand(visit.address)
      // What is refused for now is our fault, not the peer's.
      if (code >= 500) {
        visit.errors += 1
        peers.countError(visit.address)
      }
      if (visit.isInMessage) return null
      return visit.errors >= limits.errorsPerConnectionMax ? 'errors' : peers.problemOf(visit.address)
    },
  }
}

const isSession = (visit: Visit): visit is Session => visit.connection !== null
