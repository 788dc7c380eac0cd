// The life of a connection: it is admitted or turned away, gets replies, makes room for another, and ends.
import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import type { SMTPConnection, SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import type { Context } from '../context.ts'
import { createAddressRanges, plainAddress } from '../lib/inbound/peer-addresses.ts'
import { createWindowCounts } from '../lib/limits/window-counts.ts'
import type { InboundLimits } from './limits.ts'
import type { Peers } from './peers.ts'
import { readClientOf } from './proxied-sockets.ts'
import { Refusal, type RefusalReason, replyLine } from './replies.ts'
import { secureSocket } from './secured-sockets.ts'
import type { Session, Visits } from './visits.ts'

export type Connections = {
  /** Someone has connected. `isTls`: TLS begins before anything is said. */
  enter(socket: Socket, how: Entrance): void
  replied(connection: SMTPConnection, code: number): void
  left(id: string): void
  /** Ends the connections whose time is over. */
  endOverdue(): void
  /** Ends each connection after its next message. New ones may come. */
  drain(): void
  /** Ends those between two messages, and each of the others after its message. */
  stop(): void
  /** Ends those that have begun a message and not sent it. */
  endUnfinished(): void
}

export type Entrance = { isTls: boolean }

type Dependencies = {
  limits: InboundLimits
  peers: Peers
  visits: Visits
  counts: ConnectionCounts
  /** Begins a session of the SMTP library. */
  open: (socket: Socket, options: SMTPConnectionOptions) => SMTPConnection
  secureContext: () => SecureContext
}

export type ConnectionCounts = { connections: { set(count: number): void }; refusals: { inc(labels: { reason: string }): void } }

/** One line of log a minute for each proxy without a header, of as many proxies. */
const PROXIES_LOGGED_MAX = 100
const LOGGED_EVERY_MS = 60_000

export function createConnections(
  { config, clock, log }: Pick<Context, 'config' | 'clock' | 'log'>,
  { limits, peers, visits, counts, open, secureContext }: Dependencies,
): Connections {
  const isProxy = createAddressRanges(config.inboundTrustProxy)
  const proxiesLogged = createWindowCounts({ keysMax: PROXIES_LOGGED_MAX, clock })
  let isDraining = false
  let isStopping = false

  async function admitBehind(socket: Socket, proxyAddress: string, how: Entrance): Promise<void> {
    const { id } = visits.add(socket, proxyAddress)
    const client = await readClientOf(socket, limits.proxyHeaderMsMax)
    visits.remove(id)
    if (client === 'gone') socket.destroy()
    else if (client === 'no header') refuseProxy(socket, proxyAddress)
    else admit(socket, client ?? { address: proxyAddress }, how)
  }

  function refuseProxy(socket: Socket, peer: string): void {
    turnAway(socket, 'no proxy header')
    if (proxiesLogged.add(peer, LOGGED_EVERY_MS).current > 1) return
    log.warn({ peer }, 'SMTP connection without a PROXY header refused: INBOUND_TRUST_PROXY names its address')
  }

  function admit(socket: Socket, client: { address: string; port?: number }, { isTls }: Entrance): void {
    const address = plainAddress(client.address)
    const problem = isStopping ? 'stopping' : placeProblem(address)
    if (problem !== null) turnAway(socket, problem)
    else if (isTls) void beginOverTls(socket, address, client.port)
    else begin(socket, address, client.port)
  }

  async function beginOverTls(socket: Socket, address: string, port?: number): Promise<void> {
    const { id } = visits.add(socket, address)
    const secured = await secureSocket(socket, secureContext(), limits.tlsMsMax)
    const isStillThere = visits.remove(id) !== undefined
    if (secured !== null && isStillThere && !isStopping) return begin(secured, address, port)
    peers.leave(address)
    socket.destroy()
  }

  /** Null if there is a place for this address, which then counts. */
  function placeProblem(address: string): RefusalReason | null {
    const problem = peers.enter(address)
    // Only for someone who is welcome does another one have to go.
    if (problem !== null || findRoom(address)) return problem
    peers.leave(address)
    return 'full'
  }

  function begin(socket: Socket, address: string, port?: number): void {
    const visit = visits.add(socket, address)
    if (socket instanceof TLSSocket) visit.tls = socket.getProtocol()
    visit.connection = open(socket, { id: visit.id, remoteAddress: address, ...(port !== undefined && { remotePort: port }) })
    counts.connections.set(visits.size())
  }

  function turnAway(socket: Socket, reason: RefusalReason): void {
    counts.refusals.inc({ reason })
    socket.end(replyLine(reason), () => socket.destroy())
  }

  function findRoom(newcomer: string): boolean {
    if (visits.begun() < limits.connectionsMax) return true
    const visit = visits.leastUseful() ?? visits.leastUsefulOfLargest(newcomer)
    if (visit === null) return false
    end(visit, 'full')
    // At once, because the library waits for the peer to close its side.
    visit.socket.destroySoon()
    left(visit.id)
    return true
  }

  function end(visit: Session, reason: RefusalReason): void {
    visits.endBegun(visit)
    counts.refusals.inc({ reason })
    const { responseCode, message } = new Refusal(reason)
    visit.connection.send(responseCode, message)
  }

  function left(id: string): void {
    const visit = visits.remove(id)
    if (visit) peers.leave(visit.address)
    counts.connections.set(visits.size())
  }

  return {
    enter(socket, how) {
      // The session has listeners of its own.
      socket.on('error', () => {})
      const address = plainAddress(socket.remoteAddress ?? '')
      const isAwaiting = how.isTls || isProxy(address)
      if (isAwaiting && visits.awaiting() >= limits.awaitingMax) turnAway(socket, 'full')
      else if (!isProxy(address)) admit(socket, { address }, how)
      // Who it is for is not known yet, so no other has to go.
      else void admitBehind(socket, address, how)
    },

    replied({ id }, code) {
      const visit = visits.session(id)
      // The library closes a connection after 421.
      if (visit === null || code === 421) return
      const wasInMessage = visit.isInMessage
      const reason = visits.replied(visit, code)
      const isBetweenMessages = !visit.isInMessage && (wasInMessage || !hasBegunMessage(visit))
      if (reason !== null) end(visit, reason)
      else if (isBetweenMessages && (isStopping || (isDraining && wasInMessage))) end(visit, 'stopping')
    },

    left,

    endOverdue() {
      for (const { visit, reason } of visits.overdue()) end(visit, reason)
      // A connection that was gone before its session began reports no end.
      for (const { id, socket, connection } of visits.all()) if (connection !== null && socket.destroyed) left(id)
    },

    drain() {
      isDraining = true
    },

    stop() {
      isStopping = true
      for (const visit of visits.sessions()) if (!hasBegunMessage(visit)) end(visit, 'stopping')
    },

    endUnfinished() {
      for (const visit of visits.sessions()) if (!visit.isInMessage) end(visit, 'stopping')
    },
  }
}

/** True from the reply to MAIL until the reply to the message. */
const hasBegunMessage = ({ connection }: Session): boolean => Boolean(connection.session.envelope?.mailFrom)
