// The role that the service uses. It owns its database and is no superuser, so that no statement can read files or run programs.
import { createHmac, randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import pg from 'pg'
import { sessionSettings } from '../session/session-settings.ts'

// The embedded PostgreSQL listens on a local socket beside its port where the system has sockets that are no files (Linux, unix(7), "abstract"): a query
// takes a fifth to a quarter less processor time through it than over TCP. As with the port, all who are on the machine can connect, and need the password.

/** Part of the database's address. Clients of `pg` that do not know it use the port. */
const PARAMETER = 'local_socket'
const NAME_BYTES = 12

/** A name that no other program can guess, and take before the server does. Null where sockets are files. */
export const createSocketName = (): string | null =>
  process.platform === 'linux' ? `posthaste-${randomBytes(NAME_BYTES).toString('hex')}` : null

/** The value of PostgreSQL's `unix_socket_directories`. */
export const socketSetting = (name: string | null): string => (name === null ? '' : `@${name}`)

export function withSocket(databaseUrl: string, name: string | null): string {
  const url = new URL(databaseUrl)
  if (name !== null) url.searchParams.set(PARAMETER, name)
  return url.href
}

/** Makes what a client of `pg` connects through, if this address names a local socket; undefined for TCP. */
export function socketStream(databaseUrl: string): (() => LocalSocket) | undefined {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : null
  const name = url?.searchParams.get(PARAMETER)
  // PostgreSQL adds the name of the file that it would be.
  return name ? () => new LocalSocket(`\0${name}/.s.PGSQL.${url?.port}`) : undefined
}

/** Connects to its own address, whatever it is told. */
class LocalSocket extends Socket {
  readonly #path: string

  constructor(path: string) {
    super()
    this.#path = path
  }

  override connect(): this {
    return super.connect({ path: this.#path })
  }
}

export type EmbeddedServer = { port: number; password: string }

/** The address of the service's database, as its owner. */
export const embeddedUrl = ({ password, port, socketName = null }: EmbeddedServer & { socketName?: string | null }): string =>
  withSocket(`postgresql://${ROLE}:${rolePassword(password)}@127.0.0.1:${port}/${DATABASE}`, socketName)

/**
 * Creates the role and its database unless they exist, and gives the role what a superuser made there: everything, in a data folder from before
 * this role; later what an operator restored. Only this needs the superuser.
 */
export async function prepareRole(server: EmbeddedServer): Promise<void> {
  if (!(await hasDatabase(server))) {
    // The database that initdb made becomes the database of the service, with all that an earlier version wrote there.
    await asSuperuser(server, CALM_DATABASE, (session) => session.query(`alter database postgres rename to ${DATABASE}`))
  }
  await asSuperuser(server, DATABASE, async (session) => {
    await makeRole(session, rolePassword(server.password))
    await handOver(session)
  })
}

/** initdb makes it, and no one renames or drops it. */
export const CALM_DATABASE = 'template1'
export const SUPERUSER = 'postgres'

const ROLE = 'posthaste'
const DATABASE = 'posthaste'

/** Derived from the superuser's, so that one file opens the database. This password does not reveal the other. */
const rolePassword = (superuserPassword: string): string =>
  createHmac('sha256', superuserPassword).update(`role ${ROLE}`).digest('base64url')

const hasDatabase = (server: EmbeddedServer): Promise<boolean> =>
  asSuperuser(server, CALM_DATABASE, async (session) => {
    const { rowCount } = await session.query('select from pg_database where datname = $1', [DATABASE])
    return rowCount === 1
  })

async function makeRole(session: pg.Client, password: string): Promise<void> {
  const { rowCount } = await session.query('select from pg_roles where rolname = $1', [ROLE])
  const may = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls'
  await session.query(`${rowCount === 1 ? 'alter' : 'create'} role ${ROLE} ${may} password ${session.escapeLiteral(password)}`)
  await session.query(`alter database ${DATABASE} owner to ${ROLE}`)
}

/** Repeats until nothing is left, so that the next start continues one that was interrupted. */
async function handOver(session: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await session.query<{ command: string }>(TO_HAND_OVER, [ROLE, HANDED_OVER_MAX])
    if (rows.length === 0) return
    await session.query(rows.map(({ command }) => command).join('; '))
  }
}

/** They share a transaction, and each locks a table and its indexes. PostgreSQL has room for some thousands. */
const HANDED_OVER_MAX = 200

/** PostgreSQL, `transam.h`, "FirstNormalObjectId". */
const OID_OF_USERS_MIN = 16_384

// Indexes, row types and the sequences of columns follow their table; members of an extension stay with it; objects from initdb have lower numbers.
const TO_HAND_OVER = `
  with given as (
    select 'pg_namespace'::regclass as class, oid, format('alter schema %I owner to %I', nspname, $1::text) as command
      from pg_namespace where nspowner = current_user::regrole and nspname !~ '^pg_'
    union all
    select 'pg_class'::regclass, c.oid, format('alter table %I.%I owner to %I', n.nspname, relname, $1::text)
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where relowner = current_user::regrole and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and relkind = 'S' and deptype in ('a', 'i'))
    union all
    select 'pg_proc'::regclass, oid, format('alter routine %s owner to %I', oid::regprocedure, $1::text)
      from pg_proc where proowner = current_user::regrole
    union all
    select 'pg_type'::regclass, t.oid, format('alter type %s owner to %I', t.oid::regtype, $1::text)
      from pg_type t left join pg_class c on c.oid = typrelid
      where typowner = current_user::regrole and (typtype in ('e', 'd', 'r') or relkind = 'c')
  )
  select command from given
   where oid >= ${OID_OF_USERS_MIN} and not exists (select from pg_depend d where d.classid = given.class and d.objid = given.oid and d.deptype = 'e')
   limit $2`

async function asSuperuser<T>({ port, password }: EmbeddedServer, database: string, act: (session: pg.Client) => Promise<T>): Promise<T> {
  // Names in these statements mean the system's objects, whatever the owner of the database has set or made.
  const session = new pg.Client({ host: '127.0.0.1', port, user: SUPERUSER, password, database, options: '-c search_path=pg_catalog' })
  session.on('error', () => {})
  await session.connect()
  try {
    await session.query(sessionSettings({ statementMs: 0, idleInTransactionMs: 0 }, { search_path: 'pg_catalog' }))
    return await act(session)
  } finally {
    await session.end().catch(() => {})
  }
}
