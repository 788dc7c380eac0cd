// A database as an older version of the service left it.

import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { migrate, schemaFolder } from '../../../src/db/migrations/migrate.ts'
import { partitionedTables } from '../../../src/db/partitions/daily-partitions.ts'
import { maintainPartitions } from '../../../src/db/partitions/partitions.ts'
import type { Certificate } from '../builders/certificates.ts'
import { until } from '../clocks/until.ts'
import { postgresVersions } from '../processes/machine.ts'
import { freePort, silentLog as log, postgresPidOf, queryAt, silentLog } from '../processes/processes.ts'
import { superuserUrl } from './postgres.ts'

/** The tables as they were before a migration, with the partitions of these days. */
export async function migrateUntilBefore(name: string, { databaseUrl, pool }: { databaseUrl: string; pool: pg.Pool }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaste-older-'))
  try {
    for (const earlier of readdirSync(join(schemaFolder, 'migrations')).filter((each) => each < name))
      cpSync(join(schemaFolder, 'migrations', earlier), join(folder, 'migrations', earlier), { recursive: true })
    await migrate({ databaseUrl, log, folder })
  } finally {
    rmSync(folder, { recursive: true })
  }
  const { rows } = await pool.query<{ name: string }>('select name from unnest($1::text[]) as name where to_regclass(name) is not null', [
    partitionedTables,
  ])
  await maintainPartitions(pool, { tables: rows.map(({ name: table }) => table), now: new Date(), retentionDays: 30 })
}

/**
 * Fills the tables that 0030_narrow_keys changes: emails with a key, a log and two events each. The first `queued` wait to be sent, the others have been.
 */
export const fillBeforeNarrowKeys = (pool: pg.Pool, { teamId, emails, queued }: { teamId: string; emails: number; queued: number }) =>
  pool.query(
    `with email as (
       insert into emails (id, team_id, api_key_id, state, last_event, message_id, "from", "to", subject, html, text, created_at, final_at)
       select uuidv7(), '${teamId}', gen_random_uuid(), 'queued', case when n <= ${queued} then 'queued' else 'delivered' end, n::text, 'a@example.com',
         array[n || '@example.org'], 'Hello', repeat('<p>Hello</p>', 10), repeat('Hello ', 10), now(), case when n > ${queued} then now() end
       from generate_series(1, ${emails}) n returning id, message_id::int as n
     ), recipient as (
       insert into recipients (id, team_id, email_id, address, state, attempt_count)
       select uuidv7(), '${teamId}', id, n || '@example.org', case when n <= ${queued} then 'queued' else 'delivered' end, case when n <= ${queued} then 0 else 1 end
       from email returning id, email_id, address, attempt_count
     ), delivery as (
       insert into deliveries (id, team_id, class, destination, email_id, recipient_id, due_at, is_ready)
       select uuidv7(), '${teamId}', 'transactional', 'example.org', email_id, id, now(), true from recipient where attempt_count = 0
     ), attempt as (
       insert into attempts (id, team_id, email_id, recipient_id, number, outcome, host, code, text, started_at, ended_at)
       select uuidv7(), '${teamId}', email_id, id, 1, 'delivered', 'mx.example.org', 250, 'OK', now(), now() from recipient where attempt_count = 1
     ), notification as (
       insert into notifications (id, team_id, type, subject_id, data, created_at)
       select uuidv7(), '${teamId}', type, email_id, jsonb_build_object('to', array[address]), now()
       from recipient, unnest(array['email.sent', 'email.delivered']) type where attempt_count = 1
     ), log as (
       insert into request_logs (id, team_id, method, endpoint, response_status, request_body, created_at)
       select uuidv7(), '${teamId}', 'POST', '/emails', 200, jsonb_build_object('from', 'a@example.com', 'to', n || '@example.org', 'html', repeat('<p>Hello</p>', 10)), now()
       from email
     )
     insert into idempotency_keys (team_id, operation, key, body_hash, response, expires_at)
     select '${teamId}', 'emails.send', 'key ' || n, repeat('a', 64), jsonb_build_object('id', id), now() + interval '1 day' from email`,
  )

// A PostgreSQL of another major version, where Debian's package of one is installed.

/** The user that the package makes: PostgreSQL refuses to run as root. */
const USER = 'postgres'
const PASSWORD = 'debian-postgres'

export type DebianPostgres = {
  url: string
  /** Shuts it down, and makes it the embedded database of DATA_DIR, as if the Posthaste of then had brought this version. */
  embedIn(dataDir: string): Promise<void>
  stop(): Promise<void>
}

/** The folder of its programs. */
export const debianPrograms = (version: string): string => join(postgresVersions(), version, 'bin')

/** A new server with a database that is empty. */
export async function startDebianPostgres(version: string): Promise<DebianPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaste-test-debian-'))
  const [dataDir, passwordFile, port] = [join(folder, 'data'), join(folder, 'password'), await freePort()]
  mkdirSync(dataDir)
  writeFileSync(passwordFile, PASSWORD)
  for (const path of [folder, dataDir, passwordFile]) chownSync(path, ...ids())
  const program = (name: string) => join(debianPrograms(version), name)
  const asUser = ['--reuid', USER, '--regid', USER, '--init-groups', '--pdeathsig', 'SIGINT']
  const initialize = ['-D', dataDir, '-U', USER, '--pwfile', passwordFile, '-A', 'scram-sha-256', '-E', 'UTF8', '--locale', 'C.UTF-8', '-N']
  execFileSync('setpriv', [...asUser, program('initdb'), ...initialize], { cwd: folder, stdio: 'ignore' })
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  const child = spawn('setpriv', [...asUser, program('postgres'), '-D', dataDir, ...settings.flatMap((one) => ['-c', one])], {
    stdio: 'ignore',
  })
  const ended = new Promise((done) => child.once('close', done))
  const url = `postgresql://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`
  await until(() => queryAt({ connectionString: url }, 'select 1'))
  return {
    url,
    async embedIn(place) {
      child.kill('SIGINT')
      await ended
      execFileSync('cp', ['-a', dataDir, join(place, 'postgres')])
      writeFileSync(join(place, 'postgres-password'), PASSWORD, { mode: 0o600 })
    },
    async stop() {
      child.kill('SIGQUIT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const ids = (): [number, number] => [idOf('-u'), idOf('-g')]
const idOf = (which: string): number => Number(execFileSync('id', [which, USER], { encoding: 'utf8' }))

// A PostgreSQL that takes connections over TLS alone, with the certificate that a test gives it.

export type TlsPostgres = {
  /** Without what says how to use TLS. */
  url: string
  /** Replaces its certificate. `clientsOf`: the certificate of an authority; only clients with one that it issued may connect. */
  show(certificate: Certificate, options?: { clientsOf?: string }): Promise<void>
  stop(): Promise<void>
}

const TLS_ALONE = 'hostssl all all all scram-sha-256\n'

export async function startTlsPostgres(certificate: Certificate): Promise<TlsPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthaste-test-tls-postgres-'))
  const server = await startEmbeddedPostgres({ dataDir, log: silentLog, durable: false })
  const cluster = join(dataDir, 'postgres')
  const superuser = superuserUrl(server.url, dataDir)
  let connectionString = superuser

  /** PostgreSQL reads a key only if it is its user's alone. */
  function write(name: string, text: string): void {
    const [path, { uid, gid }] = [join(cluster, name), statSync(cluster)]
    writeFileSync(path, text)
    chmodSync(path, 0o600)
    chownSync(path, uid, gid)
  }

  async function show({ key, cert }: Certificate, { clientsOf }: { clientsOf?: string } = {}): Promise<void> {
    write('server.key', key)
    write('server.crt', cert)
    write('pg_hba.conf', clientsOf === undefined ? TLS_ALONE : `${TLS_ALONE.trimEnd()} clientcert=verify-ca\n`)
    if (clientsOf !== undefined) write('clients.crt', clientsOf)
    const loaded = `select pg_conf_load_time()::text as "loadedAt"`
    const [before] = await queryAt<{ loadedAt: string }>({ connectionString }, loaded)
    await queryAt({ connectionString }, 'alter system set ssl = on')
    await queryAt({ connectionString }, `alter system set ssl_ca_file = '${clientsOf === undefined ? '' : 'clients.crt'}'`)
    await queryAt({ connectionString }, 'select pg_reload_conf()')
    connectionString = withParameters(superuser, 'sslmode=no-verify')
    if (clientsOf !== undefined) {
      const isTaken = () =>
        queryAt({ connectionString }, 'select 1').then(
          () => true,
          () => false,
        )
      return until(async () => {
        if (await isTaken()) throw new Error('It takes clients without a certificate')
      })
    }
    await until(async () => {
      const [after] = await queryAt<{ loadedAt: string }>({ connectionString }, loaded)
      if (after?.loadedAt === before?.loadedAt) throw new Error('It has not read its settings again')
    })
  }

  await show(certificate)
  return {
    url: withParameters(server.url, ''),
    show,
    async stop() {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const withParameters = (url: string, parameters: string): string => Object.assign(new URL(url), { search: parameters }).href

// A PostgreSQL that is a standby: it answers, and takes no writes.

export type Standby = { url: string; stop(): Promise<void> }

export async function startStandby(): Promise<Standby> {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthaste-test-standby-'))
  const server = await startEmbeddedPostgres({ dataDir, log: silentLog, durable: false })
  writeFileSync(join(dataDir, 'postgres', 'standby.signal'), '', { mode: 0o644 })
  // It ends in good order, is started again, and finds the file.
  process.kill(postgresPidOf(dataDir) ?? 0, 'SIGINT')
  await until(() => expectStandby(server.url))
  return {
    url: server.url,
    async stop() {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function expectStandby(connectionString: string): Promise<void> {
  const [row] = await queryAt<{ isStandby: boolean }>({ connectionString }, 'select pg_is_in_recovery() as "isStandby"')
  if (!row?.isStandby) throw new Error('It is the primary still')
}
