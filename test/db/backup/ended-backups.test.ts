// Backups that cannot be finished: the disk is full, or the session is gone that keeps other backups away. Nothing of them is left.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeBackup } from '../../../src/cli/backup.ts'
import { connectSession, watchSession } from '../../../src/db/session/database-session.ts'
import { FREE_BYTES_MIN } from '../../../src/io/files/disk-space.ts'
import { run } from '../../cli/run-command.ts'
import { until } from '../../support/clocks/until.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { OF_THIS_DATABASE } from '../../support/servers/statements.ts'

const MB = 1024 * 1024
let database: TestDatabase
let pool: pg.Pool
let folder: string
let place: string
beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-ended-'))
  place = join(folder, 'backups')
  mkdirSync(place)
  mkdirSync(join(folder, 'blobs'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const backUp = (limits: Pick<Parameters<typeof makeBackup>[1], 'freeBytesOf' | 'signal'>) =>
  makeBackup(join(place, 'backup'), {
    config: { blobFolder: folder, bucket: null, dataDir: folder, secretKey: 'set outside of the folder of this test' },
    databaseUrl: database.url,
    ...limits,
  })

const bytesIn = (path: string): number =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).reduce((total, name) => total + statSync(join(path, name)).size, 0)

/** Starts a backup, and acts while it waits for a table. */
async function whileItWaits<Made>(start: () => Promise<Made>, act: (made: Promise<Made>) => Promise<unknown>): Promise<void> {
  const holder = await pool.connect()
  await holder.query('begin; lock table emails in access exclusive mode')
  try {
    const made = start()
    await until(async () => {
      const { rows } = await holder.query(
        `select from pg_locks where not granted and relation = 'emails'::regclass and ${OF_THIS_DATABASE}`,
      )
      expect(rows).toHaveLength(1)
    })
    await act(made)
  } finally {
    await holder.query('rollback')
    holder.release()
  }
}

describe('a backup', () => {
  it('is refused before anything is written when there is clearly too little room', async () => {
    const made = backUp({ freeBytesOf: async () => FREE_BYTES_MIN + 1 })
    await expect(made).rejects.toThrow(
      /^The disk of .+backups has room for [\d.]+ MB, and about [1-9]\d* MB are needed: free some space, or name a folder elsewhere\. Nothing was backed up\.$/,
    )
    expect(readdirSync(place)).toEqual([])
  })

  it('ends when the room ends while it is written, and leaves nothing', async () => {
    // Little on the disk of the database, much in a file.
    await pool.query(
      `insert into teams (id, name, created_at) select uuidv7(), repeat('x', 1000 * 1000), now() from generate_series(1, 40)`,
    )
    let least = Number.POSITIVE_INFINITY
    const made = backUp({
      async freeBytesOf() {
        const free = FREE_BYTES_MIN + 12 * MB - bytesIn(place)
        least = Math.min(least, free)
        return free
      },
    })
    await expect(made).rejects.toThrow(
      /^The disk of .+backups is nearly full, so the backup was ended and nothing of it kept: .+ 256 MB are left free/,
    )
    expect(least).toBeGreaterThan(FREE_BYTES_MIN - MB)
    expect(readdirSync(place)).toEqual([])
  })

  it('ends at once when the session of its lock has ended, says so, and leaves nothing', async () => {
    const start = () => run(['backup', join(place, 'backup')], { folder, environment: { DATABASE_URL: database.url, DATA_DIR: folder } })
    await whileItWaits(start, async (made) => {
      const ended = await pool.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = 7407 and ${OF_THIS_DATABASE}`,
      )
      expect(ended.rowCount).toBe(1)
      expect(await made).toMatchObject({
        status: 1,
        errors: expect.stringMatching(/The session of the database that kept other backups away has ended \(.+\), .+ Run it again\./),
      })
    })
    expect(readdirSync(place)).toEqual([])
  })
})

describe('a session that holds a lock', () => {
  it('is not ended by the server because it rests', async () => {
    const name = new URL(database.url).pathname.slice(1)
    await pool.query(`alter database "${name}" set idle_session_timeout = '1h'`)
    const session = await connectSession(database.url)
    expect((await session.query('show idle_session_timeout')).rows).toEqual([{ idle_session_timeout: '0' }])
    await session.end()
    await pool.query(`alter database "${name}" reset idle_session_timeout`)
  })

  it('is lost when it no longer answers', async () => {
    const session = new pg.Client()
    let isEnded = false
    const silent = Object.assign(session, {
      query: () => new Promise(() => {}),
      end: async () => {
        isEnded = true
      },
    })
    const watched = watchSession(silent, { explain: (reason) => new Error(`Lost: ${reason}`), askedEveryMs: 1, answerMaxMs: 10 })
    await until(() => expect(watched.lost.reason).toEqual(new Error('Lost: no answer for 0.01 s')))
    expect(isEnded).toBe(true)
  })
})
