// Keeps a message while it arrives: a small one in memory, a large one on the disk.
import { Readable } from 'node:stream'
import type { SMTPServerDataStream } from 'smtp-server'
import type { PlatformContext } from '../../http/platform.context.ts'
import type { InboundLimits } from '../../io/smtp/server/peers.ts'
import { Refusal, type RefusalReason } from '../../io/smtp/server/replies.ts'
import { createId } from '../../lib/ids.ts'
import { createLineWatch } from '../../mail/incoming-lines.ts'
import { createFormWatch, HEAD_BYTES_MAX } from '../../mail/message-head.ts'
import { createAmounts } from '../inbound/server/backlog-quota.ts'
import { discardRest, GONE_PEER } from '../inbound/server/message-intake.ts'

type Context = PlatformContext

// Room on the disk for large messages until they are accepted or refused. Nothing else counts them: those of POST /emails are bodies in memory.

export type SpoolRoom = {
  /** A message of this team begins to arrive. */
  open(teamId: string): SpooledMessage
}

export type SpooledMessage = {
  /** Null if there is room on the disk for these bytes, which then count. */
  take(bytes: number): Promise<RefusalReason | null>
  /** Its blob is gone, or that of an email. */
  end(): void
}

export function createSpoolRoom(
  { gateways: { diskSpace } }: Pick<Context, 'gateways'>,
  { waitingBytesMax }: Pick<InboundLimits, 'waitingBytesMax'>,
): SpoolRoom {
  const spooled = createAmounts()
  return {
    open(teamId) {
      let taken = 0
      return {
        async take(bytes) {
          // A team may take up as much as is left: one alone half of the room, and another always finds some.
          if (spooled.inAll.bytes + spooled.of(teamId).bytes + bytes > waitingBytesMax) return 'waiting'
          taken += bytes
          spooled.add(teamId, { messages: 0, bytes })
          diskSpace.use(bytes)
          return (await diskSpace.isLow()) ? 'disk' : null
        },
        end() {
          spooled.add(teamId, { messages: 0, bytes: -taken })
          taken = 0
        },
      }
    },
  }
}

export type Spooled = { beginning: Buffer; blobKey: string | null; bytes: number }

type Blobs = Context['gateways']['blobs']
type Arriving = { stream: SMTPServerDataStream; bytesMax: number; room: Pick<SpooledMessage, 'take'> }
type Check = (piece: Buffer) => RefusalReason | null

/** A small message is stored in its row. It holds the largest header, so that this is read from memory. */
const SMALL_BYTES_MAX = HEAD_BYTES_MAX

/** @throws Refusal for what the message is; whatever the store and the stream throw. */
export async function spoolMessage(blobs: Blobs, { stream, bytesMax, room }: Arriving): Promise<Spooled> {
  const check = createCheck(bytesMax)
  // It may fail while no one reads it.
  stream.on('error', () => {})
  try {
    const { beginning, isWhole } = await readBeginning(stream, check)
    if (isWhole) return { beginning, blobKey: null, bytes: beginning.length }
    const blobKey = createId()
    const pieces = Readable.from(readPieces(beginning, stream, { check, room }), { objectMode: false })
    const { bytes } = await blobs.put(blobKey, pieces)
    return { beginning, blobKey, bytes }
  } catch (error) {
    await discardRest({ stream, bytesMax, discard: () => {} })
    throw error
  }
}

function createCheck(bytesMax: number): Check {
  const [hasLines, hasForm] = [createLineWatch(), createFormWatch()]
  let bytes = 0
  return (piece) => {
    bytes += piece.length
    return bytes > bytesMax ? 'size' : (hasLines(piece) ?? hasForm(piece))
  }
}

/** All of a small message, and the first pieces of a large one. By events, because an iterator costs more than the rest of it. */
function readBeginning(stream: SMTPServerDataStream, check: Check): Promise<{ beginning: Buffer; isWhole: boolean }> {
  const pieces: Buffer[] = []
  let bytes = 0
  const { promise, resolve, reject } = Promise.withResolvers<{ beginning: Buffer; isWhole: boolean }>()
  const end = (isWhole: boolean) => resolve({ beginning: pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces), isWhole })
  const listeners = {
    data(piece: Buffer) {
      const reason = check(piece)
      pieces.push(piece)
      bytes += piece.length
      if (reason === null && bytes <= SMALL_BYTES_MAX) return
      leave()
      stream.pause()
      if (reason === null) end(false)
      else reject(new Refusal(reason))
    },
    end() {
      leave()
      end(true)
    },
    error(error: Error) {
      leave()
      reject(error)
    },
    close() {
      leave()
      reject(Object.assign(new Error('The client is gone'), { code: GONE_PEER }))
    },
  }
  const leave = () => {
    for (const [event, listener] of Object.entries(listeners)) stream.off(event, listener)
  }
  for (const [event, listener] of Object.entries(listeners)) stream.on(event, listener)
  return promise
}

/** A large message, up to where it turns out that it is refused. */
async function* readPieces(
  beginning: Buffer,
  stream: SMTPServerDataStream,
  { check, room }: { check: Check; room: Arriving['room'] },
): AsyncGenerator<Buffer> {
  const admit = (reason: RefusalReason | null) => {
    if (reason !== null) throw new Refusal(reason)
  }
  admit(await room.take(beginning.length))
  yield beginning
  for await (const piece of stream.iterator({ destroyOnReturn: false })) {
    admit(check(piece) ?? (await room.take(piece.length)))
    yield piece
  }
}
