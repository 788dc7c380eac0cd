// The command `backup`: everything that a restore needs, in one folder, while the service runs.

import { dirname, join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import { type CopiedBlobs, copyBlobs, sizeOfBlobs } from '../db/backup/backed-up-blobs.ts'
import { BACKUP_FORMAT, type BackupManifest, tablesOfModels } from '../db/backup/backup-tables.ts'
import { copyDatabase, type DatabaseSink } from '../db/backup/copy-database.ts'
import {
  FILE_LIST,
  fileList,
  MANIFEST,
  MANIFEST_DIGEST,
  manifestDigestLine,
  SECRET_KEY_FILE,
  tableFile,
} from '../db/backup/existing-backup.ts'
import { lastBackupRepository } from '../db/backup/last-backup.repository.ts'
import { type BackupLimits, createBackup, type NewBackup } from '../db/backup/new-backup.ts'
import { isUnavailable } from '../db/database-errors.ts'
import { openExistingDatabase } from '../db/open-database.ts'
import { connectSession, watchSession, withAdvisoryLock } from '../db/session/database-session.ts'
import { storageOwnerRepository } from '../db/storage-owner.repository.ts'
import { openStoredBlobs, type StoredBlobs } from '../io/blobs/open-blobs.ts'
import { createSecretFiles } from '../io/files/files.ts'
import { createLog } from '../io/log.ts'
import { systemClock } from '../lib/clock.ts'
import { errorMessage } from '../lib/problem.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { dataKeyRepository } from '../modules/secrets/data-keys.repository.ts'
import { expectSecretKey } from '../modules/secrets/data-keys.service.ts'
import { commandConfig } from './database.ts'
import { counted, createProgress, grouped, megabytes, print, say } from './output.ts'

export async function backUp(folder: string): Promise<void> {
  const config = commandConfig()
  const log = createLog({ logLevel: 'warn' }, { fileDescriptor: 2 })
  const opened = await openExistingDatabase(config, log, { tables: 'expected', onFound: (where) => say(`Database: ${where}`) })
  try {
    // Without it, a backup would restore rows that nothing can open.
    await expectSecretKey(config, dataKeyRepository(opened.database))
    const owner = (await storageOwnerRepository(opened.database).find())?.owner
    const session = await connectSession(opened.databaseUrl)
    try {
      // One at a time, so that no other backup is still writing what an earlier one left unfinished.
      await withAdvisoryLock(session, { purpose: 'backups', waitMaxMs: 0 }, async () => {
        const watched = watchSession(session, { explain: lockLost })
        const startedAtMs = systemClock.monotonicMs()
        await makeBackup(folder, { config, databaseUrl: opened.databaseUrl, owner, signal: watched.lost }).finally(watched.end)
        await lastBackupRepository(opened.database)
          .record((systemClock.monotonicMs() - startedAtMs) / 1_000)
          .catch(() => say('The backup is complete. Its time could not be recorded, so the metric of its age stays as it was.'))
      })
    } finally {
      await session.end().catch(() => {})
    }
  } catch (error) {
    if (error instanceof StartupProblem || !isUnavailable(error)) throw error
    throw new StartupProblem(
      `The database failed in the middle of the backup, and nothing of it was kept. Run it again. (${errorMessage(error)})`,
      { cause: error },
    )
  } finally {
    await opened.close()
  }
}

const lockLost = (reason: string): StartupProblem =>
  new StartupProblem(
    `The session of the database that kept other backups away has ended (${reason}), so the backup was ended and nothing of it kept. Run it again.`,
  )

type Installation = BackupLimits & {
  config: Pick<Config, 'blobFolder' | 'bucket' | 'dataDir' | 'secretKey'>
  databaseUrl: string
  /** The models of the version that made the database. */
  schema?: string
}

/** Backs up the database at this address, which a test may have made with an older version. */
export async function makeBackup(folder: string, installation: Installation): Promise<void> {
  const { config, signal } = installation
  const backup = await createBackup(folder, installation)
  try {
    const madeAt = systemClock.now()
    const stored = await openStoredBlobs(config)
    const endKeeping = await stored.keepAll()
    const { database, blobs } = await copyAll(backup, stored, installation).finally(endKeeping)
    const manifest: BackupManifest = {
      format: BACKUP_FORMAT,
      posthaste: packageJson.version,
      made_at: madeAt.toISOString(),
      ...database,
      blobs,
      secret_key: await copySecretKey(backup, config),
    }
    await backup.write(FILE_LIST, fileList(manifest))
    const written = await backup.write(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`)
    await backup.write(MANIFEST_DIGEST, manifestDigestLine(written))
    await backup.finish()
    report(manifest, { folder, where: stored.where, isKeySet: config.secretKey !== null })
  } catch (error) {
    await backup.discard().catch(() => say(`${backup.path} could not be removed. It is not a complete backup: remove it.`))
    signal?.throwIfAborted()
    throw error
  }
}

/** Rows before blobs: a blob is stored before its row, so each row that is copied has its blob, and none is removed before all are copied. */
async function copyAll(backup: NewBackup, stored: StoredBlobs, { databaseUrl, signal, schema }: Installation) {
  const keysFile = 'blob-keys'
  const progress = createProgress(say)
  const sink: DatabaseSink = {
    expect: (bytes) => expectRoom(backup, { least: bytes / TABLE_TO_ROWS_MAX, likely: bytes }),
    async write(table, rows) {
      const written = await backup.write(tableFile(table), rows)
      progress.add(written.bytes, (bytes) => `Database: ${bytes}`)
      return written
    },
    writeBlobKeys: (keys) => backup.write(keysFile, keys),
  }
  const database = await copyDatabase(databaseUrl, sink, { signal, wanted: tablesOfModels(schema) })
  progress.end((bytes) => `Database: ${bytes}, ${counted(sum(database.tables.map(({ rows }) => rows)), 'row', 'rows')}.`)
  const blobs = await copyFiles(backup, { stored, keysFile })
  await backup.remove(keysFile)
  return { database, blobs }
}

async function copyFiles(backup: NewBackup, { stored, keysFile }: { stored: StoredBlobs; keysFile: string }): Promise<CopiedBlobs> {
  const path = join(backup.path, keysFile)
  const total = await sizeOfBlobs(path, stored.size)
  await expectRoom(backup, { least: total, likely: total })
  const progress = createProgress(say)
  const copied = await copyBlobs(path, {
    ...{ stored, backup },
    onCopied: (bytes) => progress.add(bytes, (done) => `Files: ${done} of ${megabytes(total)}`),
  })
  progress.end((bytes) => `Files: ${bytes}, ${counted(copied.count, 'file', 'files')}.`)
  return copied
}

/** Only if it is in DATA_DIR. What is set outside is kept by the operator. */
async function copySecretKey(backup: NewBackup, { secretKey, dataDir }: Installation['config']): Promise<BackupManifest['secret_key']> {
  const found = secretKey === null ? await createSecretFiles(dataDir).find('secret-key') : null
  return found === null ? null : backup.write(SECRET_KEY_FILE, `${found}\n`)
}

/** Tables may have much room within them that is free. One with less than a quarter in use is rare. */
const TABLE_TO_ROWS_MAX = 4

/** @throws StartupProblem if it is clear beforehand that there is too little. */
async function expectRoom(backup: NewBackup, { least, likely }: { least: number; likely: number }): Promise<void> {
  const room = await backup.room()
  const words = `The disk of ${dirname(backup.path)} has room for ${megabytes(Math.max(room, 0))}, and about ${megabytes(likely)} are needed`
  if (room < least) throw new StartupProblem(`${words}: free some space, or name a folder elsewhere. Nothing was backed up.`)
  if (room < likely) say(`${words}, so it will probably run full.`)
}

type Reported = { folder: string; where: string; isKeySet: boolean }

function report({ tables, blobs, made_at: madeAt }: BackupManifest, { folder, where, isKeySet }: Reported): void {
  const rows = (name: string) => grouped(tables.find((table) => table.name === name)?.rows ?? 0)
  print(
    `Backup of ${madeAt} in ${folder}: ${rows('emails')} emails, ${rows('deliveries')} of their deliveries still to do, ${grouped(blobs.count)} files.`,
  )
  if (isKeySet) say('SECRET_KEY is not in it, because it is set outside of DATA_DIR: keep it with the backup.')
  if (blobs.missing === 0) return
  // A job that runs it every night has to notice.
  process.exitCode = 1
  say(
    `${counted(blobs.missing, 'file is', 'files are')} missing from ${where} already, so the command ends with status 1: ${blobs.missing === 1 ? 'its row is' : 'their rows are'} in the backup, which can be restored.`,
  )
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)
