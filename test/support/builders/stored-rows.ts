// What is stored at the moment, to show that a refused request leaves nothing.
import { readdir } from 'node:fs/promises'
import { STORE_MARK } from '../../../src/gateways/files/store-mark.ts'
import type { TestService } from '../servers/service.ts'

/** Everything that accepting an email may write. */
const TABLES = [
  'emails',
  'recipients',
  'deliveries',
  'attachments',
  'notifications',
  'attempts',
  'idempotency_keys',
  'graphile_worker.jobs',
]

/** Rows of each table, and the stored files. */
export async function countStored({ database, config }: TestService): Promise<Record<string, number>> {
  const counts = TABLES.map((table) => `(select count(*)::int from ${table}) as "${table}"`)
  const [row] = await database.execute<Record<string, number>>(`select ${counts.join(', ')}`)
  return { ...row, blobs: (await listBlobs(config.blobFolder)).length }
}

/** The result of `countStored` if nothing was ever accepted. */
export const NOTHING_STORED: Record<string, number> = { ...Object.fromEntries(TABLES.map((table) => [table, 0])), blobs: 0 }

/** Names of the stored files, temporary ones included, without the mark that says whose they are. */
async function listBlobs(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && entry.name !== STORE_MARK).map(({ name }) => name)
}
