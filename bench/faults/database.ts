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

const OURS = `from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and application_name <> 'faults' and pid <> pg_backend_pid()`
const THROW_OUT = `select pg_terminate_backend(pid) ${OURS}`
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
          fault: 'every connection of PostgreSQL taken by another program for 10 s, and ours terminated before',
          emails,
          url: () => api.url,
          async strike(now, accepted) {
            const inFlight = await stage.openAttempts()
            const ours = await connect(stage.databaseUrl ?? '')
            if (ours === null) throw new Error('There is no connection left before the fault')
            // Processes keep their connections, and a new one of theirs would come before those of the other program.
            await ours.query(`alter database ${ours.database} connection limit 0`)
            now()
            await until(() => expectNone(ours), { timeout: RESTART_MS_MAX, interval: 10 })
            const taken: pg.Client[] = []
            const places = await countPlaces(ours)
            await until(() => takeRest(databaseUrl, taken, places), { timeout: RESTART_MS_MAX, interval: 20 })
            await ours.query(`alter database ${ours.database} connection limit -1`)
            const acceptedBefore = accepted()
            await wait(TAKEN_MS)
            const acceptedMeanwhile = accepted() - acceptedBefore
            const left = await countOurs(ours)
            await Promise.all([...taken, ours].map((client) => client.end()))
            const problems = [
              ...(left === 0 ? [] : [`${left} connections were ours`]),
              ...(acceptedMeanwhile === 0 ? [] : [`${acceptedMeanwhile} emails were accepted without a connection`]),
            ]
            return { inFlight, problems, remark: `${taken.length} taken, and none left to the service` }
          },
        }),
      ]
    } finally {
      await stage.close()
    }
  },
}

/** Ends the connections of the service. Throws while there is one. */
async function expectNone(client: pg.Client): Promise<void> {
  await client.query(THROW_OUT)
  const left = await countOurs(client)
  if (left > 0) throw new Error(`${left} connections are left`)
}

async function countOurs(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`select count(*)::int as count ${OURS}`)
  return rows[0]?.count ?? 0
}

/** How many connections of other programs the server takes beside this one. */
async function countPlaces(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
       - coalesce(current_setting('reserved_connections', true), '0')::int - 1 as count`,
  )
  return rows[0]?.count ?? 0
}

/** Throws while places are left: each attempt of the service to connect holds one until it is refused. */
async function takeRest(databaseUrl: string, taken: pg.Client[], places: number): Promise<void> {
  taken.push(...(await takeAll(databaseUrl)))
  if (taken.length < places) throw new Error(`Only ${taken.length} of ${places} connections were taken`)
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
