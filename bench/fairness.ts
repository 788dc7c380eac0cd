import { fillBacklog } from './backlog.ts'
import { CONNECTIONS, email } from './email.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, memoryRow, type Place, startService } from './place.ts'
import { pause, until } from './processes.ts'
import { machineMs, startOwnSink } from './sink.ts'
import { sendSteadily } from './steady-load.ts'
import { atLeast, atMost, mean, percentile, perSecond, type Row } from './table.ts'

const FULL = { bulk: 100_000, warmUp: 5_000, seconds: 8 }
const QUICK = { bulk: 20_000, warmUp: 1_000, seconds: 2 }
/** More than is delivered in a second. */
const BULK_PER_SECOND = 5_000
const SINGLE_PER_SECOND = 50
const P99_MS_MAX = 150
const BULK_SHARE_MIN = 0.8
/** What began before a window must not show in it. */
const BETWEEN_MS = 500
const LIMIT_MS = 60_000

/** Bulk mail alone, with single sends beside it, and alone again, from one backlog that never runs dry. */
export async function measureFairness(place: Place): Promise<Row[]> {
  const { bulk: usual, warmUp, seconds } = place.isQuick ? QUICK : FULL
  const besideSeconds = place.fairnessMinutes === undefined ? seconds : place.fairnessMinutes * 60
  const bulk = usual + (besideSeconds - seconds) * BULK_PER_SECOND
  const databaseUrl = await createDatabase(place, 'bench_fairness')
  const sink = await startOwnSink()
  const service = await startService({
    ...environmentOf(place, databaseUrl),
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    SMTP_RELAY_CONNECTIONS: String(CONNECTIONS),
  })
  const fill = (count: number) => fillBacklog({ databaseUrl, count, emailAt: email, class: 'bulk' })

  await (await fill(warmUp)).release()
  await sendSteadily({ url: service.url, perSecond: SINGLE_PER_SECOND, seconds: 2, name: 'warm', isMarked: false })
  await until(
    async () => (await countRows(databaseUrl, 'deliveries')) === 0,
    () => 'The warm-up was not delivered',
    LIMIT_MS,
  )
  const backlog = await fill(bulk)
  await service.rest()
  await backlog.release()
  await pause(BETWEEN_MS)

  const bulkRate = (fromMs: number, toMs: number, others: number) =>
    ((sink.countAt(toMs) - sink.countAt(fromMs) - others) / (toMs - fromMs)) * 1_000
  async function alone(): Promise<number> {
    const fromMs = machineMs()
    await pause(seconds * 1_000)
    return bulkRate(fromMs, machineMs(), 0)
  }
  const before = await alone()
  const { marked, startMs, endMs } = await sendSteadily({
    url: service.url,
    perSecond: SINGLE_PER_SECOND,
    seconds: besideSeconds,
    name: 'single',
    isMarked: true,
  })
  const beside = bulkRate(startMs, endMs, marked.length)
  await pause(BETWEEN_MS)
  const after = await alone()

  const left = await countRows(databaseUrl, `deliveries where class = 'bulk'`)
  if (left === 0) throw new Error('The backlog ran dry: bulk mail was not measured to the end')
  const memory = service.memory.peakAboveRest()
  await service.stop()
  await sink.close()
  await dropDatabase(place, 'bench_fairness')

  const waits = marked.map(([address, begunMs]) => (sink.marks.get(address) ?? Number.POSITIVE_INFINITY) - begunMs)
  const rate = mean([before, after])
  const p99 = percentile(waits, 0.99)
  return [
    { what: `fairness: bulk mail alone, ${bulk.toLocaleString('en')} queued`, result: perSecond(before) },
    {
      what: `fairness: beside ${SINGLE_PER_SECOND} single sends a second`,
      result: perSecond(beside),
      ratio: beside / rate,
      wanted: atLeast(beside / rate, BULK_SHARE_MIN, `ratio at least ${BULK_SHARE_MIN}`),
    },
    { what: 'fairness: alone again', result: perSecond(after) },
    {
      what: `fairness: ${marked.length} single sends, request to sink`,
      result: `slowest ${Math.max(...waits).toFixed(0)} ms`,
      p50: percentile(waits, 0.5),
      p99,
      wanted: atMost(p99, P99_MS_MAX, `p99 under ${P99_MS_MAX} ms`),
    },
    memoryRow('fairness', [memory]),
  ]
}
