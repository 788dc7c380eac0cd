// Where a fault takes place: a mail server that records what arrives and when, a data folder, and a database that can be queried without the
// service.
import type pg from 'pg'
import { arrivedIds } from '../../test/support/builders/load.ts'
import { until } from '../../test/support/clocks/until.ts'
import { createPlace, type Place, queryAt, queryEmbedded, type ServiceProcess } from '../../test/support/processes/processes.ts'
import { type SinkMessage, type SmtpSinkOptions, startSmtpSink } from '../../test/support/servers/smtp-sink.ts'
import type { SharedPostgres } from './shared-postgres.ts'

/** Before each of three replies, so that some transactions are always in progress. */
export const REPLY_DELAY_MS = 10
const START_MS_MAX = 30_000

export type Arrival = { emailId: string; atMs: number }

/** A worker process, and the id of the lease that it holds. */
export type WorkerProcess = ServiceProcess & { workerId: string }

export type Stage = {
  place: Place
  sinkPort: number
  /** Null: the service has a database of its own. */
  databaseUrl: string | null
  /** The data folder as this command sees it. */
  dataDirSeen(): string
  arrivals: Arrival[]
  /** Notes arrivals at mail servers other than the stage's own. */
  noteArrival(message: Pick<SinkMessage, 'raw'>): void
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>
  count(sql: string): Promise<number>
  /** Attempts that have no outcome yet, of these workers or of all. */
  openAttempts(workers?: WorkerProcess[]): Promise<number>
  startApi(): Promise<ServiceProcess>
  startWorker(environment?: Record<string, string>): Promise<WorkerProcess>
  close(): Promise<void>
}

export type StageOptions = {
  /** Absent: the service starts its own database. */
  shared?: SharedPostgres
  environment?: Record<string, string>
  sink?: SmtpSinkOptions
  /** Where the embedded database's folder is seen from here, when it is not seen in its place. */
  dataDirSeen?: (place: Place) => string
}

export async function openStage({
  shared,
  environment = {},
  sink: sinkOptions = {},
  dataDirSeen = ({ dataDir }) => dataDir,
}: StageOptions): Promise<Stage> {
  const arrivals: Arrival[] = []
  const noteArrival = (message: Pick<SinkMessage, 'raw'>) => {
    for (const emailId of arrivedIds([message])) arrivals.push({ emailId, atMs: performance.now() })
  }
  const sink = await startSmtpSink({
    replyDelayMs: REPLY_DELAY_MS,
    ...sinkOptions,
    onMessage(message) {
      const fault = sinkOptions.onMessage?.(message)
      if (fault === undefined) noteArrival(message)
      return fault
    },
  })
  const databaseUrl = await shared?.createDatabase()
  const place = await createPlace({
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl, SECRET_KEY: '0123456789abcdef0123456789abcdef' }),
    ...environment,
  })
  const query = <Row extends pg.QueryResultRow>(sql: string) =>
    databaseUrl === undefined ? queryEmbedded<Row>(dataDirSeen(place), sql) : queryAt<Row>({ connectionString: databaseUrl }, sql)

  async function count(sql: string): Promise<number> {
    const [row] = await query<{ count: number }>(`select count(*)::int as count ${sql}`)
    return row?.count ?? 0
  }

  const stage: Stage = {
    place,
    sinkPort: sink.port,
    databaseUrl: databaseUrl ?? null,
    dataDirSeen: () => dataDirSeen(place),
    arrivals,
    noteArrival,
    query,
    count,
    openAttempts: (workers) =>
      count(
        `from attempts a join deliveries d on d.attempt_id = a.id where a.outcome is null
         ${workers ? `and d.leased_by::text = any('{${workers.map(({ workerId }) => workerId).join(',')}}')` : ''}`,
      ),
    startApi: () => place.start({ environment: { ROLES: 'api' } }),
    async startWorker(more = {}) {
      const worker = place.spawn({ environment: { ROLES: 'worker', ...more } })
      const workerId = await until(() => workerIdOf(worker), { timeout: START_MS_MAX })
      return { ...worker, workerId }
    },
    async close() {
      stages.delete(stage)
      await place.close()
      await sink.close()
    },
  }
  stages.add(stage)
  return stage
}

const stages = new Set<Stage>()

/** For a command that is interrupted: its services run in groups of their own, and would continue. */
export const closeStages = (): Promise<unknown> => Promise.all([...stages].map((stage) => stage.close()))

/** The lease that the process took last, according to its log. */
export function workerIdOf(worker: ServiceProcess): string {
  const workerId = [...worker.output().matchAll(/"workerId":"([0-9a-f-]+)","msg":"worker started"/g)].at(-1)?.[1]
  if (workerId === undefined) throw new Error(`The worker has not started:\n${worker.output()}`)
  return workerId
}
