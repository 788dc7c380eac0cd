// Backups of databases that earlier versions have made, and of databases in which other programs keep tables too.
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeBackup } from '../../../src/cli/backup.ts'
import { restoreInto } from '../../../src/cli/restore.ts'
import { copyDatabase } from '../../../src/db/backup/copy-database.ts'
import { readBackup } from '../../../src/db/backup/existing-backup.ts'
import { loadDatabase } from '../../../src/db/backup/load-database.ts'
import { beginRestore, finishRestore } from '../../../src/db/migrations/lock-waits.ts'
import { migrate, schemaFolder } from '../../../src/db/migrations/migrate.ts'
import { connectSession } from '../../../src/db/session/database-session.ts'
import { createId } from '../../../src/lib/ids.ts'
import { contextOf, newDataKey, wrapKey } from '../../../src/modules/secrets/data-keys.ts'
import { run } from '../../cli/run-command.ts'
import { asRestored, fillEmptyTables, manifestOf, rowsOf, type StoredRows } from '../../support/builders/backups.ts'
import { silentLog as log } from '../../support/processes/processes.ts'
import { fillBeforeNarrowKeys, migrateUntilBefore } from '../../support/servers/other-databases.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'

const SECRET_KEY = 'set outside of the folder of this test'

let older: TestDatabase
let target: TestDatabase
let pool: pg.Pool
let folder: string
beforeEach(async () => {
  older = await createEmptyDatabase()
  target = await createEmptyDatabase()
  pool = new pg.Pool({ connectionString: older.url })
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-older-'))
})
afterEach(async () => {
  await pool.end()
  await Promise.all([older.drop(), target.drop()])
  rmSync(folder, { recursive: true, force: true })
})

/** With all tables of this version, as the one that is restored into. */
async function createTarget(): Promise<TestDatabase> {
  await target.drop()
  target = await createTestDatabase()
  return target
}

/** With all tables of this version, as the one that is backed up. */
async function useCurrent(): Promise<void> {
  await pool.end()
  await older.drop()
  older = await createTestDatabase()
  pool = new pg.Pool({ connectionString: older.url })
}

/** Without files. */
async function backUp(databaseUrl: string, versions: { schema?: string } = {}): Promise<string> {
  const backup = join(folder, 'backup')
  await makeBackup(backup, {
    config: { blobFolder: folder, bucket: null, dataDir: folder, secretKey: SECRET_KEY },
    databaseUrl,
    ...versions,
  })
  return backup
}

const restore = (backup: string) =>
  run(['restore', backup], {
    folder,
    environment: { DATABASE_URL: target.url, DATA_DIR: join(folder, 'data'), SECRET_KEY: SECRET_KEY },
  })

/** What the older database is, once it has been brought up to date itself. */
async function broughtUpToDate(): Promise<StoredRows> {
  await migrate({ databaseUrl: older.url, log })
  return rowsOf(older.url)
}

/** Two databases that were upgraded differ in when a migration made a row of its own. */
const withoutOwn = ({ oauth_clients: _made, ...rows }: StoredRows): StoredRows => asRestored(rows)

describe('a backup of an older version', () => {
  it.each(['0030_narrow_keys', '0072_restored_queue'])(
    'from before %s becomes what its database becomes by an upgrade',
    async (migration) => {
      await migrateUntilBefore(migration, { databaseUrl: older.url, pool })
      if (migration === '0030_narrow_keys') await fillBeforeNarrowKeys(pool, { teamId: createId(), emails: 40, queued: 10 })
      else {
        await fillEmptyTables(older.url)
        const key = { purpose: 'share', version: 1 }
        const wrapped = wrapKey(SECRET_KEY, newDataKey(), contextOf(key))
        await pool.query('update data_keys set purpose = $1, version = $2, wrapped = $3', [key.purpose, key.version, wrapped])
      }
      const backup = await backUp(older.url)
      expect(manifestOf(backup).migrations.map(({ name }) => name)).not.toContain(migration)

      const { status, errors } = await restore(backup)

      expect({ status, isUpgraded: /Tables brought up to date: .*0072_restored_queue/.test(errors) }, errors).toEqual({
        status: 0,
        isUpgraded: true,
      })
      expect(withoutOwn(await rowsOf(target.url))).toEqual(withoutOwn(await broughtUpToDate()))
    },
  )
})

describe('a backup of a version with a table that is no more', () => {
  it('is restored into the tables of then, and its rows are where an upgrade puts them', async () => {
    const then = schemaWith({ '9998_labels': 'create table labels (id int primary key, name text)' })
    appendFileSync(join(then, 'models/engine.prisma'), '\nmodel Label {\n  id Int @id\n\n  @@map("labels")\n}\n')
    const now = schemaWith({
      '9998_labels': 'create table labels (id int primary key, name text)',
      '9999_marks': 'create table marks as select id, name from labels; drop table labels',
    })
    await migrate({ databaseUrl: older.url, log, folder: then })
    await pool.query(`insert into labels values (1, 'Receipts')`)
    const backup = await readBackup(await backUp(older.url, { schema: then }))
    expect(backup.manifest.tables.map(({ name }) => name)).toContain('labels')

    const session = await connectSession(target.url)
    const config = { blobFolder: join(folder, 'data/blobs'), bucket: null, dataDir: join(folder, 'data'), databaseUrl: target.url }
    await restoreInto(session, { backup, config, databaseUrl: target.url, log, secretKey: null, schema: now })

    expect((await session.query(`select *, to_regclass('labels') as former from marks`)).rows).toEqual([
      { id: 1, name: 'Receipts', former: null },
    ])
    await session.end()
  })

  it.each(['_prisma_migrations', 'unfinished_restore'])('has no rows of %s, which is no table of a backup', async (name) => {
    const session = await connectSession((await createTarget()).url)
    await session.query(`create table unfinished_restore (backup_sha256 text)`)
    const [column] = (await session.query(`select attname as name from pg_attribute where attrelid = $1::regclass and attnum = 1`, [name]))
      .rows
    const table = { of: 'service' as const, name, columns: [String(column?.name)], rows: 0, bytes: 0, sha256: '' }
    await expect(loadDatabase(session, { ...NOTHING, tables: [table] }, LOADING)).rejects.toThrow('a column that its version')
    await session.end()
  })

  /** Prisma's folder as it might be later. */
  function schemaWith(migrations: Record<string, string>): string {
    const path = mkdtempSync(join(folder, 'prisma-'))
    cpSync(schemaFolder, path, { recursive: true })
    for (const [name, sql] of Object.entries(migrations)) {
      mkdirSync(join(path, 'migrations', name))
      writeFileSync(join(path, 'migrations', name, 'migration.sql'), sql)
    }
    return path
  }
})

describe('a backup', () => {
  it('has the tables of Posthaste alone', async () => {
    await useCurrent()
    await pool.query('create table of_another_program (id int primary key)')
    const { tables } = manifestOf(await backUp(older.url))
    expect(tables.map(({ name }) => name)).not.toContain('of_another_program')
    expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['emails', '_private_jobs']))
  })

  it('ends with a sentence when the tables are locked for long by something else', async () => {
    await useCurrent()
    const holder = await pool.connect()
    await holder.query('begin; lock table emails in access exclusive mode')
    const made = copyDatabase(
      older.url,
      { expect: async () => {}, write: () => Promise.reject(new Error('Nothing is written')), writeBlobKeys: async () => {} },
      { lockWaitMaxMs: 100 },
    )
    await expect(made).rejects.toThrow(
      'Something else changes the tables of the database, such as a migration: run the backup again when it has ended.',
    )
    await holder.query('rollback')
    holder.release()
  })
})

describe('loading', () => {
  it('refuses a column that the tables do not have, and one of a newer job queue', async () => {
    const session = await connectSession((await createTarget()).url)
    const stray = { of: 'service' as const, name: 'emails', columns: ['stray'], rows: 0, bytes: 0, sha256: '' }
    await expect(loadDatabase(session, { ...NOTHING, tables: [stray] }, LOADING)).rejects.toThrow(
      'does not have: "emails".stray. Nothing was restored.',
    )
    await expect(loadDatabase(session, { ...NOTHING, queue_migration: 99 }, LOADING)).rejects.toThrow(
      'newer Posthaste: its job queue has had 99 changes',
    )
    await session.end()
  })

  it('marks the database until it is done, and lets a second one of the same backup continue', async () => {
    const session = await connectSession((await createTarget()).url)
    expect(await beginRestore(session, 'one')).toBe('begun')
    expect(await beginRestore(session, 'one')).toBe('begun')
    expect(await beginRestore(session, 'other')).toBeNull()
    await finishRestore(session, { backupAt: new Date(), now: new Date() })
    expect((await session.query('select backup_at is not null as "isHeld" from queue_pauses')).rows).toEqual([{ isHeld: true }])
    await session.end()
  })

  it('holds the queue from the moment on at which there are rows, and once', async () => {
    const session = await connectSession((await createTarget()).url)
    const held = async () => (await session.query('select backup_at as at from queue_pauses')).rows
    await beginRestore(session, 'one')
    await loadDatabase(session, NOTHING, LOADING)
    expect(await held()).toEqual([{ at: new Date(NOTHING.made_at) }])
    await finishRestore(session, { backupAt: new Date(NOTHING.made_at), now: LOADING.now })
    expect(await held()).toEqual([{ at: new Date(NOTHING.made_at) }])
    await session.end()
  })
})

const NOTHING = { made_at: '1999-01-01T00:00:00.000Z', tables: [], sequences: [], partitions: [], queue_migration: 0 }
const LOADING = {
  open: () => Promise.reject(new Error('Nothing is opened')),
  now: new Date('1999-01-02T00:00:00Z'),
  as: 'restored' as const,
}
