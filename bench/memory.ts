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
  type Service,
  startService,
  TOKEN,
} from './place.ts'
import { startCountingSink } from './sink.ts'
import { atMost, megabytes, perSecond, type Row } from './table.ts'

const FULL = { warmUp: 15, seconds: 60 }
const QUICK = { warmUp: 2, seconds: 5 }
const LOAD_CONNECTIONS = 10

/** As large as a body may be, in files that an email may have and an unknown field. */
const BODY_BYTES = 60_000_000
const FILE_BYTES = 27 * 1024 * 1024
const TWO_BODIES_BYTES_MAX = 600 * 1024 * 1024

/** Memory of one process that accepts and delivers as fast as it can, and of one that gets two bodies of 60 MB at once. */
export async function measureMemory(place: Place): Promise<Row[]> {
  const databaseUrl = await createDatabase(place, 'bench_memory')
  const sink = await startCountingSink()
  const service = await startService({
    ...environmentOf(place, databaseUrl),
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    SMTP_RELAY_CONNECTIONS: String(CONNECTIONS),
  })
  const rows = await measureLoad(service, place.isQuick ? QUICK : FULL)
  if (sink.count() === 0) throw new Error('Nothing was delivered')
  const above = await measureTwoBodies(service)
  const stored = await countRows(databaseUrl, 'attachments')
  if (stored !== 2) throw new Error(`Two files were sent, ${stored} are stored`)
  await service.stop()
  await sink.close()
  await dropDatabase(place, 'bench_memory')
  return [
    ...rows,
    {
      what: 'memory: two bodies of 60 MB at once, above rest',
      result: megabytes(above),
      wanted: atMost(above, TWO_BODIES_BYTES_MAX, `at most ${megabytes(TWO_BODIES_BYTES_MAX)}`),
    },
  ]
}

async function measureLoad(service: Service, { warmUp, seconds }: typeof FULL): Promise<Row[]> {
  const load = (length: number) =>
    generateLoad({ url: `${service.url}/emails`, connections: LOAD_CONNECTIONS, body: email(0), seconds: length })
  await load(warmUp)
  await service.rest()
  const { perSecond: rate, p50, p99 } = await load(seconds)
  return [
    { what: `memory: accepting and delivering for ${seconds} s`, result: perSecond(rate), p50, p99 },
    memoryRow('memory', [service.memory.peakAboveRest()]),
    growthRow('memory', service.memory.growth()),
  ]
}

async function measureTwoBodies({ url, memory, ...service }: Service): Promise<number> {
  await service.rest()
  const file = Buffer.alloc(FILE_BYTES, 'Posthaste').toString('base64')
  const fields = { ...email(0), attachments: [{ filename: 'file.bin', content: file }], padding: '' }
  const body = JSON.stringify({ ...fields, padding: 'x'.repeat(BODY_BYTES - JSON.stringify(fields).length) })
  const answers = await Promise.all(
    [1, 2].map(() =>
      fetch(`${url}/emails`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body,
      }),
    ),
  )
  for (const answer of answers)
    if (answer.status !== 200) throw new Error(`A large email was answered ${answer.status}: ${await answer.text()}`)
  return memory.peakAboveRest()
}
