// Where files such as attachments are stored: in a folder, or in a bucket.
import { resolve } from 'node:path'
import type { Variables } from '../environment.ts'
import { isProblem } from '../lib/problem.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { type Bucket, parseStorageUrl } from '../lib/storage-url.ts'
import { shown } from './wrong-values.ts'

/** With a bucket, the folder has only what is on its way there. */
export function storage(
  { STORAGE_URL: value, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: key }: Variables,
  dataDir: string,
): { blobFolder: string; bucket: Bucket | null } {
  const ownFolder = resolve(dataDir, 'blobs')
  if (value === undefined) return { blobFolder: ownFolder, bucket: null }
  const parsed = parseStorageUrl(value)
  if (isProblem(parsed)) throw new StartupProblem(`STORAGE_URL ${parsed.problem}; it is ${shown('STORAGE_URL', value)}.`)
  if ('folder' in parsed) return { blobFolder: parsed.folder, bucket: null }
  if ((id === undefined) !== (key === undefined))
    throw new StartupProblem('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY need each other: set both, or neither.')
  return { blobFolder: ownFolder, bucket: parsed.bucket }
}
