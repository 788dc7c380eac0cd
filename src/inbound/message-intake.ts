// Takes a message: watches its bytes, stores it, and commits its rows. Only then may the server say that it has it.
import { Readable } from 'node:stream'
import type { SMTPServerDataStream } from 'smtp-server'
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { createId } from '../lib/ids.ts'
import { createLineWatch } from '../mail/incoming-lines.ts'
import type { Destination } from './destinations.ts'
import type { InboundLimits } from './limits.ts'
import { Refusal, type RefusalReason } from './replies.ts'

export type Envelope = {
  mailFrom: string
  recipients: { address: string; destination: Destination }[]
  peer: string
  helo: string
  tls: string | null
}

/** What is asked about the bytes of a message as they arrive. */
export type Arrival = {
  /** Null if these bytes may be stored. */
  admit(bytes: number): Promise<RefusalReason | null>
  /** Counts bytes that are thrown away. */
  discard(bytes: number): void
}

type Dependencies = Pick<Context, 'clock' | 'gateways' | 'repositories'>

type Message = { stream: SMTPServerDataStream; envelope: Envelope; arrival: Arrival; limits: InboundLimits }

/** @throws Refusal for what the message is, Failure and errors for what went wrong here; whatever the stream throws if the peer is gone. */
export async function takeMessage(
  { clock, gateways, repositories }: Dependencies,
  message: Message,
): Promise<{ id: string; bytes: number }> {
  const { recipients, ...sender } = message.envelope
  const blobKey = createId(clock)
  const { bytes } = await gateways.blobs.put(blobKey, Readable.from(watchedContent(message))).catch(async (error) => {
    // Nothing is on the disk any longer while the rest arrives.
    await discardRest(message)
    throw error
  })
  const receivedAt = clock.now()
  const copies = recipients.map(({ address, destination }) => ({
    ...sender,
    ...destination,
    id: createId(clock),
    rcptTo: address,
    blobKey,
    bytes,
    receivedAt,
  }))
  // A commit that seems to fail may have succeeded. So the blob stays, and the sweep removes it if no row names it.
  await repositories.inboundMessages.storeAcrossTeams(copies)
  return { id: copies[0]?.id ?? blobKey, bytes }
}

/** The content, up to where it turns out that it is refused. */
async function* watchedContent({ stream, arrival, limits }: Message): AsyncGenerator<Buffer> {
  const watch = createLineWatch()
  let bytes = 0
  for await (const piece of stream.iterator({ destroyOnReturn: false })) {
    bytes += piece.length
    const reason = bytes > limits.messageBytesMax ? 'size' : (watch(piece) ?? (await arrival.admit(piece.length)))
    if (reason !== null) throw new Refusal(reason)
    yield piece
  }
}

/** Reads what follows, because the sender reads our reply only after its end. */
async function discardRest({ stream, arrival, limits }: Message): Promise<void> {
  if (stream.readableEnded) return
  let bytes = 0
  for await (const piece of stream.iterator({ destroyOnReturn: false })) {
    bytes += piece.length
    arrival.discard(piece.length)
    // Someone who pays no attention to the limit that EHLO states is not heard to the end.
    if (bytes > limits.messageBytesMax) {
      stream.destroy()
      throw new Refusal('flood')
    }
  }
}

export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  return new Refusal(error instanceof Failure && error.kind === 'unavailable' ? 'disk' : 'failure')
}

/** The SMTP library destroys the content when its connection ends. */
export const isGonePeer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNECTION' || error.code === 'ERR_STREAM_PREMATURE_CLOSE')
