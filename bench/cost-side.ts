// A checkout whose costs are measured: its service, what it is given to do, and what that took.
import { resolve } from 'node:path'
import { CONNECTIONS, email } from './email.ts'
import { generateLoad } from './load.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, type Place, query, type Service, startService, TOKEN } from './place.ts'
import { freePort, until } from './processes.ts'
import { postgresCpuMs, processCpuMs } from './processor-time.ts'
import { makeReceivingDomain, receivedLetters, receivingSettings, untilRead } from './receiving.ts'
import { machineMs, type Sink, startCountingSink } from './sink.ts'
import { type Letter, sendLetters } from './smtp-load.ts'
import { submittedLetters } from './submission.ts'

const LOAD_CONNECTIONS = 50
/** Like so many mail servers. */
const RECEIVING_CONNECTIONS = 20
const LIMIT_MS = 120_000

/** What one took. */
export type Costs = { perSecond: number; serviceUs: number; postgresUs: number; bothUs: number; walBytes: number; diskBytes: number }

/** A kind of work, all of which is done when it resolves. It says how many there were. */
export type Work = (side: Side, sizes: Sizes) => Promise<number>

export type Sizes = { seconds: number; submitted: Letter[]; received: Letter[] }

export type Side = {
  service: Service
  databaseUrl: string
  sink: Sink
  submissionPort: number
  inboundPort: number
  stop(): Promise<void>
}

export async function startSide(
  place: Place,
  name: string,
  { dns, folder = '' }: { dns: { address: string }; folder?: string },
): Promise<Side> {
  const databaseUrl = await createDatabase(place, name)
  const sink = await startCountingSink()
  const [submissionPort, inboundPort] = [await freePort(), await freePort()]
  const environment = {
    ...environmentOf(place, databaseUrl),
    ...receivingSettings(inboundPort, dns),
    SUBMISSION_PORT: String(submissionPort),
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    SMTP_RELAY_CONNECTIONS: String(CONNECTIONS),
  }
  const service = await startService(environment, resolve(folder, 'posthaste.js'))
  await makeReceivingDomain(databaseUrl)
  return {
    ...{ service, databaseUrl, sink, submissionPort, inboundPort },
    async stop() {
      await service.stop()
      await sink.close()
      await dropDatabase(place, name)
    },
  }
}

const post: Work = async (side, { seconds }) => {
  const load = { url: `${side.service.url}/emails`, connections: LOAD_CONNECTIONS, body: email(0), seconds }
  return delivered(side, () => generateLoad(load))
}

const submit: Work = (side, { submitted }) =>
  delivered(side, () => sendLetters(side.submissionPort, submitted, { connections: LOAD_CONNECTIONS, apiKey: TOKEN }))

const receive: Work = async ({ databaseUrl, inboundPort }, { received }) => {
  await sendLetters(inboundPort, received, { connections: RECEIVING_CONNECTIONS })
  await untilRead(databaseUrl)
  return received.length
}

/** The kinds of work, each under the words of its rows. */
export const WORKS: Record<string, Work> = {
  'accepted and delivered': post,
  'submitted and delivered': submit,
  'received and judged': receive,
}

export const sizesOf = async ({ isQuick }: Place): Promise<Sizes> => ({
  seconds: isQuick ? 1 : 4,
  submitted: submittedLetters(isQuick ? 300 : 5_000),
  received: await receivedLetters(isQuick ? 100 : 1_500),
})

async function delivered({ sink, databaseUrl }: Side, work: () => Promise<unknown>): Promise<number> {
  const before = sink.count()
  await work()
  await until(
    async () => (await countRows(databaseUrl, 'deliveries')) === 0,
    () => 'The queue did not become empty',
    LIMIT_MS,
  )
  return sink.count() - before
}

export async function costsOf(
  { dataDir }: Pick<Place, 'dataDir'>,
  side: Pick<Side, 'service' | 'databaseUrl'>,
  work: () => Promise<number>,
): Promise<Costs> {
  const read = async () => ({
    ms: machineMs(),
    serviceMs: processCpuMs(side.service.child.pid ?? 0),
    postgresMs: postgresCpuMs(dataDir),
    ...(await bytesOf(side.databaseUrl)),
  })
  const before = await read()
  const count = await work()
  const after = await read()
  const each = (of: 'serviceMs' | 'postgresMs' | 'wal' | 'disk') => (after[of] - before[of]) / count
  const [serviceUs, postgresUs] = [each('serviceMs') * 1_000, each('postgresMs') * 1_000]
  return {
    perSecond: (count * 1_000) / (after.ms - before.ms),
    ...{ serviceUs, postgresUs, bothUs: serviceUs + postgresUs },
    walBytes: each('wal'),
    diskBytes: each('disk'),
  }
}

async function bytesOf(databaseUrl: string): Promise<{ wal: number; disk: number }> {
  const [row] = await query<{ wal: number; disk: number }>(
    databaseUrl,
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, pg_database_size(current_database())::float8 as disk`,
  )
  return row ?? { wal: 0, disk: 0 }
}
