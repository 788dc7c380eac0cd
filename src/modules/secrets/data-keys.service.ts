// Data keys are stored in the database under SECRET_KEY, which can change without invalidating them.
import { join } from 'node:path'
import { type Config, generateSecretKey, SECRET_KEY_LENGTH_MIN } from '../../config/config.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { createSecretFiles } from '../../io/files/files.ts'
import { Failure } from '../../lib/failure.ts'
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import type { DataKeyRow } from './data-keys.repository.ts'
import {
  contextOf,
  type DataKeys,
  isReplaceable,
  KEY_PURPOSES,
  KEY_VERSIONS_MAX,
  KEYS_READ_EVERY_MS,
  type KeyPurpose,
  type KeyVersions,
  newDataKey,
  SIGNS_ALONE_FROM_AGE_MS,
  signingVersion,
  unwrapKey,
  whyNeverRetired,
  wrapKey,
  wrongSecretKey,
} from './data-keys.ts'
import type { SecretsContext } from './secrets.context.ts'

type Context = PlatformContext & SecretsContext

// What the data keys are wrapped with, from the configuration or from a file in DATA_DIR.

/** Wrapped keys, of a database or of a backup of one. */
export type WrappedKey = { purpose: string; version: number; wrapped: Uint8Array }

type SecretSettings = Pick<Config, 'secretKey' | 'secretKeyPrevious'>

/** Whether every key is opened by one of the two, as the start of a service needs it. */
export const opensAll = ({ secretKey, secretKeyPrevious }: SecretSettings, keys: WrappedKey[]): boolean =>
  keys.every((key) =>
    [secretKey, secretKeyPrevious].some((secret) => secret !== null && unwrapKey(secret, key.wrapped, contextOf(key)) !== null),
  )

/** @throws StartupProblem if the secret key is missing, or is not the one that the keys in the database are wrapped with */
export async function expectSecretKey(
  config: Pick<Config, 'secretKey' | 'secretKeyPrevious' | 'dataDir'>,
  dataKeys: Context['repositories']['dataKeys'],
): Promise<void> {
  const keys = await dataKeys.list()
  // A database that no service has used yet.
  if (keys.length === 0) return
  const secretKey = await openSecretKey(config, dataKeys)
  if (!opensAll({ ...config, secretKey }, keys)) throw wrongSecretKey()
}

/** Given, or made at the first start. A database that has keys already had another one, and nothing else opens them. */
export async function openSecretKey(
  { secretKey: given, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>,
  dataKeys: Context['repositories']['dataKeys'],
): Promise<string> {
  if (given !== null) return given
  const files = createSecretFiles(dataDir)
  const isNew = (await dataKeys.list()).length === 0
  const secretKey = isNew ? await files.readOrCreate('secret-key', generateSecretKey) : await files.find('secret-key')
  if (secretKey !== null && secretKey.length >= SECRET_KEY_LENGTH_MIN) return secretKey
  const path = join(dataDir, 'secret-key')
  throw new StartupProblem(
    isNew
      ? `${path} holds no key of ${SECRET_KEY_LENGTH_MIN} characters: remove that file for a new one, or set SECRET_KEY.`
      : `${path} ${secretKey === null ? 'is missing' : 'has been cut short'}, and the keys in the database are opened by nothing else: restore that file from a backup, or set SECRET_KEY to what it held.`,
  )
}

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
  'installation-mail': versions('installation-mail'),
  audit: versions('audit'),
})

/** Removes a version of a key, which invalidates what it has signed. Throws a Failure for a version that is still needed. */
export async function retireDataKey(
  dataKeys: Context['repositories']['dataKeys'],
  { purpose, version }: { purpose: KeyPurpose; version: number },
): Promise<void> {
  const reason = whyNeverRetired(purpose)
  if (reason !== null) throw new Failure('validation', `Keys of ${purpose} are never retired: ${reason}`)
  if (await dataKeys.retire({ purpose, version, newerAgeMs: SIGNS_ALONE_FROM_AGE_MS })) return
  const versions = (await dataKeys.list()).filter((row) => row.purpose === purpose)
  if (!versions.some((row) => row.version === version))
    throw new Failure('notFound', `There is no version ${version} of ${purpose}; \`data-keys list\` shows all.`)
  const newer = versions.filter((row) => row.version > version)
  if (newer.length === 0)
    throw new Failure(
      'validation',
      `Version ${version} is the newest of ${purpose}: make another one first, with \`data-keys rotate ${purpose}\`.`,
    )
  const seconds = Math.ceil((SIGNS_ALONE_FROM_AGE_MS - Math.max(...newer.map(({ ageMs }) => ageMs))) / 1_000)
  throw new Failure(
    'validation',
    `Version ${version} of ${purpose} may still sign: try again in ${seconds} s, when every process uses the newer one.`,
  )
}

/**
 * Makes a new version of the key of a purpose, and returns its number.
 *
 * @throws StartupProblem if the running services have another secret, because they could not open the new version.
 */
export async function rotateDataKey(
  dataKeys: Context['repositories']['dataKeys'],
  { purpose, secretKey }: { purpose: KeyPurpose; secretKey: string },
): Promise<number> {
  if (!isReplaceable(purpose))
    throw new Failure('validation', `The key of ${purpose} is never replaced: addresses that have opted out would no longer be recognized.`)
  for (;;) {
    const rows = await dataKeys.list()
    if (rows.some((row) => unwrapKey(secretKey, row.wrapped, contextOf(row)) === null)) throw wrongSecretKey()
    const versions = rows.filter((row) => row.purpose === purpose).map((row) => row.version)
    if (versions.length >= KEY_VERSIONS_MAX)
      throw new Failure('validation', `There are ${KEY_VERSIONS_MAX} versions of ${purpose} already; \`data-keys retire\` removes one.`)
    const version = Math.max(0, ...versions) + 1
    // Another command may have just made this version.
    if (await dataKeys.add({ purpose, version, wrapped: wrapKey(secretKey, newDataKey(), contextOf({ purpose, version })) })) return version
  }
}

// Background work of every process, including those that only serve the API, because all of them sign and open links: reads the data keys again and
// again.

/** Soon after a failure, so that a database that is available again is asked before its links are opened. */
const RETRY_MS = 1_000

/** Runs until it is stopped, so that a running process learns of versions that a command made or retired. */
export function followDataKeys(
  dataKeys: Pick<DataKeys, 'readAgain'>,
  { log, everyMs = KEYS_READ_EVERY_MS }: { log: Pick<Context['log'], 'warn' | 'error'>; everyMs?: number },
): PollLoop {
  let isFailing = false
  let unopenedBefore = ''

  async function read(): Promise<void> {
    try {
      const unopened = (await dataKeys.readAgain()).join(', ')
      if (unopened !== '' && unopened !== unopenedBefore)
        log.error({ keys: unopened }, 'data keys not opened by this SECRET_KEY, restart with the one that the other processes have')
      unopenedBefore = unopened
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'data keys not read')
      isFailing = true
    }
  }

  return startPollLoop(async ({ signal, pause }) => {
    await pause(isFailing ? RETRY_MS : everyMs)
    if (!signal.aborted) await read()
  })
}
