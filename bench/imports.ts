// A file of contacts through the whole service, compared with the least that PostgreSQL can do with it: COPY into a staging table and one statement
// from there.

import { once } from 'node:events'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { email } from './email.ts'
import {
  countRows,
  createDatabase,
  dropDatabase,
  environmentOf,
  memoryRow,
  type Place,
  query,
  settle,
  startService,
  TOKEN,
} from './place.ts'
import { pause, until } from './processes.ts'
import { atLeast, mean, percentile, perSecond, type Row } from './table.ts'

const FULL = { rows: 1_000_000, warmUp: 20_000 }
const QUICK = { rows: 20_000, warmUp: 2_000 }
const RATIO_MIN = 0.4
const LIMIT_MS = 15 * 60 * 1_000
/** How many single emails are sent meanwhile. */
const EMAILS_PER_SECOND = 50

const headers = { authorization: `Bearer ${TOKEN}` }

export async function measureImports(place: Place): Promise<Row[]> {
  const { rows: count, warmUp } = place.isQuick ? QUICK : FULL
  const folder = await mkdtemp(join(place.dataDir, 'imports-'))
  const file = join(folder, 'contacts.csv')
  await writeFile(file, count)
  const small = join(folder, 'warm-up.csv')
  await writeFile(small, warmUp)

  const databaseUrl = await createDatabase(place, 'bench_imports')
  const service = await startService(environmentOf(place, databaseUrl))
  await importFile(service.url, small)
  const bareBefore = await copyAndInsert(databaseUrl, file)
  await empty(place, databaseUrl)
  await service.rest()
  const seconds = await importFile(service.url, file)
  await expectContacts(databaseUrl, count)
  const memory = memoryRow('imports', [service.memory.peakAboveRest()])
  await empty(place, databaseUrl)
  const besides = await whileSending(service.url, () => importFile(service.url, file))
  await empty(place, databaseUrl)
  const bareAfter = await copyAndInsert(databaseUrl, file)
  await service.stop()
  await dropDatabase(place, 'bench_imports')
  await rm(folder, { recursive: true })

  const ratio = mean([bareBefore, bareAfter]) / seconds
  const name = `imports: ${count.toLocaleString('en')} rows`
  return [
    { what: `${name}, COPY and INSERT`, result: perSecond(count / bareBefore) },
    { what: `${name}, imported`, result: perSecond(count / seconds), ratio, wanted: atLeast(ratio, RATIO_MIN) },
    { what: `${name}, COPY and INSERT again`, result: perSecond(count / bareAfter) },
    {
      what: `${name}, imported beside ${EMAILS_PER_SECOND} emails a second`,
      result: perSecond(count / besides.seconds),
      p50: percentile(besides.latencies, 0.5),
      p99: percentile(besides.latencies, 0.99),
    },
    memory,
  ]
}

async function writeFile(path: string, count: number): Promise<void> {
  const stream = createWriteStream(path)
  stream.write('email,first_name,last_name,unsubscribed\r\n')
  for (let index = 0; index < count; index++) {
    // Shuffled, as addresses are.
    const number = (index * 7_919) % count
    const isRoom = stream.write(`customer.${number}@example${number % 1_000}.com,Ada ${number},Lovelace,${number % 50 === 0}\r\n`)
    if (!isRoom) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'close')
}

/** Seconds from the first byte of the upload to the end of the import. */
async function importFile(url: string, path: string): Promise<number> {
  const form = new FormData()
  form.append('file', await openAsBlob(path))
  const startMs = performance.now()
  const response = await fetch(`${url}/contacts/imports`, { method: 'POST', headers, body: form })
  const { id } = (await response.json()) as { id?: string }
  if (id === undefined) throw new Error(`The file was not taken: ${response.status}`)
  await until(
    async () => {
      const found = (await (await fetch(`${url}/contacts/imports/${id}`, { headers })).json()) as { status: string; reason: string | null }
      if (found.status === 'failed') throw new Error(`The import failed: ${found.reason}`)
      return found.status === 'completed'
    },
    () => 'The import did not end',
    LIMIT_MS,
  )
  return (performance.now() - startMs) / 1_000
}

async function copyAndInsert(databaseUrl: string, path: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const [team] = await query<{ id: string }>(databaseUrl, 'select id from teams order by id limit 1')
  const startMs = performance.now()
  await client.query('create unlogged table staging (email text, first_name text, last_name text, unsubscribed boolean)')
  const file = await open(path)
  await pipeline(file.createReadStream(), client.query(copyFrom('copy staging from stdin (format csv, header)')))
  await client.query(
    `insert into contacts (id, team_id, email, address_hash, first_name, last_name, unsubscribed, properties, created_at, updated_at)
     select uuidv7(), $1, lower(email), md5(lower(email)), first_name, last_name, unsubscribed, '{}', now(), now() from staging
     on conflict (team_id, email) do update set first_name = coalesce(excluded.first_name, contacts.first_name),
       last_name = coalesce(excluded.last_name, contacts.last_name), unsubscribed = contacts.unsubscribed or excluded.unsubscribed, updated_at = now()`,
    [team?.id],
  )
  const seconds = (performance.now() - startMs) / 1_000
  await client.query('drop table staging')
  await client.end()
  return seconds
}

async function empty(place: Place, databaseUrl: string): Promise<void> {
  await query(databaseUrl, 'truncate contacts, opt_outs, contact_imports')
  await settle(place, [])
}

async function expectContacts(databaseUrl: string, count: number): Promise<void> {
  const found = await countRows(databaseUrl, 'contacts')
  if (found !== count) throw new Error(`${found} of ${count} contacts were imported`)
}

/** Milliseconds that each email took, sent at a fixed rate. */
async function whileSending(url: string, work: () => Promise<number>): Promise<{ seconds: number; latencies: number[] }> {
  const latencies: number[] = []
  const onTheirWay = new Set<Promise<void>>()
  let isOver = false
  async function send(index: number): Promise<void> {
    const startMs = performance.now()
    const response = await fetch(`${url}/emails`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(email(index)),
    })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`An email was not accepted: ${response.status}`)
    latencies.push(performance.now() - startMs)
  }
  async function sendAll(): Promise<void> {
    for (let index = 0; !isOver; index++) {
      const sending = send(index).finally(() => onTheirWay.delete(sending))
      onTheirWay.add(sending)
      await pause(1_000 / EMAILS_PER_SECOND)
    }
    await Promise.all(onTheirWay)
  }
  const sending = sendAll()
  const seconds = await work()
  isOver = true
  await sending
  return { seconds, latencies }
}
