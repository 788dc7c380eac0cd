// Data keys: random, one per purpose and version, kept in the database under SECRET_KEY, which can change without voiding them.
import { randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import { unwrapKey, wrapKey } from '../lib/key-wrapping.ts'
import { StartupProblem } from '../lib/startup-problem.ts'

export const LINK_PURPOSES = ['download', 'share', 'session', 'inline-image', 'unsubscribe'] as const
/** The keys of `opt-out` and `unsubscribe` are never retired: what people decided, and the links in mail that is long delivered, depend on them. */
const KEY_PURPOSES = [...LINK_PURPOSES, 'opt-out'] as const
type KeyPurpose = (typeof KEY_PURPOSES)[number]

/** All versions of the keys of each purpose; the highest signs. */
export type DataKeys = Record<KeyPurpose, Map<number, Buffer>>

type Secrets = { secretKey: string; secretKeyPrevious: string | null }

type Repository = Context['repositories']['dataKeys']

/** @throws StartupProblem when neither secret opens a key: links and hashes that exist would silently become void. */
export async function openDataKeys(dataKeys: Repository, secrets: Secrets): Promise<DataKeys> {
  // What is there comes first: a key that a wrong secret added would never be opened by the right one.
  const stored = await openStored(dataKeys, secrets)
  const missing = KEY_PURPOSES.filter((purpose) => stored[purpose].size === 0)
  if (missing.length === 0) return stored
  for (const purpose of missing) {
    await dataKeys.add({ purpose, version: 1, wrapped: wrapKey(secrets.secretKey, randomBytes(32), `${purpose} 1`) })
  }
  // Another process may have been faster.
  return openStored(dataKeys, secrets)
}

async function openStored(dataKeys: Repository, { secretKey, secretKeyPrevious }: Secrets): Promise<DataKeys> {
  const opened: DataKeys = {
    download: new Map(),
    share: new Map(),
    session: new Map(),
    'inline-image': new Map(),
    unsubscribe: new Map(),
    'opt-out': new Map(),
  }
  for (const { purpose, version, wrapped } of await dataKeys.list()) {
    const context = `${purpose} ${version}`
    const key = unwrapKey(secretKey, wrapped, context)
    const previous = key ?? (secretKeyPrevious === null ? null : unwrapKey(secretKeyPrevious, wrapped, context))
    if (!previous)
      throw new StartupProblem(
        'SECRET_KEY does not open the keys in the database: set the SECRET_KEY they were made with, or that one as SECRET_KEY_PREVIOUS.',
      )
    if (!key) await dataKeys.rewrap({ purpose, version, wrapped: wrapKey(secretKey, previous, context) })
    const known = KEY_PURPOSES.find((one) => one === purpose)
    if (known) opened[known].set(version, previous)
  }
  return opened
}
