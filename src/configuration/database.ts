// Where the database is, and how many connections to it there may be.
import type { Variables } from '../environment.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { url } from './values.ts'

/**
 * The address of DATABASE_URL. `sslmode=require` and `verify-ca` become `verify-full`: the driver does the same for all three, and warns of the first two
 * in lines of its own.
 */
export function databaseUrl(value: string): string {
  const parsed = namesOneHost(value) ? url('DATABASE_URL', value, ['postgres:', 'postgresql:']) : null
  if (parsed === null || (parsed.searchParams.get('host') ?? '').includes(','))
    throw new StartupProblem(
      'DATABASE_URL names several hosts, and Posthaste connects to one: name the primary, or an address that always leads to it.',
    )
  const schema = parsed.searchParams.get('schema')
  if (schema !== null && schema !== 'public')
    throw new StartupProblem(
      `DATABASE_URL asks for the schema ${JSON.stringify(schema)}, and Posthaste needs a database of its own, with its tables in the schema public: make one (\`create database posthaste\`), name it there, and leave out ?schema=.`,
    )
  const followsLibpq = parsed.searchParams.get('uselibpqcompat') === 'true'
  if (!followsLibpq && LIKE_VERIFY_FULL.has(parsed.searchParams.get('sslmode') ?? '')) parsed.searchParams.set('sslmode', 'verify-full')
  return parsed.href
}

/** With the role worker, four of them listen. */
const WORKER_CONNECTIONS_MIN = 8
const CONNECTIONS_MIN = 4

/** `databaseConnectionsMin`: without that many the service does not start. */
export function databaseConnections(
  { DATABASE_CONNECTIONS: databaseConnections }: Variables,
  roles: readonly string[],
): { databaseConnections: number; databaseConnectionsMin: number } {
  const databaseConnectionsMin = roles.includes('worker') ? WORKER_CONNECTIONS_MIN : CONNECTIONS_MIN
  if (databaseConnections >= databaseConnectionsMin) return { databaseConnections, databaseConnectionsMin }
  throw new StartupProblem(
    `DATABASE_CONNECTIONS must be at least ${databaseConnectionsMin} in a process with the role worker, of which 4 only listen; it is ${databaseConnections}.`,
  )
}

const LIKE_VERIFY_FULL: ReadonlySet<string> = new Set(['prefer', 'require', 'verify-ca'])

/** Several hosts with ports are no URL. */
function namesOneHost(value: string): boolean {
  const authority = value.split('//', 2)[1]?.split(/[/?#]/, 1)[0] ?? ''
  return !authority.slice(authority.lastIndexOf('@') + 1).includes(',')
}
