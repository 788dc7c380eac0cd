// The life of a connection: it is admitted or turned away, gets replies, makes room for another, and ends.

import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import type { SMTPConnection, SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import type { Clock } from '../../../lib/clock.ts'
import { createWindowCounts } from '../../../lib/limits/counts.ts'
import { createAddressRanges, plainAddress } from '../../../lib/peer-addresses.ts'
import type { Log } from '../../log.ts'
import type { OpenConnections, Session } from './open-connections.ts'
import type { InboundLimits, Peers } from './peers.ts'
import { Refusal, type RefusalReason, replyLine } from './replies.ts'
import { readClientOf, secureSocket } from './sockets.ts'

/** What a server of SMTP needs of the service. */
export type SmtpContext = {
  config: { mailHostname: string; inboundTrustProxy: string[] }
  clock: Clock
  log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>
}

export type Connections = {
  /** Someone has connected. `isTls`: TLS begins before anything is said. */
  enter(socket: Socket, how: Entrance): void
  replied(smtp: SMTPConnection, code: number): void
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
  openConnections: OpenConnections
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
  { config, clock, log }: SmtpContext,
  { limits, peers, openConnections, counts, open, secureContext }: Dependencies,
): Connections {
  const isProxy = createAddressRanges(config.inboundTrustProxy)
  const proxiesLogged = createWindowCounts({ keysMax: PROXIES_LOGGED_MAX, clock })
  let isDraining = false
  let isStopping = false

  async function admitBehind(socket: Socket, proxyAddress: string, how: Entrance): Promise<void> {
    const { id } = openConnections.add(socket, proxyAddress)
    const client = await readClientOf(socket, limits.proxyHeaderMsMax)
    openConnections.remove(id)
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
    const { id } = openConnections.add(socket, address)
    const secured = await secureSocket(socket, secureContext(), limits.tlsMsMax)
    const isStillThere = openConnections.remove(id) !== undefined
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
    const connection = openConnections.add(socket, address)
    if (socket instanceof TLSSocket) connection.tls = socket.getProtocol()
    connection.smtp = open(socket, { id: connection.id, remoteAddress: address, ...(port !== undefined && { remotePort: port }) })
    counts.connections.set(openConnections.size())
  }

  function turnAway(socket: Socket, reason: RefusalReason): void {
    counts.refusals.inc({ reason })
    socket.end(replyLine(reason), () => socket.destroy())
  }

  function findRoom(newcomer: string): boolean {
    if (openConnections.begun() < limits.connectionsMax) return true
    const connection = openConnections.leastUseful() ?? openConnections.leastUsefulOfLargest(newcomer)
    if (connection === null) return false
    end(connection, 'full')
    // At once, because the library waits for the peer to close its side.
    connection.socket.destroySoon()
    left(connection.id)
    return true
  }

  function end(connection: Session, reason: RefusalReason): void {
    openConnections.endBegun(connection)
    counts.refusals.inc({ reason })
    const { responseCode, message } = new Refusal(reason)
    connection.smtp.send(responseCode, message)
  }

  function left(id: string): void {
    const connection = openConnections.remove(id)
    if (connection) peers.leave(connection.address)
    counts.connections.set(openConnections.size())
  }

  return {
    enter(socket, how) {
      // The session has listeners of its own.
      socket.on('error', () => {})
      const address = plainAddress(socket.remoteAddress ?? '')
      const isAwaiting = how.isTls || isProxy(address)
      if (isAwaiting && openConnections.awaiting() >= limits.awaitingMax) turnAway(socket, 'full')
      else if (!isProxy(address)) admit(socket, { address }, how)
      // Who it is for is not known yet, so no other has to go.
      else void admitBehind(socket, address, how)
    },

    replied({ id }, code) {
      const connection = openConnections.session(id)
      // The library closes a connection after 421.
      if (connection === null || code === 421) return
      const wasInMessage = connection.isInMessage
      const reason = openConnections.replied(connection, code)
      const isBetweenMessages = !connection.isInMessage && (wasInMessage || !hasBegunMessage(connection))
      if (reason !== null) end(connection, reason)
      else if (isBetweenMessages && (isStopping || (isDraining && wasInMessage))) end(connection, 'stopping')
    },

    left,

    endOverdue() {
      for (const { connection, reason } of openConnections.overdue()) end(connection, reason)
      // A connection that was gone before its session began reports no end.
      for (const { id, socket, smtp } of openConnections.all()) if (smtp !== null && socket.destroyed) left(id)
    },

    drain() {
      isDraining = true
    },

    stop() {
      isStopping = true
      for (const connection of openConnections.sessions()) if (!hasBegunMessage(connection)) end(connection, 'stopping')
    },

    endUnfinished() {
      for (const connection of openConnections.sessions()) if (!connection.isInMessage) end(connection, 'stopping')
    },
  }
}

/** True from the reply to MAIL until the reply to the message. */
const hasBegunMessage = ({ smtp }: Session): boolean => Boolean(smtp.session.envelope?.mailFrom)
