// Files that are written and read with their SHA-256, in pieces, whatever their size.
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export type Digest = { bytes: number; sha256: string }

/** Passes bytes on, and counts them. */
class Digesting extends Transform {
  #hash = createHash('sha256')
  #bytes = 0

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk)
    this.#bytes += chunk.length
    done(null, chunk)
  }

  /** The digest of all bytes that have passed. Call it once. */
  digest(): Digest {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }
}

/**
 * Writes a file that only its owner can read. It survives a loss of power once its folder is synced too. `allow` fails if so many bytes more must not
 * be written.
 */
export async function writeDigested(
  path: string,
  content: Readable,
  allow: (bytes: number) => Promise<void> = async () => {},
): Promise<Digest> {
  const file = await open(path, 'wx', 0o600)
  try {
    const digesting = new Digesting()
    await pipeline(content, digesting, intoFile(file, allow))
    await file.sync()
    return digesting.digest()
  } finally {
    await file.close()
  }
}

const intoFile = (file: FileHandle, allow: (bytes: number) => Promise<void>) => async (chunks: AsyncIterable<Buffer>) => {
  for await (const chunk of chunks) {
    await allow(chunk.length)
    await writeWhole(file, chunk)
  }
}

async function writeWhole(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
}

/** Reads the whole file. */
export async function digestOfFile(path: string): Promise<Digest> {
  const hash = createHash('sha256')
  let bytes = 0
  const file = await open(path)
  for await (const chunk of file.createReadStream({ highWaterMark: READ_BYTES })) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

const READ_BYTES = 256 * 1024

/** Fails at its end if the file is not what it was when it was checked. */
export async function openDigested(path: string, { sha256 }: Pick<Digest, 'sha256'>): Promise<Readable> {
  const digesting = new Digesting({
    flush(done) {
      done(digesting.digest().sha256 === sha256 ? null : new Error(`${path} was changed while it was read`))
    },
  })
  const file = await open(path)
  const source = file.createReadStream({ highWaterMark: READ_BYTES })
  source.on('error', (error) => digesting.destroy(error))
  digesting.on('close', () => source.destroy())
  return source.pipe(digesting)
}
