// The hash of a message's body in the relaxed form (RFC 6376, sections 3.4.4 and 3.7), computed as the body passes.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { upTo } from '../../lib/cache.ts'

export type BodyHash = {
  update(chunk: Buffer): void
  /** Base64, as in `bh=`. */
  digest(): string
}

/** What has been converted and not hashed yet. Shared, because nothing is left in it when a call ends. */
const piece = Buffer.allocUnsafe(64 * 1024)

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20

/** Copying a few bytes costs less than hashing them alone. */
const COPIED_BYTES_MAX = 512

const isText = (byte: number): boolean => byte > SPACE || (byte !== SPACE && byte !== TAB && byte !== CR && byte !== LF)
const isTextAt = (chunk: Buffer, at: number): boolean => at < chunk.length && isText(chunk[at] ?? 0)

/** A line ends with LF, with or without CR, because it leaves with both. */
export function createBodyHash(): BodyHash {
  const hash = createHash('sha256')
  let length = 0
  /** Line ends that count only if something follows, because empty lines at the end are left out. */
  let lineEnds = 0
  /** White space that counts, as one space, only if something follows on its line. */
  let isAfterSpace = false
  let isAfterCr = false
  let isEmpty = true

  function put(byte: number): void {
    piece[length++] = byte
    if (length === piece.length) flush()
  }

  function flush(): void {
    if (length > 0) hash.update(piece.subarray(0, length))
    length = 0
  }

  function putText(byte: number): void {
    for (; lineEnds > 0; lineEnds -= 1) {
      put(CR)
      put(LF)
    }
    if (isAfterSpace) put(SPACE)
    isAfterSpace = false
    put(byte)
    isEmpty = false
  }

  function endLine(): void {
    lineEnds += 1
    isAfterSpace = false
  }

  function take(byte: number): void {
    if (isAfterCr && byte !== LF) putText(CR)
    isAfterCr = byte === CR
    if (byte === LF) endLine()
    else if (isText(byte)) putText(byte)
    else if (byte !== CR) isAfterSpace = true
  }

  /** Nearly all of a body is in relaxed form already, so it has a short way. Called after a byte of text. Returns where that form ends. */
  function takeRelaxed(chunk: Buffer, from: number): number {
    let at = from
    while (at < chunk.length) {
      const byte = chunk[at] ?? 0
      if (byte > SPACE) at += 1
      else if (byte === SPACE && isTextAt(chunk, at + 1)) at += 2
      else if (byte === CR && chunk[at + 1] === LF && isTextAt(chunk, at + 2)) at += 3
      else break
    }
    if (at - from < COPIED_BYTES_MAX) for (let copied = from; copied < at; copied += 1) put(chunk[copied] ?? 0)
    else {
      flush()
      hash.update(chunk.subarray(from, at))
    }
    return at
  }

  return {
    update(chunk) {
      let at = 0
      while (at < chunk.length) {
        take(chunk[at] ?? 0)
        at += 1
        if (lineEnds === 0 && !isAfterSpace && !isAfterCr) at = takeRelaxed(chunk, at)
      }
      flush()
    },
    digest() {
      if (isAfterCr) putText(CR)
      if (!isEmpty) {
        put(CR)
        put(LF)
      }
      flush()
      return hash.digest('base64')
    },
  }
}

// Remembers the hashes of bodies, because all recipients of an email get the same one.

export type BodyHashes = {
  /** The hash known by this key, or else what `compute` finds, which runs once for all who ask meanwhile. A failure is not remembered. */
  of(key: string, compute: () => Promise<string>): Promise<string>
}

/** More emails than a process delivers at once. Each takes about 200 bytes. */
const BODY_HASHES_MAX = 5_000

export function createBodyHashes(): BodyHashes {
  const known = new LRUCache<string, Promise<string>>(upTo(BODY_HASHES_MAX))
  return {
    of(key, compute) {
      const found = known.get(key)
      if (found !== undefined) return found
      const computing = compute()
      known.set(key, computing)
      computing.catch(() => {
        if (known.get(key) === computing) known.delete(key)
      })
      return computing
    },
  }
}
