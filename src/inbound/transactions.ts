// What is done at MAIL, RCPT and DATA.
import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from 'smtp-server'
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { createWindowCounts } from '../lib/limits/window-counts.ts'
import { createDestinations, isReceiving, type ReceivingDestination, type ReportDestination } from './destinations.ts'
import type { InboundLimits } from './limits.ts'
import { type Arrival, type Envelope, isGonePeer, refusalOf, takeMessage, teamsOf } from './message-intake.ts'
import type { Peers } from './peers.ts'
import { Refusal } from './replies.ts'
import { type ArrivingForTeams, createTeamShares } from './team-shares.ts'
import type { Visit, Visits } from './visits.ts'
import type { ArrivingMessage, WaitingRoom } from './waiting-room.ts'

export type Transactions = {
  hooks: Required<Pick<SMTPServerOptions, 'onMailFrom' | 'onRcptTo' | 'onData'>>
  stop(): void
  /** Resolves once nothing is being stored any longer. */
  allStored(): Promise<void>
}

const MINUTE_MS = 60_000
/** More than all peers together name in a second or two. */
const RETURN_PATHS_COUNTED_MAX = 20_000

/** What an object store failed with, rather than the sentence for those who wait for it. */
const reasonOf = ({ message, cause }: Failure): string => (cause instanceof Error ? cause.message : message)

export function createTransactions(
  context: Context,
  { limits, peers, visits, waitingRoom }: { limits: InboundLimits; peers: Peers; visits: Visits; waitingRoom: WaitingRoom },
): Transactions {
  const { clock, log, metrics, gateways } = context
  const destinationOf = createDestinations(context)
  const shares = createTeamShares(context)
  const ofReturnPaths = createWindowCounts({ keysMax: RETURN_PATHS_COUNTED_MAX, clock })
  /** What is being stored, whether its peer is still there or not. */
  const taking = new Set<Promise<void>>()

  async function mail(visit: Visit): Promise<void> {
    visit.destinations.clear()
    if (visit.messages >= limits.messagesPerConnectionMax) throw new Refusal('messages')
    if (!(await waitingRoom.hasRoom(visit.address))) throw new Refusal('waiting')
    if (await isDiskLow()) throw new Refusal('disk')
  }

  async function recipient(visit: Visit, address: string): Promise<void> {
    const destination = await destinationOf(address)
    if (destination === null) throw new Refusal('no address of ours')
    if (isReceiving(destination)) await receiver(visit, destination)
    else reportReceiver(visit, destination)
    visits.addRecipient(visit, address, destination)
  }

  async function receiver(visit: Visit, { teamId }: ReceivingDestination): Promise<void> {
    if (!peers.takeRecipient(visit.address, 'receiving')) throw new Refusal('too many messages')
    const teams = new Set([...visit.destinations.values()].flatMap((other) => (isReceiving(other) ? [other.teamId] : [])))
    if (teams.has(teamId)) return
    if (teams.size >= limits.teamsPerMessageMax) throw new Refusal('teams')
    const problem = await shares.problemOf(teamId, visit.address)
    if (problem !== null) throw new Refusal(problem)
  }

  function reportReceiver(visit: Visit, { recipientId }: ReportDestination): void {
    if (!peers.takeRecipient(visit.address, recipientId === null ? 'role' : 'return path')) throw new Refusal('too many messages')
    if (recipientId !== null && ofReturnPaths.add(recipientId, MINUTE_MS).current > limits.messagesPerReturnPathPerMinute)
      throw new Refusal('return path messages')
  }

  async function message(visit: Visit, stream: SMTPServerDataStream, envelope: Envelope): Promise<string> {
    const startedAtMs = clock.monotonicMs()
    visits.follow(visit, stream)
    const { id, bytes } = await take(visit, stream, envelope)
    visits.stored(visit)
    if (envelope.recipients.some(({ destination }) => !isReceiving(destination) && destination.recipientId !== null))
      peers.trust(visit.address)
    const purposes = envelope.recipients.map(({ destination }) => destination.purpose)
    for (const purpose of purposes) metrics.inboundReceived.inc({ purpose })
    log.info(
      { inboundMessageId: id, purposes, bytes, peer: visit.address, durationMs: clock.monotonicMs() - startedAtMs },
      'message received',
    )
    return id
  }

  async function take(visit: Visit, stream: SMTPServerDataStream, envelope: Envelope): Promise<{ id: string; bytes: number }> {
    const place = waitingRoom.open(visit.address)
    const share = shares.open([...teamsOf(envelope).keys()], visit.address)
    let rows = 0
    try {
      const taken = await takeMessage(context, {
        stream,
        envelope,
        arrival: arrivalFrom(visit, place, share),
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

  const arrivalFrom = ({ address }: Visit, place: ArrivingMessage, share: ArrivingForTeams): Arrival => ({
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
    (callback: (error: Error) => void, { address: peer }: Visit) =>
    (error: unknown) => {
      const refusal = refusalOf(error)
      // Someone who is gone was refused nothing, and reads no reply.
      if (isGonePeer(error)) log.debug({ peer }, 'peer gone in the middle of a message')
      else metrics.inboundRefusals.inc({ reason: refusal.reason })
      if (refusal.reason === 'failure' && !isGonePeer(error)) log.error({ err: error }, 'inbound message not stored')
      if (error instanceof Failure) log.warn({ reason: reasonOf(error) }, 'inbound message refused for the moment')
      callback(refusal)
    }

  function visitOf({ id }: Pick<SMTPServerSession, 'id'>): Visit {
    const visit = visits.find(id)
    if (visit === undefined) throw new Error('A session belongs to a connection')
    return visit
  }

  return {
    hooks: {
      onMailFrom(_address, session, callback) {
        const visit = visitOf(session)
        void mail(visit).then(() => callback(), refusing(callback, visit))
      },
      onRcptTo({ address }, session, callback) {
        const visit = visitOf(session)
        void recipient(visit, address).then(() => callback(), refusing(callback, visit))
      },
      onData(stream, session, callback) {
        const visit = visitOf(session)
        const work = message(visit, stream, envelopeOf(visit, session)).then(
          (id) => callback(null, `Stored as ${id}`),
          refusing(callback, visit),
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
  ...new Map(recipients.map((one) => [identityOf(one), one])).values(),
]

const identityOf = ({ address, destination }: Envelope['recipients'][number]): string =>
  isReceiving(destination) ? `receiving ${address.toLowerCase()}` : `${destination.purpose} ${destination.recipientId}`

/** One for each recipient of a report, one for each team. */
const rowsOf = (envelope: Envelope): number =>
  envelope.recipients.filter(({ destination }) => !isReceiving(destination)).length + teamsOf(envelope).size
