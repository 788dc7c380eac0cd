// An embedded database with its tables, made once in a run: copying it takes a tenth of the time.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { startEmbeddedPostgres } from '../../../src/database/embedded/embedded-postgres.ts'
import { migrate } from '../../../src/database/migrations/migrate.ts'
import { until } from '../clocks/until.ts'
import { createPlace, type Place } from './processes.ts'
import { silentLog } from './silent-log.ts'

/** A place whose services find their database made. */
export async function createPreparedPlace(environment?: Record<string, string>): Promise<Place> {
  const place = await createPlace(environment)
  await copyPreparedDatabase(place.dataDir)
  return place
}

/** Fills an empty DATA_DIR, as a service of this version leaves it that was stopped before it made a key. */
export async function copyPreparedDatabase(dataDir: string): Promise<void> {
  const folder = inject('preparedFolder')
  await untilPrepared(folder)
  await promisify(execFile)('cp', ['-a', `${join(folder, 'data')}/.`, dataDir])
}

/** The first of all workers that needs it makes it. */
async function untilPrepared(folder: string): Promise<void> {
  const mark = join(folder, 'done')
  if (existsSync(mark)) return
  if (isFirst(folder)) {
    const database = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: silentLog, durable: false })
    await migrate({ databaseUrl: database.url, log: silentLog })
    await database.stop()
    writeFileSync(mark, '')
  }
  await until(() => {
    if (!existsSync(mark)) throw new Error('No worker has prepared the database')
  })
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}
