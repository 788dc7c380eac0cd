// The embedded PostgreSQL listens on a local socket beside its port where the system has sockets that are no files (Linux, unix(7), "abstract"): a query
// takes a fifth to a quarter less processor time through it than over TCP. As with the port, all who are on the machine can connect, and need the password.
import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'

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
