// The way to another major version of PostgreSQL: a backup with the old one, a restore with the new one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startLoad } from '../support/builders/load.ts'
import { until } from '../support/clocks/until.ts'
import { otherPostgresVersion } from '../support/processes/machine.ts'
import { createPlace, queryAt, queryEmbedded } from '../support/processes/processes.ts'
import { useSharedCommands } from '../support/processes/shared-commands.ts'
import { startDebianPostgres } from '../support/servers/other-databases.ts'

const EMAILS = 50
const STATES = 'select last_event, count(*)::int as count from emails group by 1 order by 1'

const version = otherPostgresVersion()
const commands = useSharedCommands()

let folder: string
const closing: (() => Promise<unknown>)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-other-postgres-'))
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  rmSync(folder, { recursive: true, force: true })
})

it.runIf(process.getuid?.() === 0 && version)('data of the PostgreSQL of Debian is brought over to the embedded one', async () => {
  const server = await startDebianPostgres(version ?? '')
  closing.push(() => server.stop())
  const old = await createPlace({ DATABASE_URL: server.url })
  closing.push(() => old.close())
  const service = await old.start()
  await startLoad({ url: () => service.url, token: old.token, count: EMAILS }).done
  await until(async () =>
    expect(await queryAt({ connectionString: server.url }, STATES)).toEqual([{ last_event: 'delivered', count: EMAILS }]),
  )
  expect(await service.signal('SIGTERM')).toEqual({ status: 0, signal: null })
  const backup = join(folder, 'backup')
  const inOld = { folder, environment: { DATABASE_URL: server.url, DATA_DIR: old.dataDir } }
  expect(await commands.run(['backup', backup], inOld)).toMatchObject({ status: 0 })

  const next = await createPlace()
  closing.push(() => next.close())
  const inNew = { folder, environment: { DATA_DIR: next.dataDir } }
  expect(await commands.run(['restore', backup], inNew)).toMatchObject({ status: 0 })
  const restored = await next.start()
  expect(await commands.run(['queue', 'resume', '--all'], inNew)).toMatchObject({ status: 0 })
  await startLoad({ url: () => restored.url, token: old.token, count: 1 }).done
  await until(async () => expect(await queryEmbedded(next.dataDir, STATES)).toEqual([{ last_event: 'delivered', count: EMAILS + 1 }]))
})
