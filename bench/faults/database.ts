// A PostgreSQL that dies, ends all connections, or has no connection left.
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { until } from '../../test/support/clocks/until.ts'
import { postgresPidOf, type ServiceProcess } from '../../test/support/processes/processes.ts'
import { openStage, type Stage } from './stage.ts'
import { type Fault, runTrial } from './trial.ts'

const RESTART_MS_MAX = 30_000

export const postgresKilled: Fault = {
  name: 'postgres-killed',
  async run({ emails }) {
    const stage = await openStage({})
    try {
      const service = await stage.place.start()
      return [
        await runTrial(stage, {
          fault: 'SIGKILL of the embedded PostgreSQL; the service starts it again',
          emails,
          url: () => service.url,
          async strike(now) {
            const inFlight = await stage.openAttempts()
            await killPostgres(stage, service, now)
            return { inFlight }
          },
        }),
      ]
    } finally {
      await stage.close()
    }
  },
}

/** Until the service has started it again. */
export async function killPostgres({ place }: Stage, service: ServiceProcess, now: () => void = () => {}): Promise<void> {
  const restarts = restartsOf(service)
  const postgres = postgresPidOf(place.dataDir)
  if (postgres === null) throw new Error('There is no database')
  now()
  process.kill(postgres, 'SIGKILL')
  await until(
    () => {
      if (restartsOf(service) === restarts) throw new Error('The database was not restarted')
    },
    { timeout: RESTART_MS_MAX },
  )
}

const restartsOf = (service: ServiceProcess): number => service.output().split('database restarted').length - 1

const THROW_OUT = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name <> 'faults' and pid <> pg_backend_pid()`
const TERMINATIONS = 5
const TERMINATED_EVERY_MS = 500

export const backendsTerminated: Fault = {
  name: 'backends-terminated',
  async run({ shared, emails }) {
    const stage = await openStage({ shared })
    try {
      const api = await stage.startApi()
      await Promise.all([stage.startWorker(), stage.startWorker()])
      return [
        await runTrial(stage, {
          fault: 'all backends of PostgreSQL terminated, five times in 2.5 s',
          emails,
          url: () => api.url,
          async strike(now) {
            const inFlight = await stage.openAttempts()
            now()
            for (let times = 0; times < TERMINATIONS; times++) {
              await stage.query(THROW_OUT)
              await wait(TERMINATED_EVERY_MS)
            }
            return { inFlight }
          },
        }),
      ]
    } finally {
      await stage.close()
    }
  },
}

const TAKEN_MS = 10_000

export const connectionsTaken: Fault = {
  name: 'connections-taken',
  async run({ shared, emails }) {
    const databaseUrl = await shared.createDatabase()
    const stage = await openStage({ shared })
    try {
      const api = await stage.startApi()
      await Promise.all([stage.startWorker(), stage.startWorker()])
      return [
        await runTrial(stage, {
          fault: 'every connection of PostgreSQL taken by another program for 10 s, and ours terminated',
          emails,
          url: () => api.url,
          async strike(now) {
            const inFlight = await stage.openAttempts()
            const terminator = await connect(stage.databaseUrl ?? '')
            now()
            const taken: pg.Client[] = []
            const endMs = performance.now() + TAKEN_MS
            // Clients whose connection was ended reconnect at once, so the places are taken again and again.
            while (performance.now() < endMs) {
              taken.push(...(await takeAll(databaseUrl)))
              await terminator?.query(THROW_OUT)
              taken.push(...(await takeAll(databaseUrl)))
              await wait(TERMINATED_EVERY_MS)
            }
            await Promise.all([...taken, terminator].map((client) => client?.end()))
            return { inFlight, remark: `${taken.length} taken` }
          },
        }),
      ]
    } finally {
      await stage.close()
    }
  },
}

async function takeAll(databaseUrl: string): Promise<pg.Client[]> {
  const taken: pg.Client[] = []
  for (;;) {
    const client = await connect(databaseUrl)
    if (client === null) return taken
    taken.push(client)
  }
}

/** Null if there is no connection left. */
async function connect(connectionString: string): Promise<pg.Client | null> {
  const client = new pg.Client({ connectionString, application_name: 'faults' })
  client.on('error', () => {})
  return client.connect().then(
    () => client,
    () => null,
  )
}
