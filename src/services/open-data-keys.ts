// Data keys are stored in the database under SECRET_KEY, which can change without invalidating them.
import type { Context } from '../context.ts'
import {
  contextOf,
  type DataKeys,
  KEY_PURPOSES,
  type KeyPurpose,
  type KeyVersions,
  signingVersion,
  wrongSecretKey,
} from '../lib/signing/data-keys.ts'
import { newDataKey, unwrapKey, wrapKey } from '../lib/signing/key-wrapping.ts'
import type { DataKeyRow } from '../repositories/team/data-keys.ts'

type Secrets = { secretKey: string; secretKeyPrevious: string | null }
type Repository = Context['repositories']['dataKeys']

/**
 * Opens all keys, makes the missing ones, and wraps again those that the previous secret has wrapped.
 *
 * @throws StartupProblem if neither secret opens a key, because existing links and hashes would silently become invalid.
 */
export async function openDataKeys(dataKeys: Repository, secrets: Secrets): Promise<DataKeys> {
  // Existing keys first: the right secret could never open a key that a wrong secret added.
  const stored = await openAll(dataKeys, secrets)
  const missing = KEY_PURPOSES.filter((purpose) => stored[purpose].signing === null)
  for (const purpose of missing)
    await dataKeys.addFirst({ purpose, wrapped: wrapKey(secrets.secretKey, newDataKey(), contextOf({ purpose, version: 1 })) })
  // Another process may have been faster.
  let known = missing.length === 0 ? stored : await openAll(dataKeys, secrets)
  return {
    of: (purpose) => known[purpose],
    async readAgain() {
      const { versions, unopened } = readNewer(await dataKeys.list(), known, secrets)
      known = versions
      return unopened
    },
  }
}

type Versions = Record<KeyPurpose, KeyVersions>

async function openAll(dataKeys: Repository, { secretKey, secretKeyPrevious }: Secrets): Promise<Versions> {
  const opened = new Map<DataKeyRow, Buffer>()
  for (const row of await dataKeys.list()) {
    const context = contextOf(row)
    const key = unwrapKey(secretKey, row.wrapped, context)
    const previous = key ?? (secretKeyPrevious === null ? null : unwrapKey(secretKeyPrevious, row.wrapped, context))
    if (!previous) throw wrongSecretKey()
    if (!key) await dataKeys.rewrap({ ...row, wrapped: wrapKey(secretKey, previous, context) })
    opened.set(row, previous)
  }
  return byPurpose((purpose) => versionsOf(purpose, opened))
}

/** A version never changes its key, so known keys are not read again, and stay known if another process has wrapped them under a later secret. */
function readNewer(
  rows: DataKeyRow[],
  known: Versions,
  { secretKey, secretKeyPrevious }: Secrets,
): { versions: Versions; unopened: string[] } {
  const opened = new Map<DataKeyRow, Buffer>()
  const unopened: string[] = []
  for (const row of rows) {
    const purpose = KEY_PURPOSES.find((one) => one === row.purpose)
    if (!purpose) continue
    const context = contextOf(row)
    const key =
      known[purpose].keys.get(row.version) ??
      unwrapKey(secretKey, row.wrapped, context) ??
      (secretKeyPrevious === null ? null : unwrapKey(secretKeyPrevious, row.wrapped, context))
    if (key) opened.set(row, key)
    else unopened.push(context)
  }
  const versions = byPurpose((purpose) => {
    const found = versionsOf(purpose, opened)
    // The newest version is never retired. If none is left, someone has emptied the table, and links must still be opened.
    return found.signing === null ? known[purpose] : found
  })
  return { versions, unopened }
}

function versionsOf(purpose: KeyPurpose, opened: ReadonlyMap<DataKeyRow, Buffer>): KeyVersions {
  const own = [...opened].filter(([row]) => row.purpose === purpose)
  return { signing: signingVersion(own.map(([row]) => row)), keys: new Map(own.map(([row, key]) => [row.version, key])) }
}

const byPurpose = (versions: (purpose: KeyPurpose) => KeyVersions): Versions => ({
  download: versions('download'),
  share: versions('share'),
  session: versions('session'),
  'inline-image': versions('inline-image'),
  unsubscribe: versions('unsubscribe'),
  'opt-out': versions('opt-out'),
  dkim: versions('dkim'),
  'return-path': versions('return-path'),
  tracking: versions('tracking'),
  webhook: versions('webhook'),
  oauth: versions('oauth'),
})
