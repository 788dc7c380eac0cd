// Receives mail by SMTP: what comes back from mail that was sent, and mail for the domains of teams. It says 250 only for what is stored.

import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from 'smtp-server'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { Connection, OpenConnections } from '../../../io/smtp/server/open-connections.ts'
import { INBOUND_LIMITS, type InboundLimits, type Peers } from '../../../io/smtp/server/peers.ts'
import { Refusal } from '../../../io/smtp/server/replies.ts'
import { type CertificateSource, createSmtpServer, DISABLED_COMMANDS, type SmtpServer } from '../../../io/smtp/server/smtp-server.ts'
import { MINUTE_MS } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import { createWindowCounts } from '../../../lib/limits/counts.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import { refusalByState } from '../../accounts/teams/team-states.ts'
import type { DeliveryContext } from '../../delivery/delivery.context.ts'
import type { LimitsContext } from '../../limits/limits.context.ts'
import { isStorageFull } from '../../limits/team-storage.service.ts'
import type { InboundContext } from '../inbound.context.ts'
import { type ArrivingMessage, type BacklogQuota, createBacklogQuota } from './backlog-quota.ts'
import { createDestinations, type Destination, isReceiving, type ReceivingDestination, type ReportDestination } from './destinations.ts'
import { type Arrival, type Envelope, isGonePeer, takeMessage, teamsOf, toRefusal } from './message-intake.ts'
import { type ArrivingForTeams, createTeamQuotas } from './team-quota.ts'

type Context = PlatformContext & LimitsContext & AccountsContext & DeliveryContext & InboundContext

export type InboundOptions = { certificate: CertificateSource; limits?: Partial<InboundLimits> }

export function createInboundServer(context: Context, { certificate, limits: given }: InboundOptions): SmtpServer {
  const { clock, metrics, repositories } = context
  const limits: InboundLimits = { ...INBOUND_LIMITS, ...given }
  const backlogQuota = createBacklogQuota({ limits, clock, count: repositories.waitingContents.countAcrossTeams })
  return createSmtpServer(context, {
    ...{ certificate, limits },
    counts: { connections: metrics.inboundConnections, refusals: metrics.inboundRefusals },
    settings: { disabledCommands: ['AUTH', ...DISABLED_COMMANDS] },
    createRole: (parts) => createTransactions(context, { limits, backlogQuota, ...parts }),
  })
}

type Transactions = {
  hooks: Required<Pick<SMTPServerOptions, 'onMailFrom' | 'onRcptTo' | 'onData'>>
  stop(): void
  /** Resolves once nothing is being stored any longer. */
  allStored(): Promise<void>
}

/** More than all peers together name in a second or two. */
const RETURN_PATHS_COUNTED_MAX = 20_000

/** What an object store failed with, rather than the sentence for those who wait for it. */
const failureReason = ({ message, cause }: Failure): string => (cause instanceof Error ? cause.message : message)

function createTransactions(
  context: Context,
  {
    limits,
    peers,
    openConnections,
    backlogQuota,
  }: { limits: InboundLimits; peers: Peers; openConnections: OpenConnections; backlogQuota: BacklogQuota },
): Transactions {
  const { clock, log, metrics, gateways } = context
  const destinationOf = createDestinations(context)
  const shares = createTeamQuotas(context)
  const ofReturnPaths = createWindowCounts({ keysMax: RETURN_PATHS_COUNTED_MAX, clock })
  /** What the addresses of each connection's message are for, in lower case. */
  const destinations = new WeakMap<Connection, Map<string, Destination>>()
  /** What is being stored, whether its peer is still there or not. */
  const taking = new Set<Promise<void>>()

  async function mail(connection: Connection): Promise<void> {
    connection.recipients.clear()
    destinations.set(connection, new Map())
    if (connection.messages >= limits.messagesPerConnectionMax) throw new Refusal('messages')
    if (!(await backlogQuota.hasRoom(connection.address))) throw new Refusal('waiting')
    if (await isDiskLow()) throw new Refusal('disk')
  }

  async function recipient(connection: Connection, address: string): Promise<void> {
    const destination = await destinationOf(address)
    if (destination === null) throw new Refusal('no address of ours')
    if (isReceiving(destination)) await receiver(connection, destination)
    else reportReceiver(connection, destination)
    openConnections.addRecipient(connection, address)
    destinations.get(connection)?.set(address.toLowerCase(), destination)
  }

  async function receiver(connection: Connection, { teamId }: ReceivingDestination): Promise<void> {
    if (!peers.takeRecipient(connection.address, 'receiving')) throw new Refusal('too many messages')
    const teams = new Set(
      [...(destinations.get(connection)?.values() ?? [])].flatMap((other) => (isReceiving(other) ? [other.teamId] : [])),
    )
    if (teams.has(teamId)) return
    if (teams.size >= limits.teamsPerMessageMax) throw new Refusal('teams')
    if (refusalByState(await context.repositories.teams.stateOf(teamId), { writes: true })) throw new Refusal('team stopped')
    if (await isStorageFull(context, teamId)) throw new Refusal('team storage')
    const problem = await shares.checkQuota(teamId, connection.address)
    if (problem !== null) throw new Refusal(problem)
  }

  function reportReceiver(connection: Connection, { recipientId }: ReportDestination): void {
    if (!peers.takeRecipient(connection.address, recipientId === null ? 'role' : 'return path')) throw new Refusal('too many messages')
    if (recipientId !== null && ofReturnPaths.add(recipientId, MINUTE_MS).current > limits.messagesPerReturnPathPerMinute)
      throw new Refusal('return path messages')
  }

  async function message(connection: Connection, stream: SMTPServerDataStream, envelope: Envelope): Promise<string> {
    const startedAtMs = clock.monotonicMs()
    openConnections.follow(connection, stream)
    const { id, bytes } = await take(connection, stream, envelope)
    openConnections.stored(connection)
    if (envelope.recipients.some(({ destination }) => !isReceiving(destination) && destination.recipientId !== null))
      peers.trust(connection.address)
    const purposes = envelope.recipients.map(({ destination }) => destination.purpose)
    for (const purpose of purposes) metrics.inboundReceived.inc({ purpose })
    log.info(
      { inboundMessageId: id, purposes, bytes, peer: connection.address, durationMs: clock.monotonicMs() - startedAtMs },
      'message received',
    )
    return id
  }

  async function take(connection: Connection, stream: SMTPServerDataStream, envelope: Envelope): Promise<{ id: string; bytes: number }> {
    const place = backlogQuota.open(connection.address)
    const share = shares.open([...teamsOf(envelope).keys()], connection.address)
    let rows = 0
    try {
      const taken = await takeMessage(context, {
        stream,
        envelope,
        arrival: arrivalFrom(connection, place, share),
        bytesMax: bytesMaxOf(envelope),
      })
      rows = rowsOf(envelope)
      return taken
    } finally {
      place.end(rows)
      share.end(rows > 0 ? 'stored' : 'refused')
    }
  }

  const bytesMaxOf = (envelope: Envelope): number => (teamsOf(envelope).size > 0 ? limits.receivedBytesMax : limits.messageBytesMax)

  const isDiskLow = async () => (await gateways.diskSpace.freeBytes()) < limits.freeBytesMin

  const arrivalFrom = ({ address }: Connection, place: ArrivingMessage, share: ArrivingForTeams): Arrival => ({
    async admit({ length: bytes }) {
      if (!peers.takeBytes(address, bytes)) return 'too much data'
      if (!(await place.add(bytes))) return 'waiting'
      const problem = await share.admit(bytes)
      if (problem !== null) return problem
      gateways.diskSpace.use(bytes)
      return (await isDiskLow()) ? 'disk' : null
    },
    discard: (bytes) => void peers.takeBytes(address, bytes),
  })

  const refusing =
    (callback: (error: Error) => void, { address: peer }: Connection) =>
    (error: unknown) => {
      const refusal = toRefusal(error)
      // Someone who is gone was refused nothing, and reads no reply.
      if (isGonePeer(error)) log.debug({ peer }, 'peer gone in the middle of a message')
      else metrics.inboundRefusals.inc({ reason: refusal.reason })
      if (refusal.reason === 'failure' && !isGonePeer(error)) log.error({ err: error }, 'inbound message not stored')
      if (error instanceof Failure) log.warn({ reason: failureReason(error) }, 'inbound message refused for the moment')
      callback(refusal)
    }

  function findConnection({ id }: Pick<SMTPServerSession, 'id'>): Connection {
    const connection = openConnections.find(id)
    if (connection === undefined) throw new Error('A session belongs to a connection')
    return connection
  }

  return {
    hooks: {
      onMailFrom(_address, session, callback) {
        const connection = findConnection(session)
        void mail(connection).then(() => callback(), refusing(callback, connection))
      },
      onRcptTo({ address }, session, callback) {
        const connection = findConnection(session)
        void recipient(connection, address).then(() => callback(), refusing(callback, connection))
      },
      onData(stream, session, callback) {
        const connection = findConnection(session)
        const work = message(connection, stream, toEnvelope(connection, destinations.get(connection) ?? new Map(), session)).then(
          (id) => callback(null, `Stored as ${id}`),
          refusing(callback, connection),
        )
        taking.add(work)
        void work.finally(() => taking.delete(work))
      },
    },

    // What has arrived is stored at once.
    stop: () => {},

    async allStored() {
      await Promise.all(taking)
    },
  }
}

const toEnvelope = (
  { address: peer, tls }: Connection,
  destinations: ReadonlyMap<string, Destination>,
  { envelope, hostNameAppearsAs: helo }: SMTPServerSession,
): Envelope => ({
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
  ...new Map(recipients.map((one) => [identityOf(one), one])).values(),
]

const identityOf = ({ address, destination }: Envelope['recipients'][number]): string =>
  isReceiving(destination) ? `receiving ${address.toLowerCase()}` : `${destination.purpose} ${destination.recipientId}`

/** One for each recipient of a report, one for each team. */
const rowsOf = (envelope: Envelope): number =>
  envelope.recipients.filter(({ destination }) => !isReceiving(destination)).length + teamsOf(envelope).size
