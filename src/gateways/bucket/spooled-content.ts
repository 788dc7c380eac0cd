// A content that is known whole before it is sent: its length, its digest, and any part of it as often as it is tried.
import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { refuseFull } from '../files/full-disk.ts'

export type SpooledContent = {
  bytes: number
  /** SHA-256, in hexadecimal. */
  sha256: string
  part(start: number, end: number): Promise<Buffer>
  close(): Promise<void>
}

/** More than this goes to the disk, so that many large contents at once need little memory. */
const MEMORY_BYTES_MAX = 256 * 1024

/** @throws Failure `unavailable` if the disk is full; errors of the stream pass through. */
export async function spool(content: Readable | Buffer, temporaryFolder: string): Promise<SpooledContent> {
  if (Buffer.isBuffer(content)) return inMemory(content)
  const first: Buffer[] = []
  let bytes = 0
  const pieces: AsyncIterator<Buffer | string> = content[Symbol.asyncIterator]()
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    const piece = Buffer.from(next.value)
    first.push(piece)
    bytes += piece.length
    if (bytes > MEMORY_BYTES_MAX) return onDisk(first, pieces, temporaryFolder).catch(refuseFull)
  }
  return inMemory(Buffer.concat(first))
}

const inMemory = (content: Buffer): SpooledContent => ({
  bytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
  part: async (start, end) => content.subarray(start, end),
  close: async () => {},
})

async function onDisk(first: Buffer[], rest: AsyncIterator<Buffer | string>, temporaryFolder: string): Promise<SpooledContent> {
  const file = await openNameless(temporaryFolder)
  try {
    const hash = createHash('sha256')
    let bytes = 0
    const write = async (piece: Buffer): Promise<void> => {
      hash.update(piece)
      for (let at = 0; at < piece.length; ) at += (await file.write(piece, at, piece.length - at, bytes + at)).bytesWritten
      bytes += piece.length
    }
    for (const piece of first) await write(piece)
    for (let next = await rest.next(); !next.done; next = await rest.next()) await write(Buffer.from(next.value))
    return { bytes, sha256: hash.digest('hex'), part: (start, end) => read(file, start, end), close: () => file.close() }
  } catch (error) {
    await file.close()
    await rest.return?.()
    throw error
  }
}

/** Without a name it is gone when the process ends, however that is. */
async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, randomUUID())
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  return file
}

async function read(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const part = Buffer.allocUnsafe(end - start)
  for (let at = 0; at < part.length; ) {
    const { bytesRead } = await file.read(part, at, part.length - at, start + at)
    if (bytesRead === 0) throw new Error('A spooled file is shorter than what was written')
    at += bytesRead
  }
  return part
}
