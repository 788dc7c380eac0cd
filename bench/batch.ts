import { email } from './email.ts'
import { generateLoad } from './load.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, memoryRow, type Place, startService } from './place.ts'
import { atLeast, mean, perSecond, type Row } from './table.ts'

const CONNECTIONS = 10
const SIZE = 100
const SECONDS = { warmUp: 4, measured: 8 }
const QUICK_SECONDS = { warmUp: 1, measured: 2 }
const EMAILS_PER_SECOND_MIN = 15_000

/** POST /emails/batch with 100 emails each, twice. */
export async function measureBatches(place: Place): Promise<Row[]> {
  const databaseUrl = await createDatabase(place, 'bench_batch')
  const service = await startService({ ...environmentOf(place, databaseUrl), ROLES: 'api' })
  const { warmUp, measured } = place.isQuick ? QUICK_SECONDS : SECONDS
  const body = Array.from({ length: SIZE }, (_, index) => email(index))
  const load = (seconds: number) => generateLoad({ url: `${service.url}/emails/batch`, connections: CONNECTIONS, body, seconds })

  const before = await load(warmUp)
  await service.rest()
  const first = await load(measured)
  const again = await load(measured)
  await service.stop()

  const answered = (before.answered + first.answered + again.answered) * SIZE
  const stored = await countRows(databaseUrl, 'emails')
  if (stored < answered || stored > answered + 3 * CONNECTIONS * SIZE)
    throw new Error(`${answered} emails were answered, ${stored} are stored`)
  await dropDatabase(place, 'bench_batch')

  const rate = mean([first.perSecond, again.perSecond]) * SIZE
  return [
    { what: `batch: POST /emails/batch of ${SIZE}, in emails`, result: perSecond(first.perSecond * SIZE), p50: first.p50, p99: first.p99 },
    { what: 'batch: again', result: perSecond(again.perSecond * SIZE), p50: again.p50, p99: again.p99 },
    { what: 'batch: mean, in emails', result: perSecond(rate), wanted: atLeast(rate, EMAILS_PER_SECOND_MIN) },
    memoryRow('batch', [service.memory.peakAboveRest()]),
  ]
}
