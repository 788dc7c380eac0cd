// A separate connection to the database, for locks that only one connection can hold.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { StartupProblem } from '../lib/startup-problem.ts'

export type Session = pg.Client

/** Connects; call `end` on the result. Throws a StartupProblem that names the server, without user and password, if it cannot. */
export async function connectSession(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...parseUrl(databaseUrl),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'posthaste migrations',
    keepAlive: true,
  })
  // A connection that breaks while it is idle must not end the process. The next query fails.
  client.on('error', () => {})
  try {
    await client.connect()
    // A migration may take long. Waits for locks have limits of their own.
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
    // A session that holds a lock rests meanwhile. By name, because a server that is too old does not know it, and is told so later.
    await client.query(`select set_config(name, '0', false) from pg_settings where name = 'idle_session_timeout'`)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw new StartupProblem(`The database ${withoutSecrets(databaseUrl)} cannot be used: ${connectFailure(error)}`, { cause: error })
  }
}

// A local server answers in milliseconds, one that has to wake up in a few seconds.
const CONNECT_TIMEOUT_MS = 10_000

/**
 * Throws a StartupProblem for a server that is too old or takes no writes, or a pooler that distributes the statements of a session over several
 * server connections.
 */
export async function checkSession(session: pg.Client, databaseUrl: string): Promise<void> {
  const { rows } = await session.query<{ number: number; version: string; isStandby: boolean; isReadOnly: boolean }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
       pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only')::boolean as "isReadOnly"`,
  )
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
  if (!(await isOneSession(session, databaseUrl)))
    throw new StartupProblem(
      `DATABASE_URL (${withoutSecrets(databaseUrl)}) leads to a pooler in transaction mode, and Posthaste needs whole sessions: use the server's own port, or a pool in session mode.`,
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
      await other.query('begin; select 1')
    }
    const after = await session.query<{ pid: number; setting: string | null }>(
      `select pg_backend_pid() as pid, current_setting('posthaste.session', true) as setting`,
    )
    return after.rows[0]?.setting === 'same' && after.rows[0].pid === before.rows[0]?.pid
  } finally {
    await Promise.allSettled(others.map((other) => other.end()))
  }
}

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
  if (isDatabaseUrl) return { connectionString: databaseUrl }
  throw new StartupProblem(
    'DATABASE_URL is not an address of the form postgresql://user:password@host:5432/database (encode special characters of the password).',
  )
}

function connectFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return failures[code] ?? `${reasonOf(error)}. Check that it runs and that DATABASE_URL is right.`
}

const failures: Record<string, string> = {
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
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}
