// Takes a message: watches its bytes, stores it, and commits its rows. Only then may the server say that it has it.
import { Readable } from 'node:stream'
import type { SMTPServerDataStream } from 'smtp-server'
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { createId } from '../lib/ids.ts'
import { createLineWatch } from '../mail/incoming-lines.ts'
import type { Destination } from './destinations.ts'
import type { InboundLimits } from './limits.ts'
import { Refusal } from './replies.ts'

export type Envelope = {
  mailFrom: string
  recipients: { address: string; destination: Destination }[]
  peer: string
  helo: string
  tls: string | null
}

type Dependencies = Pick<Context, 'clock' | 'gateways' | 'repositories'>

/** @throws Refusal for what the message is, Failure and errors for what went wrong here; whatever the stream throws if the peer is gone. */
export async function takeMessage(
  { clock, gateways, repositories }: Dependencies,
  { stream, envelope, limits }: { stream: SMTPServerDataStream; envelope: Envelope; limits: InboundLimits },
): Promise<{ id: string; bytes: number }> {
  const { recipients, ...sender } = envelope
  const blobKey = createId(clock)
  const content = Readable.from(watchedContent(stream, limits.messageBytesMax))
  const { bytes } = await gateways.blobs.put(blobKey, content).finally(() => {
    // The reply comes after the end of the message, even if the beginning could not be written.
    stream.resume()
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

/** The content, until it turns out that it is refused. What follows is read, because the sender reads our reply only after its end. */
async function* watchedContent(stream: SMTPServerDataStream, bytesMax: number): AsyncGenerator<Buffer> {
  const watch = createLineWatch()
  let bytes = 0
  let refusal: Refusal | null = null
  for await (const piece of stream.iterator({ destroyOnReturn: false })) {
    bytes += piece.length
    if (refusal === null) {
      const fault = watch(piece)
      if (bytes > bytesMax) refusal = new Refusal('size')
      else if (fault !== null) refusal = new Refusal(fault)
      else yield piece
    }
    // Someone who pays no attention to the limit that EHLO states is not heard to the end.
    if (bytes > 2 * bytesMax) {
      stream.destroy()
      throw new Refusal('flood')
    }
  }
  if (refusal !== null) throw refusal
}

export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  return new Refusal(error instanceof Failure && error.kind === 'unavailable' ? 'disk' : 'failure')
}

/** The SMTP library destroys the content when its connection ends. */
export const isGonePeer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNECTION' || error.code === 'ERR_STREAM_PREMATURE_CLOSE')
