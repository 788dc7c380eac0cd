// The command `restore`: a backup into an empty DATA_DIR or an empty database. Everything is checked before anything is written.

import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import { restoreBlobs } from '../db/backup/backed-up-blobs.ts'
import { type BackupManifest, isEmptyDatabase, ownStorage } from '../db/backup/backup-tables.ts'
import type { CopiedDatabase } from '../db/backup/copy-database.ts'
import { checkBackup, type ExistingBackup, openDataKeys, readBackup, SECRET_KEY_FILE, tableFile } from '../db/backup/existing-backup.ts'
import { type Loading, loadDatabase } from '../db/backup/load-database.ts'
import { isUnavailable } from '../db/database-errors.ts'
import { openEmbeddedPostgres } from '../db/embedded/running-postgres.ts'
import { beginRestore, finishRestore, isBeingRestored } from '../db/migrations/lock-waits.ts'
import { migrate, schemaFolder } from '../db/migrations/migrate.ts'
import { readMigrations } from '../db/migrations/migration-history.ts'
import { checkSession, connectSession, type Log, type Session, withAdvisoryLock, withoutSecrets } from '../db/session/database-session.ts'
import { openBlobs, openStoredBlobs } from '../io/blobs/open-blobs.ts'
import { openDigested } from '../io/files/digested-files.ts'
import { askDisk } from '../io/files/disk-space.ts'
import { createSecretFiles } from '../io/files/files.ts'
import { createLog } from '../io/log.ts'
import { systemClock } from '../lib/clock.ts'
import { errorMessage } from '../lib/problem.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { opensAll } from '../modules/secrets/data-keys.service.ts'
import { commandConfig } from './database.ts'
import { createProgress, grouped, megabytes, print, say } from './output.ts'

export async function restore(folder: string): Promise<void> {
  const config = commandConfig()
  const backup = await readBackup(folder)
  refuseNewer(backup)
  const progress = createProgress(say)
  await checkBackup(backup, (bytes) => progress.add(bytes, (done) => `Checked: ${done}`))
  progress.end((done) => `Checked: ${done}, all as the backup wrote it.`)
  const secretKey = await secretKeyFor(backup, config)
  const log = createLog({ logLevel: 'warn' }, { fileDescriptor: 2 })
  try {
    await withTarget(config, log, async (session, databaseUrl) => {
      await restoreInto(session, { backup, config, databaseUrl, log, secretKey })
    })
  } catch (error) {
    if (error instanceof StartupProblem || !isUnavailable(error)) throw error
    throw new StartupProblem(
      `The database failed in the middle of the restore. Run it again with the same backup. (${errorMessage(error)})`,
      {
        cause: error,
      },
    )
  }
  report(backup)
}

/** One restore at a time, into a database that no service uses. */
async function withTarget(config: Config, log: Log, act: (session: Session, databaseUrl: string) => Promise<void>): Promise<void> {
  const embedded = config.databaseUrl === null ? await openEmbeddedPostgres({ dataDir: config.dataDir, log, purpose: 'service' }) : null
  const databaseUrl = embedded?.url ?? config.databaseUrl ?? ''
  say(`Database: ${embedded === null ? withoutSecrets(databaseUrl) : `embedded, in ${config.dataDir}`}`)
  try {
    const session = await connectSession(databaseUrl)
    try {
      await checkSession(session, databaseUrl)
      await withAdvisoryLock(session, { purpose: 'restores', waitMaxMs: 0 }, () => act(session, databaseUrl))
    } finally {
      await session.end().catch(() => {})
    }
  } finally {
    await embedded?.stop()
  }
}

type Target = {
  backup: ExistingBackup
  config: Pick<Config, 'blobFolder' | 'bucket' | 'dataDir' | 'databaseUrl'>
  databaseUrl: string
  log: Log
  secretKey: string | null
  /** Prisma's folder. */
  schema?: string
}

/** Each step can be done again, so that a restore that was cut short is run again. Blobs before rows, as everywhere. */
export async function restoreInto(session: Session, target: Target): Promise<void> {
  const { backup, config, databaseUrl, log, secretKey, schema = schemaFolder } = target
  const { folder, manifest, sha256 } = backup
  const isBegun = await isBeingRestored(session)
  if (!isBegun && !(await isEmptyDatabase(session)))
    throw new StartupProblem(
      'The database is not empty, and a restore replaces nothing: name an empty one (DATABASE_URL, DATA_DIR). Nothing was restored.',
    )
  const stored = await openStoredBlobs(config)
  if (!isBegun && !(await stored.isEmpty()))
    throw new StartupProblem(
      `${stored.where} is not empty, and a restore replaces nothing: move it away, or name an empty place (STORAGE_URL, DATA_DIR).`,
    )
  const state = await beginRestore(session, sha256)
  if (state === null)
    throw new StartupProblem(
      'The restore of another backup into this database was not finished: run that one again, or name an empty database.',
    )
  if (isBegun) say('An earlier restore of this backup was not finished. It is continued.')

  const { blobs, mark } = await openBlobs(config, { isChecked: false })
  await warnOfFullDisk(config.databaseUrl === null ? config.dataDir : config.blobFolder, neededFor(backup, config))
  if (secretKey !== null) await createSecretFiles(config.dataDir).write('secret-key', secretKey)
  const files = createProgress(say)
  await restoreBlobs(folder, blobs, (bytes) => files.add(bytes, (done) => `Files: ${done} of ${megabytes(manifest.blobs.stored_bytes)}`))
  files.end((done) => `Files: ${done}.`)
  if (state === 'begun') await loadRows(session, { copied: manifest, folder, databaseUrl, log, schema, as: 'restored' })
  await upgradeSchema({ databaseUrl, log, schema })
  await mark.write(await ownStorage(session))
  await finishRestore(session, { backupAt: new Date(manifest.made_at), now: systemClock.now() })
}

type Loaded = Pick<Target, 'databaseUrl' | 'log' | 'schema'> & {
  copied: CopiedDatabase & Pick<BackupManifest, 'made_at'>
  /** Where the files of the tables are. */
  folder: string
  as: Loading['as']
}

/** Into the tables of the version that the rows are of. */
export async function loadRows(session: Session, { copied, folder, databaseUrl, log, schema = schemaFolder, as }: Loaded): Promise<void> {
  await migrate({ databaseUrl, log, folder: schema, restore: { only: new Set(copied.migrations.map(({ name }) => name)) } })
  const rows = createProgress(say)
  await loadDatabase(session, copied, {
    open(table) {
      rows.add(table.bytes, (begun) => `Database: ${begun}`)
      return openDigested(join(folder, tableFile(table)), table)
    },
    now: systemClock.now(),
    as,
  })
  rows.end((done) => `Database: ${done}.`)
}

export async function upgradeSchema({
  databaseUrl,
  log,
  schema = schemaFolder,
}: Pick<Target, 'databaseUrl' | 'log' | 'schema'>): Promise<void> {
  const { applied } = await migrate({ databaseUrl, log, folder: schema, restore: { only: null } })
  if (applied.length > 0) say(`Tables brought up to date: ${applied.join(', ')}.`)
}

/** An older backup has fewer migrations. One of a newer version has some that this one does not know. */
function refuseNewer({ folder, manifest }: ExistingBackup): void {
  const known = new Map(readMigrations(join(schemaFolder, 'migrations')).map(({ name, checksum }) => [name, checksum]))
  const newer = manifest.migrations.filter(({ name }) => !known.has(name)).map(({ name }) => name)
  if (newer.length > 0)
    throw new StartupProblem(
      `${folder} was made by a newer Posthaste (${manifest.posthaste}; this is ${packageJson.version}): its tables have ${newer.join(', ')}, which this version does not know. Install that version or a later one. Nothing was restored.`,
    )
  const edited = manifest.migrations.find(({ name, sha256 }) => known.get(name) !== sha256)
  if (edited)
    throw new StartupProblem(
      `The migration ${edited.name} is not the one with which ${folder} was made: restore prisma/migrations/${edited.name}/migration.sql. Nothing was restored.`,
    )
}

/** What the file in DATA_DIR will hold; null if it stays as it is. The keys in the database are opened by the secret of the backup alone. */
async function secretKeyFor(backup: ExistingBackup, config: Config): Promise<string | null> {
  const { folder, manifest } = backup
  const { dataDir, secretKey: given } = config
  if (manifest.secret_key === null) {
    if (given === null)
      throw new StartupProblem(
        'The backup has no secret key, because SECRET_KEY was set outside of DATA_DIR: set SECRET_KEY to what it was then. Nothing was restored.',
      )
    if (!opensAll(config, await openDataKeys(backup)))
      throw new StartupProblem(
        'SECRET_KEY does not open the keys of the backup: set it to what it was when the backup was made. Nothing was restored.',
      )
    return null
  }
  const ofBackup = await createSecretFiles(join(folder, SECRET_KEY_FILE, '..')).find('secret-key')
  if (given !== null && given !== ofBackup)
    throw new StartupProblem(
      `SECRET_KEY is not the secret key of the backup: unset it, or set it to what is in ${join(folder, SECRET_KEY_FILE)}. Nothing was restored.`,
    )
  const found = await createSecretFiles(dataDir).find('secret-key')
  if (found !== null && found !== ofBackup)
    throw new StartupProblem(
      `${join(dataDir, 'secret-key')} is another key than that of the backup: move it away, or name an empty DATA_DIR. Nothing was restored.`,
    )
  return found === null && given === null ? ofBackup : null
}

/** Rows take about twice the room with their indexes. */
export const ROOM_FOR_ROWS = 2

function neededFor({ manifest: { blobs, tables } }: ExistingBackup, { databaseUrl }: Target['config']): number {
  const rows = databaseUrl === null ? ROOM_FOR_ROWS * tables.reduce((total, { bytes }) => total + bytes, 0) : 0
  return blobs.stored_bytes + rows
}

export async function warnOfFullDisk(folder: string, needed: number): Promise<void> {
  const free = await askDisk(folder)
  if (free < needed) say(`The disk has ${megabytes(free)} left, and about ${megabytes(needed)} are needed, so it will probably run full.`)
}

function report({ folder, manifest: { tables, made_at: madeAt } }: ExistingBackup): void {
  const rows = (name: string) => grouped(tables.find((table) => table.name === name)?.rows ?? 0)
  print(`Restored the backup of ${madeAt} from ${folder}: ${rows('emails')} emails, ${rows('deliveries')} of their deliveries still to do.`)
  print('Nothing is sent yet. What the backup still had to send may have been sent after it was made: look with `queue list`.')
  print('Start the service, and send with `queue resume --all`.')
}
