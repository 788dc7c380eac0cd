// Half of what the whole pipeline can do, for a long time: nothing may become slower or larger.
import { CONNECTIONS, email } from './email.ts'
import { generateLoad } from './load.ts'
import {
  countRows,
  createDatabase,
  dropDatabase,
  environmentOf,
  growthRow,
  memoryRow,
  type Place,
  query,
  type Service,
  startService,
} from './place.ts'
import { until } from './processes.ts'
import { machineMs, type Sink, startCountingSink } from './sink.ts'
import { sendSteadily } from './steady-load.ts'
import { atLeast, mean, megabytes, perSecond, type Row } from './table.ts'

const TOP_SECONDS = 15
const LOAD_CONNECTIONS = 50
const SHARE_OF_TOP = 0.5
/** The first and the last so many minutes are compared; of a shorter run a sixth each. */
const WINDOW_MINUTES = 5
const THROUGHPUT_MIN = 0.95
const SAMPLE_MS = 5_000
const LIMIT_MS = 120_000

type Sizes = { deliveries: number; total: number; queued: number }

export async function measureSoak(place: Place): Promise<Row[]> {
  const { soakMinutes: minutes } = place
  const databaseUrl = await createDatabase(place, 'bench_soak')
  const sink = await startCountingSink()
  const service = await startService({
    ...environmentOf(place, databaseUrl),
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    SMTP_RELAY_CONNECTIONS: String(CONNECTIONS),
  })
  await findTop(service, sink, databaseUrl)
  const top = await findTop(service, sink, databaseUrl)
  const rate = Math.floor(top * SHARE_OF_TOP)

  await service.rest()
  const sizes: Sizes[] = []
  const sampling = setInterval(
    () =>
      void sizesOf(databaseUrl).then(
        (one) => sizes.push(one),
        () => {},
      ),
    SAMPLE_MS,
  )
  const fromMs = machineMs()
  const before = sink.count()
  const emailsBefore = await countRows(databaseUrl, 'emails')
  const { answered, answeredIn, late } = await sendSteadily({
    url: service.url,
    perSecond: rate,
    seconds: minutes * 60,
    name: 'soak',
    isMarked: false,
  })
  const toMs = machineMs()
  clearInterval(sampling)
  await untilEmpty(databaseUrl)
  const stored = (await countRows(databaseUrl, 'emails')) - emailsBefore
  if (stored !== answered || sink.count() - before !== stored)
    throw new Error(`${answered} emails were answered, ${stored} stored and ${sink.count() - before} delivered`)
  const { peak, growth } = { peak: service.memory.peakAboveRest(), growth: service.memory.growth() }
  await service.stop()
  await sink.close()
  await dropDatabase(place, 'bench_soak')

  const windowMs = Math.min(WINDOW_MINUTES, minutes / 6) * 60_000
  const windowSeconds = Math.floor(windowMs / 1_000)
  const whole = answeredIn.slice(0, minutes * 60)
  const deliveredWithin = (start: number) => ((sink.countAt(start + windowMs) - sink.countAt(start)) / windowMs) * 1_000
  const compared = (what: string, first: number, last: number): Row => ({
    what: `soak: ${what}, first ${(windowMs / 60_000).toFixed(1)} min and last`,
    result: `${perSecond(first)}, ${perSecond(last)}`,
    ratio: last / first,
    wanted: atLeast(last / first, THROUGHPUT_MIN, `ratio at least ${THROUGHPUT_MIN}`),
  })
  const fifth = (from: number, what: (one: Sizes) => number) =>
    mean(sizes.slice(Math.floor(sizes.length * from), Math.floor(sizes.length * (from + 0.2))).map(what))
  const perEmail = (to: number, from: number) => fifth(to, ({ total }) => total) - fifth(from, ({ total }) => total)
  return [
    { what: 'soak: top rate, accepted and delivered', result: perSecond(top) },
    { what: `soak: ${minutes} min at half of it, ${answered.toLocaleString('en')} emails`, result: `${late} late ticks` },
    compared('accepted', mean(whole.slice(0, windowSeconds)), mean(whole.slice(-windowSeconds))),
    compared('delivered', deliveredWithin(fromMs), deliveredWithin(toMs - windowMs)),
    memoryRow('soak', [peak]),
    growthRow('soak: memory', growth),
    {
      what: 'soak: queued, second fifth and last',
      result: `${fifth(0.2, ({ queued }) => queued).toFixed(0)}, ${fifth(0.8, ({ queued }) => queued).toFixed(0)}`,
    },
    {
      ...growthRow(
        'soak: table of deliveries',
        fifth(0.8, ({ deliveries }) => deliveries) / fifth(0.2, ({ deliveries }) => deliveries) - 1,
      ),
      what: `soak: table of deliveries, ${megabytes(fifth(0.2, ({ deliveries }) => deliveries))} and ${megabytes(fifth(0.8, ({ deliveries }) => deliveries))}`,
    },
    {
      what: 'soak: whole database, growth in 1st and 2nd half',
      result: `${megabytes(perEmail(0.4, 0))}, ${megabytes(perEmail(0.8, 0.4))}`,
    },
  ]
}

/** Emails a second that come out at the other end, from the first that is accepted until the last is delivered. */
async function findTop(service: Service, sink: Sink, databaseUrl: string): Promise<number> {
  const before = sink.count()
  const startedMs = machineMs()
  await generateLoad({ url: `${service.url}/emails`, connections: LOAD_CONNECTIONS, body: email(0), seconds: TOP_SECONDS })
  await untilEmpty(databaseUrl)
  return ((sink.count() - before) / (machineMs() - startedMs)) * 1_000
}

const untilEmpty = (databaseUrl: string) =>
  until(
    async () => (await countRows(databaseUrl, 'deliveries')) === 0,
    () => 'The queue did not become empty',
    LIMIT_MS,
  )

async function sizesOf(databaseUrl: string): Promise<Sizes> {
  const [row] = await query<Sizes>(
    databaseUrl,
    `select pg_total_relation_size('deliveries')::float8 as deliveries, pg_database_size(current_database())::float8 as total,
       (select count(*)::int from deliveries) as queued`,
  )
  return row ?? { deliveries: 0, total: 0, queued: 0 }
}
