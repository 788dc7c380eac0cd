// Keeps a message while it arrives: a small one in memory, a large one on the disk.
import { Readable } from 'node:stream'
import type { SMTPServerDataStream } from 'smtp-server'
import type { Context } from '../../context.ts'
import { createId } from '../../lib/ids.ts'
import { createLineWatch } from '../../mail/incoming-lines.ts'
import { HEAD_BYTES_MAX } from '../../mail/submission/head.ts'
import { createFormWatch } from '../../mail/submission/line-forms.ts'
import { discardRest, GONE_PEER } from '../message-intake.ts'
import { Refusal, type RefusalReason } from '../replies.ts'
import type { SpooledMessage } from './spool-room.ts'

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
    const { beginning, isWhole } = await beginningOf(stream, check)
    if (isWhole) return { beginning, blobKey: null, bytes: beginning.length }
    const blobKey = createId()
    const pieces = Readable.from(piecesOf(beginning, stream, { check, room }), { objectMode: false })
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
function beginningOf(stream: SMTPServerDataStream, check: Check): Promise<{ beginning: Buffer; isWhole: boolean }> {
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
async function* piecesOf(
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
