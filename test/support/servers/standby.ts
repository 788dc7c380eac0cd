// A PostgreSQL that is a standby: it answers, and takes no writes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../../src/database/embedded/embedded-postgres.ts'
import { until } from '../clocks/until.ts'
import { postgresPidOf, queryAt } from '../processes/processes.ts'
import { silentLog } from '../processes/silent-log.ts'

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
