// Stores images: what they say of themselves is checked first, then they are encoded anew, and only that is stored.
import type { PlatformContext } from '../../http/platform.context.ts'
import { invalid } from '../../lib/failure.ts'
import { createId, createImageToken } from '../../lib/ids.ts'
import { COPIES_OF_LARGE_BODY } from '../../lib/limits/memory-plan.ts'
import type { TakeRoom } from '../../lib/limits/shared-room.ts'
import { doInPieces } from '../../lib/main-thread.ts'
import { explainProblem, isProblem, problem } from '../../lib/problem.ts'
import { decodeContent } from '../../mail/attachments.ts'
import type { LimitsContext } from '../limits/limits.context.ts'
import { withinStorage } from '../limits/team-storage.service.ts'
import type { ImagesContext } from './images.context.ts'
import type { ImageRow } from './images.repository.ts'
import { IMAGE_BYTES_MAX, IMAGE_PIXELS_MAX, type ImageCreate } from './images.schema.ts'
import { type ImageHeader, readImageHeader } from './processing/image-headers.ts'

type Context = PlatformContext & LimitsContext & ImagesContext

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'quotas' | 'clock' | 'config' | 'largeContent'>

/** Four characters for three bytes, and line breaks. */
const CONTENT_LENGTH_MAX = Math.ceil((IMAGE_BYTES_MAX / 3) * 4 * 1.1)
/** What decoding and encoding take of memory for a pixel, at most: a WebP, of which both hold copies. */
const BYTES_PER_PIXEL = 26

/** @throws Failure `validation` about the file, `storageFull`, `unavailable` */
export async function createImage(
  context: Dependencies,
  teamId: string,
  { input: { content, name = 'Image' }, takeRoom }: { input: ImageCreate; takeRoom: TakeRoom },
): Promise<ImageRow> {
  const { repositories, gateways, clock } = context
  const bytes = await bytesOf(content)
  const header = checkedHeader(bytes)
  takeRoom(roomFor(context, header))
  const { type: contentType, isLossless } = header
  const task = { bytes, type: contentType, isLossless, pixels: pixelsOf(header), pixelsMax: IMAGE_PIXELS_MAX }
  const encoded = await gateways.images.encodeAnew(teamId, task)
  const { width, height, frames } = encoded
  const size = encoded.bytes.byteLength
  const blobKey = createId(clock)
  return withinStorage(context, { teamId, bytes: size }, async () => {
    try {
      await gateways.blobs.put(blobKey, Buffer.from(encoded.bytes.buffer, encoded.bytes.byteOffset, size))
      return await repositories.images.create(teamId, {
        token: createImageToken(),
        name,
        contentType,
        width,
        height,
        frames,
        size,
        blobKey,
      })
    } catch (error) {
      await gateways.blobs.discard([blobKey])
      throw error
    }
  })
}

async function bytesOf(content: string): Promise<Buffer> {
  if (content.length > CONTENT_LENGTH_MAX) throw invalid(explainProblem('content', TOO_LARGE))
  const bytes = await doInPieces(decodeContent(content))
  if (isProblem(bytes)) throw invalid(explainProblem('content', bytes))
  if (bytes.length > IMAGE_BYTES_MAX) throw invalid(explainProblem('content', TOO_LARGE))
  return bytes
}

function checkedHeader(bytes: Buffer): ImageHeader {
  const header = readImageHeader(bytes)
  if (isProblem(header)) throw invalid(explainProblem('content', header))
  if (pixelsOf(header) > IMAGE_PIXELS_MAX) throw invalid(explainProblem('content', tooManyPixels(header)))
  return header
}

/** Where memory is little, in the room for large content, which is counted in bytes of bodies: as much as there can be beside the body. */
function roomFor({ config, largeContent }: Dependencies, header: ImageHeader): number {
  const { imageBytes, imageBytesOfLargeContent } = config.memory
  const own = imageBytes - imageBytesOfLargeContent
  const bytes = Math.max(0, Math.min(pixelsOf(header) * BYTES_PER_PIXEL, imageBytes) - own)
  return Math.floor(Math.min(bytes / COPIES_OF_LARGE_BODY, largeContent.shareBytesMax / 2))
}

const pixelsOf = ({ width, height, frames }: ImageHeader): number => width * height * frames

/**
 * Null if the team has no such image. Counted before, because the answer says it.
 * @returns in how many broadcasts that were sent it stands
 */
export async function deleteImage(
  { repositories, gateways, countBroadcasts }: Pick<Context, 'repositories' | 'gateways' | 'countBroadcasts'>,
  teamId: string,
  id: string,
): Promise<{ id: string; sentBroadcasts: number } | null> {
  const image = await repositories.images.find(teamId, id)
  if (!image) return null
  const sentBroadcasts = await countBroadcasts(teamId, image.token, 'sent')
  const removed = await repositories.images.deleteImage(teamId, id)
  if (removed?.blobKey) await gateways.blobs.discard([removed.blobKey])
  return removed && { id: removed.id, sentBroadcasts }
}

const TOO_LARGE = problem(`may have at most ${IMAGE_BYTES_MAX / 1024 / 1024} MB`)

const tooManyPixels = ({ width, height, frames }: ImageHeader) =>
  problem(
    `may have at most ${IMAGE_PIXELS_MAX.toLocaleString('en')} pixels, all frames together. It has ${width} x ${height}${frames > 1 ? ` in ${frames} frames` : ''}`,
  )
