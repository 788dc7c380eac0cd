// The files in a folder of blobs, whole or half-written: all but the mark that says whose they are.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { STORE_MARK } from '../../../src/gateways/files/store-mark.ts'

export async function storedFilesIn(blobFolder: string): Promise<{ name: string; path: string }[]> {
  const entries = await readdir(blobFolder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name !== STORE_MARK)
    .map(({ parentPath, name }) => ({ name, path: join(parentPath, name) }))
}
