// A separate connection to the database, for locks that only one connection can hold.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { BaseLogger } from 'pino'
import { errorCode } from '../../lib/problem.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { sessionSettings } from './session-settings.ts'

export type Session = pg.Client

/** Connects; call `end` on the result. Throws a StartupProblem that names the server, without user and password, if it cannot. */
export async function connectSession(databaseUrl: string): Promise<pg.Client> {
  const client = newClient(databaseUrl)
  // A connection that breaks while it is idle must not end the process. The next query fails.
  client.on('error', () => {})
  try {
    await client.connect()
    // A migration may take long. Waits for locks have limits of their own.
    await client.query(sessionSettings({ statementMs: 0, idleInTransactionMs: 0 }))
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw new StartupProblem(`The database ${withoutSecrets(databaseUrl)} cannot be used: ${connectFailure(error)}`, { cause: error })
  }
}

/**
 * A connection that is not made yet.
 * @throws StartupProblem if no connection can be made of the address, such as one that names a file that cannot be read.
 */
export function newClient(databaseUrl: string): pg.Client {
  const options = parseUrl(databaseUrl)
  try {
    return new pg.Client({
      ...options,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'posthaste migrations',
      keepAlive: true,
    })
  } catch (error) {
    throw new StartupProblem(`DATABASE_URL (${withoutSecrets(databaseUrl)}) cannot be used: ${connectionErrorReason(error)}`, {
      cause: error,
    })
  }
}

// A local server answers in milliseconds, one that has to wake up in a few seconds.
const CONNECT_TIMEOUT_MS = 10_000

type Server = {
  number: number
  version: string
  isStandby: boolean
  isReadOnly: boolean
  encoding: string
  triggers: string
  database: string
  role: string
  lacksSchema: boolean
  lacksDatabase: boolean
}

// The schema of the job queue is made once, and days later partitions are still made in the other one.
const SERVER = `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
  pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only')::boolean as "isReadOnly",
  current_setting('server_encoding') as encoding, current_setting('session_replication_role') as triggers,
  quote_ident(current_database()) as database, quote_ident(current_user) as role,
  coalesce(not has_schema_privilege(to_regnamespace('public'), 'create'), true) as "lacksSchema",
  to_regnamespace('graphile_worker') is null and not has_database_privilege(current_database(), 'create') as "lacksDatabase"`

/**
 * Throws a StartupProblem for a server that is too old or takes no writes, a database that cannot store every character, has no triggers or cannot have
 * our tables, or a pooler that distributes the statements of a session over several server connections.
 */
export async function checkSession(session: pg.Client, databaseUrl: string): Promise<void> {
  const { rows } = await session.query<Server>(SERVER)
  const [server] = rows
  if (server && server.number < SERVER_VERSION_MIN)
    throw new StartupProblem(
      `The database ${withoutSecrets(databaseUrl)} is PostgreSQL ${server.version}: Posthaste needs version 14 or newer.`,
    )
  if (server?.isStandby)
    throw new StartupProblem(
      `The database ${withoutSecrets(databaseUrl)} is a standby, which takes no writes: point DATABASE_URL to the primary, or wait until it has become one.`,
    )
  if (server?.isReadOnly)
    throw new StartupProblem(
      `The database ${withoutSecrets(databaseUrl)} takes no writes, because default_transaction_read_only is on: switch it off there, or correct DATABASE_URL.`,
    )
  if (server && server.encoding !== 'UTF8')
    throw new StartupProblem(
      `The database ${withoutSecrets(databaseUrl)} is encoded in ${server.encoding}, which cannot store every character of an email: make another with \`create database posthaste encoding 'UTF8' locale 'C.UTF-8' template template0\`, and name it in DATABASE_URL.`,
    )
  if (server?.triggers === 'replica')
    throw new StartupProblem(
      `The database ${withoutSecrets(databaseUrl)} runs no triggers for this user, because session_replication_role is replica: run \`alter role ${server.role} reset session_replication_role\`, and the same for the database.`,
    )
  if (server?.lacksSchema)
    throw new StartupProblem(
      `The user of DATABASE_URL (${withoutSecrets(databaseUrl)}) may not make tables in the schema public: run \`alter database ${server.database} owner to ${server.role}\`, or \`create schema if not exists public; grant all on schema public to ${server.role}\` there.`,
    )
  if (server?.lacksDatabase)
    throw new StartupProblem(
      `The user of DATABASE_URL (${withoutSecrets(databaseUrl)}) may not make the schema of the job queue: run \`grant create on database ${server.database} to ${server.role}\`.`,
    )
  if (!(await isOneSession(session, databaseUrl)))
    throw new StartupProblem(
      `DATABASE_URL (${withoutSecrets(databaseUrl)}) points to a pooler in transaction or statement mode, and Posthaste needs whole sessions: use the server's own port, or a pool in session mode.`,
    )
}

// server_version_num of 14.0.
const SERVER_VERSION_MIN = 140_000

/**
 * Runs `act` while no other process runs one for the same purpose. It asks repeatedly instead of waiting in the server, because a waiting statement
 * holds a snapshot, and CREATE INDEX CONCURRENTLY in the process that has the lock would wait for it. Throws a StartupProblem after `waitMaxMs`.
 */
export async function withAdvisoryLock<T>(
  session: pg.ClientBase,
  lock: { purpose: LockPurpose; waitMaxMs: number },
  act: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + lock.waitMaxMs
  while (!(await tryAdvisoryLock(session, lockKeys[lock.purpose]))) {
    if (performance.now() > deadline)
      throw new StartupProblem(
        lock.waitMaxMs === 0
          ? `Another Posthaste holds the database's lock for ${lock.purpose}: wait until it has ended.`
          : `Another Posthaste has held the database's lock for ${lock.purpose} for ${lock.waitMaxMs / 60_000} minutes: see its log, or end it.`,
      )
    await sleep(LOCK_POLL_MS)
  }
  try {
    return await act()
  } finally {
    // A broken connection has released it already.
    await session.query('select pg_advisory_unlock($1, $2)', [LOCK_CLASS, lockKeys[lock.purpose]]).catch(() => {})
  }
}

const lockKeys = { migrations: 1, partitions: 2, backups: 3, restores: 4 }
type LockPurpose = keyof typeof lockKeys

// An arbitrary number, so that our locks differ from those of other programs in the same database.
const LOCK_CLASS = 7_407
const LOCK_POLL_MS = 50

async function tryAdvisoryLock(session: pg.ClientBase, key: number): Promise<boolean> {
  const { rows } = await session.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [LOCK_CLASS, key])
  return rows[0]?.locked === true
}

/**
 * Whether a setting stays while other sessions are active. A pooler in transaction mode gives each of the others the server connection that was
 * used last, and this session the next one, which does not know the setting.
 */
async function isOneSession(session: pg.Client, databaseUrl: string): Promise<boolean> {
  const before = await session.query<{ pid: number }>(`select pg_backend_pid() as pid, set_config('posthaste.session', 'same', false)`)
  const others: pg.Client[] = []
  try {
    for (let count = 0; count < OTHER_SESSIONS; count++) {
      const other = await connectSession(databaseUrl)
      others.push(other)
      const isBegun = await other.query('begin; select 1').then(() => true, isRefusedByPooler)
      if (!isBegun) return false
    }
    const after = await session.query<{ pid: number; setting: string | null }>(
      `select pg_backend_pid() as pid, current_setting('posthaste.session', true) as setting`,
    )
    return after.rows[0]?.setting === 'same' && after.rows[0].pid === before.rows[0]?.pid
  } finally {
    await Promise.allSettled(others.map((other) => other.end()))
  }
}

/** A pooler in statement mode has no transactions. @returns false, or throws what it is else */
function isRefusedByPooler(error: unknown): false {
  if (error instanceof pg.DatabaseError && error.code === PROTOCOL_VIOLATION) return false
  throw error
}

const PROTOCOL_VIOLATION = '08P01'

// The first gets the connection that was used last; the second detects a pooler that takes turns.
const OTHER_SESSIONS = 2

/** The address of a database for people, without the parts before @ and after ?. */
export function withoutSecrets(databaseUrl: string): string {
  try {
    const { protocol, host, pathname } = new URL(databaseUrl)
    return `${protocol}//${host}${pathname}`
  } catch {
    return 'of DATABASE_URL'
  }
}

function parseUrl(databaseUrl: string): { connectionString: string } {
  const isDatabaseUrl = URL.canParse(databaseUrl) && /^postgres(ql)?:$/.test(new URL(databaseUrl).protocol)
  if (isDatabaseUrl) {
    checkFiles(new URL(databaseUrl).searchParams)
    return { connectionString: databaseUrl }
  }
  throw new StartupProblem(
    'DATABASE_URL is not an address of the form postgresql://user:password@host:5432/database (encode special characters of the password).',
  )
}

/** The driver reads them for each connection, and takes no notice of a file of authorities that has none in it. */
function checkFiles(parameters: URLSearchParams): void {
  for (const [name, isReadable, wanted] of TLS_FILES) {
    const path = parameters.get(name)
    if (path && !isReadable(readTextFile(name, path)))
      throw new StartupProblem(
        `DATABASE_URL names ${path} as its ${name}, and that file is not ${wanted}: replace it, or correct the path.`,
      )
  }
}

function readTextFile(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartupProblem(
      `DATABASE_URL names ${path} as its ${name}, and that file cannot be read (${errorCode(error)}): put it there, readable by the user of the service, or correct the path.`,
      { cause: error },
    )
  }
}

const isCertificate = (text: string): boolean => succeeds(() => new X509Certificate(text))
const isKey = (text: string): boolean => succeeds(() => createPrivateKey(text))

function succeeds(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

const TLS_FILES: [string, (text: string) => boolean, string][] = [
  ['sslrootcert', isCertificate, 'a certificate in PEM form'],
  ['sslcert', isCertificate, 'a certificate in PEM form'],
  ['sslkey', isKey, 'a key in PEM form without a passphrase'],
]

function connectFailure(error: unknown): string {
  const reason = connectionErrorReason(error)
  if (reason.includes('does not support SSL')) return 'it speaks no TLS. Switch it on there, or remove sslmode from DATABASE_URL.'
  if (reason.includes('no encryption')) return 'it takes connections over TLS only. Set sslmode in DATABASE_URL: ?sslmode=verify-full.'
  if (reason.includes('requires a valid client certificate')) return UNKNOWN_CLIENT
  return failures[errorCode(error)] ?? `${reason}. Check that it runs and that DATABASE_URL is right.`
}

const UNKNOWN_AUTHORITY =
  'its certificate is from an authority that this machine does not know. Name the file with the certificate of that authority in DATABASE_URL: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem.'

const UNKNOWN_CLIENT =
  'it takes only clients with a certificate that it knows. Name the files of the certificate and its key in DATABASE_URL: &sslcert=/path/to/client.pem&sslkey=/path/to/client-key.pem.'

const failures: Record<string, string> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name. Use that name in DATABASE_URL.',
  CERT_HAS_EXPIRED: 'its certificate has expired. Renew it there, or set the clock of this machine.',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet. Set the clock of this machine, or replace the certificate there.',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'the key in sslkey is not that of the certificate in sslcert. Correct these files in DATABASE_URL.',
  ECONNREFUSED: 'nothing listens there. Start it, or correct the host and port in DATABASE_URL.',
  ENOTFOUND: 'its host name is unknown. Correct it in DATABASE_URL.',
  EAI_AGAIN: 'its host name could not be looked up. Check the network, or correct it in DATABASE_URL.',
  '28P01': 'it refuses the user or the password. Correct them in DATABASE_URL.',
  '28000': 'it refuses this user from here. Correct the user in DATABASE_URL, or its pg_hba.conf.',
  '3D000': 'there is no database of that name. Create it, or correct the name in DATABASE_URL.',
  '53300': 'it has no connection left. Raise its max_connections, or end other programs.',
  '57P03': 'it is starting or stopping. Try again in a moment.',
}

// Node tries several addresses of one name and combines their errors in one without a message.
function connectionErrorReason(error: unknown): string {
  if (error instanceof AggregateError) return connectionErrorReason(error.errors[0])
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}

/** The part of a logger that the database code needs. Pino's and Fastify's both have it. */
export type Log = Pick<BaseLogger, 'debug' | 'info' | 'warn' | 'error'>

// Detects that an idle session has ended, and with it the lock that it held.

const ASKED_EVERY_MS = 5_000
const ANSWER_MAX_MS = 15_000

type Watching = { explain: (reason: string) => Error; askedEveryMs?: number; answerMaxMs?: number }

/** `lost` ends with what `explain` makes of the reason: the session was ended, its connection broke, or it no longer answers. */
export function watchSession(
  session: Pick<Session, 'on' | 'query' | 'end'>,
  { explain, askedEveryMs = ASKED_EVERY_MS, answerMaxMs = ANSWER_MAX_MS }: Watching,
): { lost: AbortSignal; end(): void } {
  const controller = new AbortController()
  let isAsking = false
  let isOver = false

  function lose(reason: string): void {
    if (isOver) return
    end()
    controller.abort(explain(reason))
    // Otherwise the next question to it would never be answered.
    void session.end().catch(() => {})
  }

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    const late = setTimeout(() => lose(`no answer for ${answerMaxMs / 1_000} s`), answerMaxMs)
    await session.query('select 1').catch((error: Error) => lose(error.message))
    clearTimeout(late)
    isAsking = false
  }

  function end(): void {
    isOver = true
    clearInterval(asking)
  }

  const asking = setInterval(() => void ask(), askedEveryMs)
  session.on('error', (error) => lose(error.message))
  session.on('end', () => lose('the connection was closed'))
  return { lost: controller.signal, end }
}
