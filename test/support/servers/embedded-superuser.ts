// The superuser of an embedded PostgreSQL, which the service itself never uses.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { CALM_DATABASE, SUPERUSER } from '../../../src/database/embedded/embedded-role.ts'

/** The server of `url`, as its superuser. */
export function superuserUrl(url: string, dataDir: string, database = CALM_DATABASE): string {
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim()
  return Object.assign(new URL(url), { username: SUPERUSER, password, pathname: database }).href
}

/**
 * Lets the service's role create databases, because a run needs many and a service one. It also gives a test that makes a deadlock time to complete
 * it: PostgreSQL checks once, this long after a wait began, and ends the transaction that checks in time.
 */
export async function prepareRoleOfRun(url: string, dataDir: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl(url, dataDir) })
  await client.connect()
  try {
    const role = new URL(url).username
    await client.query(`alter role ${role} createdb; alter role ${role} set deadlock_timeout = '4s'`)
  } finally {
    await client.end()
  }
}
