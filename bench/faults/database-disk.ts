// A database server whose disk is full, while that of the service is not: a process that only holds an embedded PostgreSQL on a small file system in
// memory, and a service that uses it by its address.
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { embeddedUrl } from '../../src/db/embedded/embedded-role.ts'
import { until } from '../../test/support/clocks/until.ts'
import { createPlace, type Place } from '../../test/support/processes/processes.ts'
import { fill, withSmallDisk } from './disk.ts'
import type { Stage } from './stage.ts'
import { type Fault, runTrial } from './trial.ts'

const FULL_MS = 8_000
const SECRET_KEY = '0123456789abcdef0123456789abcdef'
const FAULT = 'a database whose disk has no byte left, for 8 s; the disk of the service has room'

export const databaseDiskFull: Fault = {
  name: 'database-disk-full',
  run: ({ emails }) =>
    withSmallDisk(
      FAULT,
      async (stage) => {
        const place = await createPlace({
          DATABASE_URL: urlOf(stage),
          SECRET_KEY,
          SMTP_RELAY_URL: `smtp://127.0.0.1:${stage.sinkPort}`,
          INBOUND_PORT: '0',
        })
        try {
          return await fillBeside(stage, place, emails)
        } finally {
          await place.close()
        }
      },
      { environment: { ROLES: 'api', SECRET_KEY } },
    ),
}

async function fillBeside(stage: Stage, place: Place, emails: number) {
  const service = await place.start()
  return runTrial(stage, {
    fault: FAULT,
    emails,
    url: () => service.url,
    async strike(now) {
      const inFlight = await stage.openAttempts()
      now()
      const filler = await fill(stage, 0)
      // The rest of pages and files that exist takes some more.
      const problems = [
        ...(await until(async () => expectSaid(service.url)).then(
          () => [],
          (error: Error) => [error.message],
        )),
      ]
      await wait(FULL_MS)
      await rm(filler)
      await until(async () => {
        if ((await fetch(`${service.url}/health/ready`)).status !== 200) throw new Error('It is not ready again')
      })
      return { inFlight, remark: 'readiness said so meanwhile', problems }
    },
  })
}

async function expectSaid(url: string): Promise<void> {
  const { checks } = (await (await fetch(`${url}/health/ready`)).json()) as { checks: { database: string } }
  if (checks.database !== 'cannot store: its disk is full') throw new Error(`Readiness said: ${checks.database}`)
}

const urlOf = (stage: Stage): string => {
  const folder = stage.dataDirSeen()
  const [, , , port] = readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
  return embeddedUrl({ port: Number(port), password: readFileSync(join(folder, 'postgres-password'), 'utf8').trim() })
}
