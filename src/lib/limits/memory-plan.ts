// Divides the memory of the process among what holds content at once. The shares together are never more than the process may take, so no part can end
// it, and none waits for another.
import { createSharedRoom, type SharedRoom } from './shared-room.ts'

const MIB = 1024 * 1024

const LITTLE_BYTES = 1_024 * MIB

/** Code, connections, small requests: 180 MB at rest; a thread that reads a message of 40 MB: 110 MB; and what is collected late. */
const PROCESS_BYTES = 320 * MIB
/** The embedded PostgreSQL with its connections. */
const DATABASE_BYTES = 384 * MIB
/** With less than this for content, hardly anything large would get through. */
const CONTENT_BYTES_MIN = 64 * MIB
/** A large body is there as bytes, as text, and as what was read of the text. */
export const COPIES_OF_LARGE_BODY = 3
/** A small one takes more: many short values, each with what it costs by itself. */
export const COPIES_OF_SMALL_BODY = 4
/** More than this has no use: the database and the processors are what is short then. */
const LARGEST_BODIES = 3
const SMALL_BODIES_BYTES_MAX = 64 * MIB
const DELIVERIES_BYTES_MAX = 64 * MIB
/** One team takes no more of the room for large content, so that there is some left for another. */
const LARGE_CONTENT_PER_TEAM = 2 / 3
/** Half, as Node.js takes it in a container. The rest is for what is outside of the heap: bytes of bodies and files, code, the embedded database. */
const HEAP_SHARE = 1 / 2
/** At rest the service has 80 MB in its heap. */
const HEAP_BYTES_MIN = 192 * MIB
/** A WebP of 25 megapixels, which both decoder and encoder hold. */
const IMAGE_BYTES_MAX = 704 * MIB
/** The library for images begins with so much, which it hardly fills. */
const IMAGE_BYTES_MIN = 256 * MIB
const SHARES = { largeContent: 0.6, smallBodies: 0.25, deliveries: 0.15 }

export type MemoryPlan = {
  /** What the process may take. */
  limitBytes: number
  /** What is collected late, or kept for later, is missing elsewhere. */
  isLittle: boolean
  /** What the objects and strings of a thread may take, also of the first one. */
  heapBytes: number
  /** Larger request bodies, what requests make, and large messages that are read, in bytes of their length. */
  largeContentBytes: number
  /** Request bodies up to 1 MB, in bytes of their announced length. */
  smallBodiesBytes: number
  /** Content of emails that are being sent, loaded and composed. */
  deliveriesBytes: number
  /** What decoding and encoding one image may take. */
  imageBytes: number
  /** How much of that is there for large content otherwise, and is taken of its room meanwhile. */
  imageBytesOfLargeContent: number
}

export type MemoryPlanOptions = {
  limitBytes: number
  /** The largest body that is accepted. */
  requestBytesMax: number
  /** The limit is also that of the embedded database. */
  hasDatabase: boolean
}

export function planMemory({ limitBytes, requestBytesMax, hasDatabase }: MemoryPlanOptions): MemoryPlan {
  const content = Math.max(CONTENT_BYTES_MIN, limitBytes - PROCESS_BYTES - (hasDatabase ? DATABASE_BYTES : 0))
  const share = (of: keyof typeof SHARES, copies: number) => Math.floor((content * SHARES[of]) / copies)
  const largeContentBytes = Math.min(LARGEST_BODIES * requestBytesMax, share('largeContent', COPIES_OF_LARGE_BODY))
  const smallBodiesBytes = Math.min(SMALL_BODIES_BYTES_MAX, share('smallBodies', COPIES_OF_SMALL_BODY))
  const deliveriesBytes = Math.min(DELIVERIES_BYTES_MAX, share('deliveries', 1))
  const left = content - largeContentBytes * COPIES_OF_LARGE_BODY - smallBodiesBytes * COPIES_OF_SMALL_BODY - deliveriesBytes
  const imageBytes = Math.min(IMAGE_BYTES_MAX, Math.max(IMAGE_BYTES_MIN, left))
  return {
    limitBytes,
    isLittle: limitBytes <= LITTLE_BYTES,
    heapBytes: Math.max(HEAP_BYTES_MIN, Math.floor(limitBytes * HEAP_SHARE)),
    ...{ largeContentBytes, smallBodiesBytes, deliveriesBytes },
    imageBytes,
    imageBytesOfLargeContent: Math.max(0, imageBytes - left),
  }
}

/** The room for large content. */
export const createLargeContentRoom = ({ largeContentBytes }: MemoryPlan): SharedRoom =>
  createSharedRoom({ bytesMax: largeContentBytes, shareBytesMax: Math.floor(largeContentBytes * LARGE_CONTENT_PER_TEAM) })
