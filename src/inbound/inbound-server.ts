// Receives mail by SMTP: what comes back from mail that was sent. It says 250 only for what is stored.
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import type { Context } from '../context.ts'
import { createAddressRanges, plainAddress } from '../lib/inbound/peer-addresses.ts'
import { createDestinations } from './destinations.ts'
import { INBOUND_LIMITS, type InboundLimits } from './limits.ts'
import { type Envelope, isGonePeer, refusalOf, takeMessage } from './message-intake.ts'
import { createPeers } from './peers.ts'
import { readClientOf } from './proxied-sockets.ts'
import { Refusal, type RefusalReason, replyLine } from './replies.ts'
import { SmtpSessions } from './smtp-sessions.ts'
import { createVisits, type Visit } from './visits.ts'

export type InboundServer = {
  /** @returns the port, which is a free one if 0 was given. */
  listen(place: { host: string; port: number }): Promise<number>
  connectionCount(): number
  /** Takes no new connections, lets messages that are arriving end, and ends the rest. */
  close(): Promise<void>
}

/** In PEM form. `follow` calls back when there is another one. */
export type CertificateSource = {
  current(): { cert: string; key: string }
  follow(onChange: (certificate: { cert: string; key: string }) => void): void
}

export type InboundOptions = { certificate: CertificateSource; limits?: Partial<InboundLimits> }

/** When the service stops, peers have this time to read that it does. */
const FAREWELL_MS = 500

export function createInboundServer(context: Context, { certificate, limits: given }: InboundOptions): InboundServer {
  const { config, clock, log, metrics, gateways } = context
  const limits: InboundLimits = { ...INBOUND_LIMITS, ...given }
  const peers = createPeers(limits, clock)
  const visits = createVisits({ limits, peers, clock })
  const destinationOf = createDestinations(context)
  const isProxy = createAddressRanges(config.trustProxy)
  /** What is being stored, whether its peer is still there or not. */
  const taking = new Set<Promise<void>>()
  let isStopping = false

  const sessions = new SmtpSessions(
    {
      ...certificate.current(),
      minVersion: 'TLSv1.2',
      name: config.mailHostname,
      heloResponse: '%s greets %s',
      size: limits.messageBytesMax,
      maxCommandLength: limits.commandBytesMax,
      maxRecipients: limits.recipientsMax,
      socketTimeout: limits.silenceMsMax,
      hideENHANCEDSTATUSCODES: false,
      authOptional: true,
      disableReverseLookup: true,
      disabledCommands: ['AUTH', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL'],
      logger: false,
      onSecure(socket, session, callback) {
        // Its connection may have made room for another during the handshake.
        const visit = visits.find(session.id)
        if (visit && 'getProtocol' in socket) visit.tls = socket.getProtocol()
        callback()
      },
      onMailFrom: (_address, session, callback) => void beginMessage(visitOf(session)).then(() => callback(), refusing(callback)),
      onRcptTo: ({ address }, session, callback) => void addRecipient(visitOf(session), address).then(() => callback(), refusing(callback)),
      onData(stream, session, callback) {
        const work = take(stream, session).then((id) => callback(null, `Stored as ${id}`), refusing(callback))
        taking.add(work)
        void work.finally(() => taking.delete(work))
      },
      onClose: ({ id }) => leave(id),
    },
    onReply,
  )
  certificate.follow((changed) => {
    sessions.updateSecureContext(changed)
    log.info('certificate of the SMTP server replaced')
  })
  // A single connection failed, which is the business of its peer.
  sessions.on('error', (error) => log.debug({ err: error }, 'inbound connection failed'))

  const listener = createServer(onSocket)
  const checking = setInterval(() => {
    for (const { visit, reason } of visits.overdue()) end(visit.connection, reason)
    // A connection that was gone before its session began reports no end.
    for (const { id, socket } of visits.sessions()) if (socket.destroyed) leave(id)
  }, limits.checkEveryMs)
  checking.unref()

  function onSocket(socket: Socket): void {
    // The session has listeners of its own.
    socket.on('error', () => {})
    const address = plainAddress(socket.remoteAddress ?? '')
    if (visits.size() >= limits.connectionsMax && !makeRoom()) turnAway(socket, 'full')
    else if (isProxy(address)) void admitBehind(socket, address)
    else admit(socket, { address })
  }

  async function admitBehind(socket: Socket, proxyAddress: string): Promise<void> {
    // Counts as a connection while its header is awaited.
    const { id } = visits.add(socket, proxyAddress)
    const client = await readClientOf(socket, limits.proxyHeaderMsMax).catch(() => 'unknown' as const)
    visits.remove(id)
    if (client === 'unknown') socket.destroy()
    else admit(socket, client ?? { address: proxyAddress })
  }

  function admit(socket: Socket, client: { address: string; port?: number }): void {
    const address = plainAddress(client.address)
    const problem = isStopping ? 'stopping' : peers.enter(address)
    if (problem === null) open(socket, address, client.port)
    else turnAway(socket, problem)
  }

  function open(socket: Socket, address: string, port?: number): void {
    const visit = visits.add(socket, address)
    visit.connection = sessions.connect(socket, {
      id: visit.id,
      remoteAddress: address,
      ...(port !== undefined && { remotePort: port }),
    })
    metrics.inboundConnections.set(visits.size())
  }

  function leave(id: string): void {
    const visit = visits.remove(id)
    if (visit) peers.leave(visit.address)
    metrics.inboundConnections.set(visits.size())
  }

  function turnAway(socket: Socket, reason: RefusalReason): void {
    metrics.inboundRefusals.inc({ reason })
    socket.end(replyLine(reason), () => socket.destroy())
  }

  function end(connection: SMTPConnection, reason: RefusalReason): void {
    metrics.inboundRefusals.inc({ reason })
    const { responseCode, message } = new Refusal(reason)
    connection.send(responseCode, message)
  }

  function makeRoom(): boolean {
    const visit = visits.mostIdle()
    if (visit === null) return false
    end(visit.connection, 'full')
    // At once, because the library waits for the peer to close its side.
    visit.socket.destroySoon()
    leave(visit.id)
    return true
  }

  function onReply({ id }: SMTPConnection, code: number): void {
    const visit = visits.find(id)
    // The library closes a connection after 421.
    if (!visit?.connection || code === 421) return
    const reason = visits.replied(visit, code) ?? (isStopping && !visit.isInMessage ? 'stopping' : null)
    if (reason !== null) end(visit.connection, reason)
  }

  async function beginMessage(visit: Visit): Promise<void> {
    visit.destinations.clear()
    if (visit.messages >= limits.messagesPerConnectionMax) throw new Refusal('messages')
    if (await gateways.diskSpace.isLow()) throw new Refusal('disk')
  }

  async function addRecipient(visit: Visit, address: string): Promise<void> {
    const destination = await destinationOf(address)
    if (destination === null) throw new Refusal('no address of ours')
    visit.destinations.set(address.toLowerCase(), destination)
  }

  async function take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const visit = visitOf(session)
    const envelope = envelopeOf(visit, session)
    const startedAtMs = clock.monotonicMs()
    try {
      const { id, bytes } = await takeMessage(context, { stream, envelope, limits })
      visit.messages += 1
      const purposes = envelope.recipients.map(({ destination }) => destination.purpose)
      for (const purpose of purposes) metrics.inboundReceived.inc({ purpose })
      log.info({ inboundId: id, purposes, bytes, peer: visit.address, durationMs: clock.monotonicMs() - startedAtMs }, 'message received')
      return id
    } finally {
      peers.countBytes(visit.address, stream.byteLength)
    }
  }

  const refusing = (callback: (error: Error) => void) => (error: unknown) => {
    const refusal = refusalOf(error)
    if (refusal.reason === 'failure' && !isGonePeer(error)) log.error({ err: error }, 'inbound message not stored')
    metrics.inboundRefusals.inc({ reason: refusal.reason })
    callback(refusal)
  }

  function visitOf({ id }: Pick<SMTPServerSession, 'id'>): Visit {
    const visit = visits.find(id)
    if (visit === undefined) throw new Error('A session belongs to a connection')
    return visit
  }

  return {
    listen({ host, port }) {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      listener.once('error', reject)
      listener.listen(port, host, () => {
        listener.off('error', reject)
        const address = listener.address()
        resolve(typeof address === 'object' && address ? address.port : port)
      })
      return promise
    },

    connectionCount: () => visits.size(),

    async close() {
      isStopping = true
      clearInterval(checking)
      listener.close()
      for (const { connection, isInMessage } of visits.sessions()) if (!isInMessage) end(connection, 'stopping')
      await Promise.race([Promise.all(taking), sleep(limits.lastMessagesMs, undefined, { ref: false })])
      await Promise.race([visits.allGone(), sleep(FAREWELL_MS, undefined, { ref: false })])
      for (const { socket } of visits.all()) socket.destroy()
      await Promise.all(taking)
    },
  }
}

const envelopeOf = ({ destinations, address: peer, tls }: Visit, { envelope, hostNameAppearsAs: helo }: SMTPServerSession): Envelope => ({
  mailFrom: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
  recipients: eachOnce(
    envelope.rcptTo.flatMap(({ address }) => {
      const destination = destinations.get(address.toLowerCase())
      return destination === undefined ? [] : [{ address, destination }]
    }),
  ),
  peer,
  helo,
  tls,
})

/** A return path is taken at any host, so one recipient can be named by many addresses: what came back is read once for each recipient. */
const eachOnce = (recipients: Envelope['recipients']): Envelope['recipients'] => [
  ...new Map(recipients.map((one) => [`${one.destination.purpose} ${one.destination.recipientId}`, one])).values(),
]
