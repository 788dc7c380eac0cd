import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { migrate, schemaFolder } from '../../../src/db/migrations/migrate.ts'
import { withoutSecrets } from '../../../src/db/session/database-session.ts'
import { createSelfSignedCertificate } from '../../../src/lib/crypto/self-signed-certificate.ts'
import { StartupProblem } from '../../../src/lib/startup-problem.ts'
import { freePort, silentLog as log } from '../../support/processes/processes.ts'
import { startStandby } from '../../support/servers/other-databases.ts'
import { createEmptyDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { startTransactionPooler } from '../../support/servers/transaction-pooler.ts'

let database: TestDatabase
let folder: string

beforeEach(async () => {
  database = await createEmptyDatabase()
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-migrations-'))
  cpSync(join(schemaFolder, 'schema.prisma'), join(folder, 'schema.prisma'))
  writeMigration('0001_first', 'create table first (id int primary key);')
  writeMigration('0002_second', 'create table second (id int primary key);')
})

afterEach(async () => {
  rmSync(folder, { recursive: true })
  await database.drop()
})

function writeMigration(name: string, sql: string) {
  mkdirSync(join(folder, 'migrations', name), { recursive: true })
  writeFileSync(join(folder, 'migrations', name, 'migration.sql'), sql)
}

async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

const run = () => migrate({ databaseUrl: database.url, log, folder })
const problemOf = async (databaseUrl = database.url) => {
  const error = await migrate({ databaseUrl, log, folder }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(StartupProblem)
  const message = error instanceof Error ? error.message : ''
  expect(message).not.toContain('\n')
  return message
}

describe('migrate', () => {
  it('applies everything in order, then nothing', async () => {
    expect(await run()).toEqual({ applied: ['0001_first', '0002_second'] })
    expect(await run()).toEqual({ applied: [] })
  })

  it('applies what was added later', async () => {
    await run()
    writeMigration('0003_third', 'alter table first add column name text;')
    expect(await run()).toEqual({ applied: ['0003_third'] })
  })

  it('makes the tables of the job queue', async () => {
    await run()
    expect(await query(`select to_regclass('graphile_worker._private_jobs') is not null as exists`)).toEqual([{ exists: true }])
  })

  it('applies each migration once when four processes start at the same time', async () => {
    const results = await Promise.all([run(), run(), run(), run()])
    expect(results.flatMap(({ applied }) => applied)).toEqual(['0001_first', '0002_second'])
    expect(await query('select migration_name from _prisma_migrations order by 1')).toEqual([
      { migration_name: '0001_first' },
      { migration_name: '0002_second' },
    ])
  })

  it('brings an empty database to the tables that the service needs', async () => {
    await migrate({ databaseUrl: database.url, log })
    expect(await query(`select to_regclass('emails') is not null as exists`)).toEqual([{ exists: true }])
  })

  it('runs a function with semicolons in its body as it is written', async () => {
    writeMigration('0003_third', `create function greeting() returns text language plpgsql as $$ begin perform 1; return 'a;b'; end $$;`)
    await run()
    expect(await query('select greeting()')).toEqual([{ greeting: 'a;b' }])
  })

  it('says which migration failed and why, leaves nothing of it, and continues once it is mended', async () => {
    writeMigration('0003_third', 'create table third (id int); create table first (id int);')
    const problem = 'The migration 0003_third failed and was rolled back: relation "first" already exists'
    expect(await problemOf()).toBe(problem)
    expect(await query(`select to_regclass('third') as name`)).toEqual([{ name: null }])
    expect(await problemOf()).toBe(problem)
    writeMigration('0003_third', 'create table third (id int);')
    expect(await run()).toEqual({ applied: ['0003_third'] })
  })

  it('keeps those that were applied before the one that failed', async () => {
    writeMigration('0003_third', 'select 1 / 0;')
    expect(await problemOf()).toBe('The migration 0003_third failed and was rolled back: division by zero')
    expect(await query('select migration_name as name from _prisma_migrations order by 1')).toEqual([
      { name: '0001_first' },
      { name: '0002_second' },
    ])
  })

  it('continues from a migration that failed under an earlier version once its row is deleted, as the refusal says', async () => {
    await run()
    writeMigration('0003_third', 'create table third (id int);')
    await query(`insert into _prisma_migrations (id, checksum, migration_name, logs) values ('one', 'sum', '0003_third', 'it failed')`)
    expect(await problemOf()).toMatch(/^The migration 0003_third failed earlier/)
    await query(`delete from _prisma_migrations where migration_name = '0003_third'`)
    expect(await run()).toEqual({ applied: ['0003_third'] })
  })

  it('begins a migration again that a killed process had begun', async () => {
    await run()
    writeMigration('0003_third', 'create table third (id int);')
    await query(`insert into _prisma_migrations (id, checksum, migration_name) values ('one', 'sum', '0003_third')`)
    expect(await run()).toEqual({ applied: ['0003_third'] })
    expect(await run()).toEqual({ applied: [] })
  })

  it('refuses a migration that was edited after it was applied', async () => {
    await run()
    writeMigration('0002_second', 'create table second (id bigint primary key);')
    expect(await problemOf()).toMatch(/^The migration 0002_second was edited/)
  })

  it('refuses a database that a newer version migrated in a way that does not serve it', async () => {
    writeMigration('0003_third', 'alter table second drop column id')
    await run()
    rmSync(join(folder, 'migrations', '0003_third'), { recursive: true })
    expect(await problemOf()).toMatch(/^The database has the migration 0003_third, which this Posthaste does not know/)
  })
})

describe('a migration of a table that something else holds', () => {
  let holder: pg.Client
  beforeEach(async () => {
    await run()
    writeMigration('0003_third', 'create table third (id int); alter table first add column name text;')
    holder = new pg.Client({ connectionString: database.url, application_name: 'a long report' })
    await holder.connect()
    await holder.query('begin; select from first')
  })
  afterEach(() => holder.end())

  const columns = () => query(`select from pg_attribute where attrelid = 'first'::regclass and attname = 'name'`)
  const migrateWith = (triesMax: number, onWarning: (said: unknown[]) => void = () => {}) =>
    migrate({
      databaseUrl: database.url,
      log: { ...log, warn: (...said: unknown[]) => onWarning(said) },
      folder,
      lockWaits: { waitMaxMs: 50, pauseMs: 10, triesMax },
    })

  it('gives up with a sentence that names the holder, and leaves nothing', async () => {
    const error = await migrateWith(2).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StartupProblem)
    expect(String(error)).toMatch(
      /The migration 0003_third got no lock in 2 tries, and was rolled back: something else holds a table\. The oldest transaction is that of process \d+ \(a long report\), \d+ s old\. Run `migrate`/,
    )
    expect(await query(`select to_regclass('third') as name`)).toEqual([{ name: null }])
    expect(await columns()).toEqual([])
  })

  it('lets others pass between its tries, and is done as soon as it gets the lock', async () => {
    const warnings: unknown[] = []
    let passed: Promise<unknown> | undefined
    const migrated = migrateWith(1_000, (said) => {
      warnings.push(said)
      // Others come after the first try, and meet the next ones. They wait for these only, although the holder holds on.
      passed ??= query('select from first').then(() => holder.query('commit'))
    })
    expect(await migrated).toEqual({ applied: ['0003_third'] })
    await passed
    expect(warnings[0]).toEqual([{ migration: 'The migration 0003_third', tried: 1 }, 'migration got no lock, and is tried again'])
    expect(await columns()).toHaveLength(1)
  })

  it('waits for the job queue likewise', async () => {
    await holder.query('rollback; begin; lock table graphile_worker.migrations in access exclusive mode')
    rmSync(join(folder, 'migrations', '0003_third'), { recursive: true })
    const warnings: unknown[] = []
    const migrated = migrateWith(1_000, (said) => {
      if (warnings.push(said) === 1) void holder.query('commit')
    })
    expect(await migrated).toEqual({ applied: [] })
    expect(warnings[0]).toMatchObject([{ migration: 'The migration of the job queue', tried: 1 }, expect.any(String)])
  })
})

describe('migrate refuses, without the password in its line,', () => {
  const changed = (change: (url: URL) => void) => {
    const url = new URL(database.url)
    change(url)
    return url.href
  }

  it('a wrong password', async () => {
    const line = await problemOf(changed((url) => (url.password = 'guessed-secret')))
    expect(line).toContain('refuses the user or the password')
    expect(line).not.toContain('guessed-secret')
  })

  it('a database that does not exist', async () => {
    expect(await problemOf(changed((url) => (url.pathname = 'nowhere')))).toContain('there is no database of that name')
  })

  it('a port where nothing listens', async () => {
    const port = await freePort()
    const line = await problemOf(`postgresql://user:guessed-secret@127.0.0.1:${port}/mail?sslmode=disable`)
    expect(line).toBe(
      `The database postgresql://127.0.0.1:${port}/mail cannot be used: nothing listens there. Start it, or correct the host and port in DATABASE_URL.`,
    )
  })

  it.each(['mysql://localhost/mail', 'localhost:5432', 'postgresql://user:pa#ss@host:port/x'])(
    'what is no address of a database: %s',
    async (url) => {
      expect(await problemOf(url)).toMatch(/^DATABASE_URL is not an address/)
    },
  )

  it('a server that takes no writes', async () => {
    const { pathname } = new URL(database.url)
    await query(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`)
    expect(await problemOf(database.url)).toMatch(/takes no writes, because default_transaction_read_only is on: switch it off there, or/)
  })

  it('a database that cannot store every character, with the command that makes another', async () => {
    const name = `latin1_${randomUUID().replaceAll('-', '')}`
    await query(`create database ${name} encoding 'LATIN1' locale 'C' template template0`)
    try {
      const url = changed((given) => (given.pathname = name))
      expect(await problemOf(url)).toBe(
        `The database ${withoutSecrets(url)} is encoded in LATIN1, which cannot store every character of an email: make another with \`create database posthaste encoding 'UTF8' locale 'C.UTF-8' template template0\`, and name it in DATABASE_URL.`,
      )
    } finally {
      await query(`drop database ${name}`)
    }
  })

  it('a role for which no triggers run', async () => {
    await asSuperuser((name) => `alter database ${name} set session_replication_role = 'replica'`)
    expect(await problemOf()).toMatch(/ runs no triggers for this user, .+: run `alter role \w+ reset session_replication_role`, /)
  })

  it('a role that may make no tables', async () => {
    const role = new URL(database.url).username
    await asSuperuser((name) => `alter database ${name} owner to current_user; revoke all on schema public from public, pg_database_owner`)
    try {
      expect(await problemOf()).toMatch(/ may not make tables in the schema public: run `alter database \w+ owner to \w+`, or /)
      await asSuperuser(() => `grant all on schema public to ${role}`)
      expect(await problemOf()).toMatch(/ may not make the schema of the job queue: run `grant create on database \w+ to \w+`\.$/)
    } finally {
      await asSuperuser((name) => `alter database ${name} owner to ${role}`)
    }
  })

  it.each(['sslrootcert', 'sslcert', 'sslkey'])('a file for TLS that is not there: %s', async (parameter) => {
    expect(await problemOf(`postgresql://user:guessed-secret@127.0.0.1:1/mail?sslmode=verify-full&${parameter}=/nowhere/file.pem`)).toBe(
      `DATABASE_URL names /nowhere/file.pem as its ${parameter}, and that file cannot be read (ENOENT): put it there, readable by the user of the service, or correct the path.`,
    )
  })

  it('a server that speaks no TLS where it is asked for', async () => {
    expect(await problemOf(changed((url) => url.searchParams.set('sslmode', 'verify-full')))).toContain(
      'cannot be used: it speaks no TLS. Switch it on there, or remove sslmode from DATABASE_URL.',
    )
  })

  it('a certificate of an authority that this machine does not know', async () => {
    const server = await startTlsServer(await createSelfSignedCertificate('localhost', new Date()))
    try {
      expect(await problemOf(`postgresql://user:guessed-secret@localhost:${server.port}/mail?sslmode=verify-full`)).toContain(
        'its certificate is from an authority that this machine does not know. Name the file with the certificate of that authority in DATABASE_URL: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem.',
      )
    } finally {
      await server.close()
    }
  })

  it('a standby', async () => {
    const standby = await startStandby()
    try {
      expect(await problemOf(standby.url)).toBe(
        `The database ${withoutSecrets(standby.url)} is a standby, which takes no writes: point DATABASE_URL to the primary, or wait until it has become one.`,
      )
    } finally {
      await standby.stop()
    }
  })

  it.each(['transaction', 'statement'] as const)('a pooler in %s mode', async (mode) => {
    const pooler = await startTransactionPooler(inject('databaseUrl'), { connections: 4, mode })
    try {
      expect(await problemOf(pooler.url)).toContain('points to a pooler in transaction or statement mode')
    } finally {
      await pooler.close()
    }
  })
})

async function asSuperuser(sql: (database: string) => string): Promise<void> {
  const client = new pg.Client({ connectionString: database.superuserUrl })
  await client.connect()
  try {
    await client.query(sql(new URL(database.url).pathname.slice(1)))
  } finally {
    await client.end()
  }
}

/** A server of PostgreSQL as far as its certificate. */
async function startTlsServer(certificate: { cert: string; key: string }): Promise<{ port: number; close(): Promise<void> }> {
  const secureContext = createSecureContext(certificate)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('S')
      new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {})
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
