// One PostgreSQL for all faults that need several processes; each gets a database of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.ts'
import { queryAt, silentLog } from '../../test/support/processes/processes.ts'
import { prepareRoleOfRun } from '../../test/support/servers/postgres.ts'

export type SharedPostgres = {
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

export async function startSharedPostgres(): Promise<SharedPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthaste-faults-'))
  const server = await startEmbeddedPostgres({ dataDir, log: silentLog })
  await prepareRoleOfRun(server.url, dataDir)
  let databases = 0
  return {
    async createDatabase() {
      databases += 1
      const name = `fault_${databases}`
      await queryAt({ connectionString: server.url }, `create database ${name}`)
      return Object.assign(new URL(server.url), { pathname: name }).href
    },
    async stop() {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
