// Takes a message: watches its bytes, stores it, and commits its rows. Only then may the server say that it has it.
import { Readable } from 'node:stream'
import type { SMTPServerDataStream } from 'smtp-server'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { Refusal, type RefusalReason } from '../../../io/smtp/server/replies.ts'
import { Failure } from '../../../lib/failure.ts'
import { createId } from '../../../lib/ids.ts'
import { createLineWatch } from '../../../mail/incoming-lines.ts'
import type { LimitsContext } from '../../limits/limits.context.ts'
import { type StorageRoom, takeStorage } from '../../limits/team-storage.service.ts'
import type { FilterResult } from '../filter/message-filter.client.ts'
import type { InboundContext } from '../inbound.context.ts'
import type { NewInboundMessage } from '../inbound-messages.repository.ts'
import type { NewReceivedEmail } from '../received.repository.ts'
import { type Destination, isReceiving } from './destinations.ts'

type Context = PlatformContext & LimitsContext & InboundContext

export type Envelope = {
  mailFrom: string
  recipients: { address: string; destination: Destination }[]
  peer: string
  helo: string
  tls: string | null
}

/** What is asked about the bytes of a message as they arrive. */
export type Arrival = {
  /** Null if this piece may be stored. */
  admit(piece: Buffer): Promise<RefusalReason | null>
  /** Counts bytes that are thrown away. */
  discard(bytes: number): void
}

type Dependencies = Pick<Context, 'clock' | 'gateways' | 'repositories' | 'quotas'>

type ArrivingContent = { stream: SMTPServerDataStream; arrival: Arrival; bytesMax: number }
type DiscardedContent = Pick<ArrivingContent, 'stream' | 'bytesMax'> & Pick<Arrival, 'discard'>
type Message = ArrivingContent & { envelope: Envelope }

/** @throws Refusal for what the message is, Failure and errors for what went wrong here; whatever the stream throws if the peer is gone. */
export async function takeMessage(context: Dependencies, message: Message): Promise<{ id: string; bytes: number }> {
  const { clock, gateways, repositories } = context
  const { recipients, ...sender } = message.envelope
  const teams = teamsOf(message.envelope)
  const reports = recipients.flatMap(({ address, destination }) => (isReceiving(destination) ? [] : [{ address, destination }]))
  const blobKey = createId(clock)
  const { bytes } = await gateways.blobs.put(blobKey, Readable.from(watchedContent(message))).catch(async (error) => {
    // Nothing is on the disk any longer while the rest arrives.
    await discardRest({ ...message, discard: message.arrival.discard })
    throw error
  })
  const filter = teams.size === 0 ? null : await filtered(gateways, { blobKey, bytes, ...message })
  const receivedAt = clock.now()
  const copies = reports.map(
    ({ address, destination }): NewInboundMessage => ({
      ...sender,
      ...destination,
      id: createId(clock),
      rcptTo: address,
      blobKey,
      bytes,
      receivedAt,
    }),
  )
  const received: NewReceivedEmail[] = []
  const rooms = await takeRooms(context, [...teams.keys()], { blobKey, bytes })
  try {
    for (const [teamId, rcptTo] of teams) {
      const isFirst = reports.length === 0 && received.length === 0
      const ownKey = isFirst ? blobKey : createId(clock)
      if (!isFirst) await gateways.blobs.copy(blobKey, ownKey)
      received.push({ ...sender, id: createId(clock), teamId, rcptTo, blobKey: ownKey, bytes, filter, createdAt: receivedAt })
    }
    // A commit that seems to fail may have succeeded. So the blob stays, and the sweep removes it if no row names it.
    await repositories.inboundMessages.storeAcrossTeams(copies, received)
  } finally {
    await endAll(rooms)
  }
  return { id: copies[0]?.id ?? received[0]?.id ?? blobKey, bytes }
}

const endAll = (rooms: StorageRoom[]): Promise<unknown> => Promise.all(rooms.map((room) => room.end()))

/** Room for a message in each of its teams. @throws Refusal if one has none, because a message is taken for all or for none */
async function takeRooms(
  context: Dependencies,
  teamIds: string[],
  { blobKey, bytes }: { blobKey: string; bytes: number },
): Promise<StorageRoom[]> {
  const rooms: StorageRoom[] = []
  for (const teamId of teamIds) {
    const room = await takeStorage(context, teamId, bytes)
    if (!(room instanceof Failure)) rooms.push(room)
    else {
      await endAll(rooms)
      await context.gateways.blobs.discard([blobKey])
      throw new Refusal('team storage')
    }
  }
  return rooms
}

/** @throws Refusal if the filter says so. */
async function filtered(
  { blobs, filter }: Pick<Context['gateways'], 'blobs' | 'filter'>,
  { blobKey, bytes, envelope }: { blobKey: string; bytes: number; envelope: Envelope },
): Promise<FilterResult | null> {
  if (filter === null) return null
  const { mailFrom, peer, helo } = envelope
  const recipients = envelope.recipients.map(({ address }) => address)
  const { result, refuses } = await filter.check({ mailFrom, recipients, peer, helo, bytes, open: () => blobs.open(blobKey) })
  if (refuses === 'not') return result
  await blobs.discard([blobKey])
  throw new Refusal(refuses === 'now' ? 'filter' : result.verdict === 'virus' ? 'virus' : 'spam')
}

/** The addresses of each team to which a message comes. */
export const teamsOf = ({ recipients }: Pick<Envelope, 'recipients'>): Map<string, string[]> => {
  const teams = new Map<string, string[]>()
  for (const { address, destination } of recipients)
    if (isReceiving(destination)) teams.set(destination.teamId, [...(teams.get(destination.teamId) ?? []), address])
  return teams
}

/** The content, up to where it turns out that it is refused. */
async function* watchedContent({ stream, arrival, bytesMax }: ArrivingContent): AsyncGenerator<Buffer> {
  const watch = createLineWatch()
  let bytes = 0
  for await (const piece of stream.iterator({ destroyOnReturn: false })) {
    bytes += piece.length
    const reason = bytes > bytesMax ? 'size' : (watch(piece) ?? (await arrival.admit(piece)))
    if (reason !== null) throw new Refusal(reason)
    yield piece
  }
}

/** Reads what follows, because the sender reads our reply only after its end. */
export async function discardRest({ stream, discard, bytesMax }: DiscardedContent): Promise<void> {
  if (stream.readableEnded) return
  let bytes = 0
  for await (const piece of stream.iterator({ destroyOnReturn: false })) {
    bytes += piece.length
    discard(piece.length)
    // Someone who pays no attention to the limit that EHLO states is not heard to the end.
    if (bytes > bytesMax) {
      stream.destroy()
      throw new Refusal('flood')
    }
  }
}

export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  return new Refusal(error instanceof Failure && error.kind === 'unavailable' ? 'disk' : 'failure')
}

/** The SMTP library destroys the content when its connection ends. */
export const isGonePeer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNECTION' || error.code === GONE_PEER)

/** A stream that is closed before its end fails with this code. */
export const GONE_PEER = 'ERR_STREAM_PREMATURE_CLOSE'
