// The superuser of an embedded PostgreSQL, whom the service itself never is.
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
 * Lets the service's role make databases: a run needs many, a service one. And gives a test that makes a deadlock time to close it: PostgreSQL looks
 * once, that long after a wait began, and the one who looks in time is the one who ends.
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
