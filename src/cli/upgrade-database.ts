// The command `upgrade-database`: copies the embedded database of a former major version of PostgreSQL into a new one, which takes its place.

import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { relationsOfOthers, type TableNames, tablesOfDatabase } from '../db/backup/backup-tables.ts'
import { type CopiedDatabase, copyDatabase } from '../db/backup/copy-database.ts'
import { tableFile } from '../db/backup/existing-backup.ts'
import { isUnavailable } from '../db/database-errors.ts'
import { isFullDisk } from '../db/embedded/data-folder.ts'
import { startUpgradingPostgres, type UpgradingPostgres } from '../db/embedded/upgrading-postgres.ts'
import { refuseUnfinishedRestore } from '../db/migrations/lock-waits.ts'
import { migrate, schemaFolder } from '../db/migrations/migrate.ts'
import { compareHistory, readMigrationRecords, readMigrations } from '../db/migrations/migration-history.ts'
import { connectSession, type Log, type Session } from '../db/session/database-session.ts'
import { writeDigested } from '../io/files/digested-files.ts'
import { createFolder } from '../io/files/files.ts'
import { createLog } from '../io/log.ts'
import { systemClock } from '../lib/clock.ts'
import { errorMessage } from '../lib/problem.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { commandConfig } from './database.ts'
import { counted, createProgress, grouped, print, say } from './output.ts'
import { loadRows, ROOM_FOR_ROWS, upgradeSchema, warnOfFullDisk } from './restore.ts'

export async function upgradeDatabase({ programs }: { programs: string }): Promise<void> {
  const { databaseUrl, dataDir } = commandConfig()
  if (databaseUrl !== null)
    throw new StartupProblem(
      'DATABASE_URL is set, so there is no embedded database to upgrade: upgrade your server with `pg_upgrade`, or as its host describes. Nothing was changed.',
    )
  const log = createLog({ logLevel: 'warn' }, { fileDescriptor: 2 })
  const postgres = await startUpgradingPostgres({ dataDir, programs, log })
  if (postgres === null) {
    print('An earlier upgrade had one step to do, which is done: start the service.')
    return
  }
  const { former, next } = postgres.versions
  say(`Database: embedded, in ${dataDir}, from PostgreSQL ${former} to ${next}`)
  try {
    const copied = await moveRows(postgres, log)
    const kept = await postgres.replace()
    report(copied, `The database is of PostgreSQL ${next} now. The former one is in ${kept}: remove it when you no longer need it.`)
  } catch (error) {
    throw explained(error, dataDir)
  } finally {
    await postgres.close()
  }
}

/** Everything that is in the former database, into tables of the same version, which are then brought up to date. */
async function moveRows({ formerUrl, nextUrl, rowsFolder }: UpgradingPostgres, log: Log): Promise<CopiedDatabase> {
  const [former, next] = [await connectSession(formerUrl), await connectSession(nextUrl)]
  try {
    await migrate({ databaseUrl: nextUrl, log, restore: { only: await listMigrations(former) } })
    const wanted = await tablesOfDatabase(next)
    await sayLeftOut(former, wanted)
    const copied = await copyRows(formerUrl, { wanted, rowsFolder })
    const made_at = systemClock.now().toISOString()
    await loadRows(next, { copied: { ...copied, made_at }, folder: rowsFolder, databaseUrl: nextUrl, log, as: 'moved' })
    await upgradeSchema({ databaseUrl: nextUrl, log })
    return copied
  } finally {
    await Promise.allSettled([former.end(), next.end()])
  }
}

/** @throws StartupProblem if this version cannot make the same tables */
async function listMigrations(former: Session): Promise<Set<string>> {
  await refuseUnfinishedRestore(former)
  const records = await readMigrationRecords(former)
  const { newer } = compareHistory(readMigrations(join(schemaFolder, 'migrations')), records)
  if (newer.length > 0)
    throw new StartupProblem(
      `The database has the migration ${newer[0]}, which this Posthaste does not know: upgrade it with the newer version that made it. Nothing was changed.`,
    )
  return new Set(records.filter(({ isFinished }) => isFinished).map(({ name }) => name))
}

async function sayLeftOut(former: Session, wanted: TableNames): Promise<void> {
  const left = await relationsOfOthers(former, wanted)
  if (left.length > 0) say(`Not copied, because Posthaste did not make it: ${left.join(', ')}.`)
}

async function copyRows(formerUrl: string, { wanted, rowsFolder }: { wanted: TableNames; rowsFolder: string }): Promise<CopiedDatabase> {
  const progress = createProgress(say)
  const copied = await copyDatabase(
    formerUrl,
    {
      // The files have as much as the tables, and then there are the new tables.
      expect: (bytes) => warnOfFullDisk(rowsFolder, (1 + ROOM_FOR_ROWS) * bytes),
      async write(table, rows) {
        const path = join(rowsFolder, tableFile(table))
        await createFolder(dirname(path))
        const written = await writeDigested(path, rows)
        progress.add(written.bytes, (bytes) => `Copied: ${bytes}`)
        return written
      },
      // The files stay where they are.
      writeBlobKeys: (keys) => finished(keys.resume()),
    },
    { wanted },
  )
  const rows = copied.tables.reduce((total, table) => total + table.rows, 0)
  progress.end((bytes) => `Copied: ${bytes}, ${counted(rows, 'row', 'rows')}.`)
  return copied
}

function report({ tables }: CopiedDatabase, what: string): void {
  const rows = (name: string) => grouped(tables.find((table) => table.name === name)?.rows ?? 0)
  print(`${what} It has ${rows('emails')} emails, ${rows('deliveries')} of their deliveries still to do.`)
  print('Start the service: it continues where it was.')
}

function explained(error: unknown, dataDir: string): unknown {
  if (error instanceof StartupProblem) return error
  const again = 'The former database is as it was'
  if (isFullDisk(error))
    return new StartupProblem(`The disk of ${dataDir} is full. ${again}: free some space, and run the command again.`, { cause: error })
  if (isUnavailable(error))
    return new StartupProblem(
      `The database failed in the middle of the upgrade. ${again}: run the command again. (${errorMessage(error)})`,
      {
        cause: error,
      },
    )
  return error
}
