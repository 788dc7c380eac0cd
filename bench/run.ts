// Measures accepting and delivering on this machine, each beside the simplest program that does as much of it as one can do without Posthaste.
// The ratio of a row is against the row above it that it builds on; absolute figures say more about the machine.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../src/database/embedded-postgres.ts'
import { measureAccepting } from './accept.ts'
import { measureDelivering } from './deliver.ts'
import { stopAll } from './processes.ts'
import { table } from './table.ts'

const TOKEN = 're_bench_0123456789abcdef012345'
const quiet = () => {}

const dataDir = mkdtempSync(join(tmpdir(), 'posthaste-bench-'))
const database = await startEmbeddedPostgres({ dataDir, log: { debug: quiet, info: quiet, warn: quiet, error: quiet } })
try {
  const options = {
    databaseUrl: database.url,
    bareDatabaseUrl: await createDatabase(database.url, 'bare'),
    token: TOKEN,
    environment: {
      DATABASE_URL: database.url,
      DATA_DIR: join(dataDir, 'service'),
      BOOTSTRAP_API_KEY: TOKEN,
      RATE_LIMIT_PER_SECOND: '0',
    },
  }
  const rows = [...(await measureAccepting(options)), ...(await measureDelivering(options))]
  process.stdout.write(`${cpus().length} cores, Node ${process.versions.node}\n\n${table(rows)}\n`)
} finally {
  await stopAll()
  await database.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return Object.assign(new URL(serverUrl), { pathname: name }).href
}
