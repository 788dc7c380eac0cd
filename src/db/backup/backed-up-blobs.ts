// The blobs of a backup: files beside a list of their digests, in the form of `sha256sum`, which can check it too.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { BlobStore } from '../../io/blobs/blob-store.ts'
import { type Digest, digestOfFile, openDigested } from '../../io/files/digested-files.ts'
import { Failure } from '../../lib/failure.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import type { NewBackup } from './new-backup.ts'

export const BLOB_LIST = 'blobs.sha256'
/** Files at once: a small one is mostly waiting for the disk. */
const FILES_AT_ONCE = 8
const LINE = /^([0-9a-f]{64}) {2}blobs\/([0-9a-f]{2})\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

const nameOf = (key: string): string => `blobs/${key.slice(-2)}/${key}`

export type CopiedBlobs = Digest & { count: number; missing: number; stored_bytes: number }

/** Copies those that are named in a file, one on each line, and writes the list. `onCopied` gets the bytes of each. */
export async function copyBlobs(
  keysFile: string,
  { stored, backup, onCopied }: { stored: Pick<BlobStore, 'open'>; backup: NewBackup; onCopied: (bytes: number) => void },
): Promise<CopiedBlobs> {
  const blobs = { count: 0, missing: 0, stored_bytes: 0 }

  async function copy(key: string): Promise<string> {
    const content = await stored.open(key).catch((error: unknown) => {
      // The row has lost it before: the backup has what there is.
      if (error instanceof Failure && error.kind === 'notFound') return null
      throw error
    })
    if (content === null) {
      blobs.missing += 1
      return ''
    }
    const { bytes, sha256 } = await backup.write(nameOf(key), content)
    blobs.count += 1
    blobs.stored_bytes += bytes
    onCopied(bytes)
    return `${sha256}  ${nameOf(key)}\n`
  }

  const list = await backup.write(BLOB_LIST, Readable.from(together(readLines(keysFile), copy), { objectMode: false }))
  return { ...blobs, ...list }
}

/** The bytes of the blobs that are named in a file, before they are copied. */
export async function sizeOfBlobs(keysFile: string, sizeOf: (key: string) => Promise<number | null>): Promise<number> {
  let bytes = 0
  const add = async (key: string): Promise<string> => {
    // Others are added while this one is waited for.
    const size = await sizeOf(key)
    bytes += size ?? 0
    return ''
  }
  for await (const _ of together(readLines(keysFile), add));
  return bytes
}

export type ListedBlob = { key: string; name: string; sha256: string }

/** @throws StartupProblem for a line of another form, so that no name leads out of the folder. */
export async function* listedBlobs(folder: string): AsyncGenerator<ListedBlob> {
  let number = 0
  for await (const line of readLines(join(folder, BLOB_LIST))) {
    number += 1
    const [, sha256 = '', part = '', key = ''] = LINE.exec(line) ?? []
    if (!key.endsWith(part) || key === '')
      throw new StartupProblem(`Line ${number} of ${join(folder, BLOB_LIST)} names no stored file. Nothing was restored.`)
    yield { key, name: nameOf(key), sha256 }
  }
}

/** Reads all of them. Returns their count and size, and the first file that is missing or differs. */
export async function checkBlobs(
  folder: string,
  onChecked: (bytes: number) => void,
): Promise<{ count: number; bytes: number; damaged: string | null }> {
  const found = { count: 0, bytes: 0, damaged: null as string | null }
  const check = async ({ name, sha256 }: ListedBlob): Promise<string> => {
    const digest = await digestOfFile(join(folder, name)).catch(() => null)
    if (digest?.sha256 !== sha256) found.damaged ??= name
    found.count += 1
    found.bytes += digest?.bytes ?? 0
    onChecked(digest?.bytes ?? 0)
    return ''
  }
  for await (const _ of together(listedBlobs(folder), check)) if (found.damaged !== null) break
  return found
}

/** Stores all of them. Those that are there already from a try before are replaced. */
export async function restoreBlobs(folder: string, blobs: Pick<BlobStore, 'put'>, onRestored: (bytes: number) => void): Promise<void> {
  const restore = async ({ key, name, sha256 }: ListedBlob): Promise<string> => {
    const { bytes } = await blobs.put(key, await openDigested(join(folder, name), { sha256 }))
    onRestored(bytes)
    return ''
  }
  for await (const _ of together(listedBlobs(folder), restore));
}

/** Works on several at once, and yields the results in the order in which they were begun. The first failure ends it. */
async function* together<Item>(items: AsyncIterable<Item>, work: (item: Item) => Promise<string>): AsyncGenerator<string> {
  const running: Promise<string>[] = []
  try {
    for await (const item of items) {
      const result = work(item)
      // A failure counts when its turn comes.
      result.catch(() => {})
      running.push(result)
      if (running.length >= FILES_AT_ONCE) yield (await running.shift()) ?? ''
    }
    while (running.length > 0) yield (await running.shift()) ?? ''
  } finally {
    await Promise.allSettled(running)
  }
}

async function* readLines(path: string): AsyncGenerator<string> {
  await stat(path)
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) yield line
}
