// How fast the mail of a broadcast arrives, personal, signed and tracked, and how long single sends take beside it.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSmtpSink } from '../test/support/servers/smtp-sink.ts'
import { CONNECTIONS, SENDING_DOMAIN } from './email.ts'
import {
  countRows,
  createDatabase,
  dropDatabase,
  environmentOf,
  memoryRow,
  type Place,
  query,
  type Service,
  settle,
  startService,
  TOKEN,
} from './place.ts'
import { pause, run, until, untilEnded } from './processes.ts'
import { machineMs, type Sink, startCountingSink, startOwnSink } from './sink.ts'
import { sendSteadily } from './steady-load.ts'
import { atLeast, atMost, percentile, perSecond, type Row } from './table.ts'

const FULL = { warmUp: 2_000, count: 100_000, seconds: 8 }
const QUICK = { warmUp: 100, count: 2_000, seconds: 1 }
const TRACKED_SHARE_MIN = 0.5
const UNTRACKED_SHARE_MIN = 0.6
const SINGLE_PER_SECOND = 50
const P99_MS_MAX = 150
const LIMIT_MS = 600_000
/** Until all of the service knows a changed setting of a domain. */
const SETTING_MS = 11_000
const DATABASE = 'bench_broadcast_delivery'
const HTML = `<html><body><p>Hello {{{contact.first_name|there}}} {{{contact.last_name}}}!</p>${[1, 2, 3]
  .map(
    (n) => `<p><a href="https://shop.example.com/offers/${n}?from={{{EMAIL}}}">Offer ${n}</a> is for you until the end of the month.</p>`,
  )
  .join('')}<p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p></body></html>`

export async function measureBroadcastDelivery(place: Place): Promise<Row[]> {
  const size = place.isQuick ? QUICK : FULL
  const rows: Row[] = []
  for (const [name, isTracked, wanted] of [
    ['tracked', true, TRACKED_SHARE_MIN],
    ['not tracked', false, UNTRACKED_SHARE_MIN],
  ] as const) {
    const sample = join(place.dataDir, `${isTracked ? 'tracked' : 'untracked'}.eml`)
    writeFileSync(sample, await sampleOf(place, isTracked))
    const sink = await startCountingSink()
    const { rate, memory } = await measureOwn(place, { sink, isTracked, ...size })
    const pool = await measurePool(sink, { sample, ...size })
    await sink.close()
    rows.push(
      { what: `mailing: ${size.count.toLocaleString('en')} messages delivered, signed, ${name}`, result: perSecond(rate) },
      {
        what: `mailing: nodemailer's pool of ${CONNECTIONS}, the same bytes signed`,
        result: perSecond(pool),
        ratio: rate / pool,
        wanted: atLeast(rate / pool, wanted, `ratio at least ${wanted}`),
      },
      memoryRow(`mailing, ${name}`, [memory]),
    )
  }
  return [...rows, ...(await measureSingles(place, size))]
}

/** A service whose mail is signed with RSA, and two segments: of `contacts` contacts, and of `warmUp` of them. */
async function start(
  place: Place,
  { port, isTracked, contacts, warmUp = 0 }: { port: number; isTracked: boolean; contacts: number; warmUp?: number },
): Promise<{ service: Service; databaseUrl: string; send(to?: 'everybody' | 'some'): Promise<string>; stop(): Promise<void> }> {
  const databaseUrl = await createDatabase(place, DATABASE)
  const service = await startService(
    {
      ...environmentOf(place, databaseUrl),
      SMTP_RELAY_URL: `smtp://127.0.0.1:${port}`,
      SMTP_RELAY_CONNECTIONS: String(CONNECTIONS),
    },
    'bench/signed-service.ts',
    ['rsa-sha256'],
  )
  if (isTracked) {
    await query(databaseUrl, `update domains set open_tracking = true, click_tracking = true, tracking_host = 'links.${SENDING_DOMAIN}'`)
    await pause(SETTING_MS)
  }
  const { id: everybody } = await call<{ id: string }>(service, 'POST', '/segments', { name: 'Everybody' })
  const { id: some } = await call<{ id: string }>(service, 'POST', '/segments', { name: 'Some' })
  await query(
    databaseUrl,
    `with made as (
       insert into contacts (id, team_id, email, address_hash, first_name, last_name, created_at, updated_at)
       select uuidv7_at(now() - interval '1 hour', n), (select distinct team_id from segments), 'm' || n || '@example.org', md5('m' || n), 'First' || n, 'Last', now(), now()
       from generate_series(1, ${contacts}) as n returning id
     ) insert into contact_segments
       select '${everybody}'::uuid, id, now() from made union all (select '${some}', id, now() from made limit ${warmUp})`,
  )
  await query(databaseUrl, 'vacuum analyze')
  return {
    service,
    databaseUrl,
    async send(to = 'everybody') {
      const body = {
        segment_id: to === 'everybody' ? everybody : some,
        from: `Acme <news@${SENDING_DOMAIN}>`,
        subject: 'News for {{{contact.first_name|you}}}',
        html: HTML,
      }
      return (await call<{ id: string }>(service, 'POST', '/broadcasts', { ...body, send: true })).id
    },
    async stop() {
      await service.stop()
      await dropDatabase(place, DATABASE)
    },
  }
}

/** One message, without its signature. */
async function sampleOf(place: Place, isTracked: boolean): Promise<string> {
  const sink = await startSmtpSink()
  const started = await start(place, { port: sink.port, isTracked, contacts: 1 })
  await started.send()
  await until(
    () => sink.messages.length > 0,
    () => 'The sample was not delivered',
    LIMIT_MS,
  )
  await started.stop()
  await sink.close()
  const raw = sink.messages[0]?.raw ?? ''
  if (raw.replaceAll('=\r\n', '').includes(`links.${SENDING_DOMAIN}`) !== isTracked)
    throw new Error(`The sample is ${isTracked ? 'not ' : ''}tracked`)
  return raw.replace(/^DKIM-Signature:.*\r\n(?:[\t ].*\r\n)*/m, '')
}

type Delivery = { sink: Sink; isTracked: boolean; warmUp: number; count: number }

/** Each time a broadcast to everyone. The emails are made while the first ones are delivered. */
async function measureOwn(place: Place, { sink, isTracked, count }: Delivery): Promise<{ rate: number; memory: number }> {
  const { service, databaseUrl, send, stop } = await start(place, { port: sink.port, isTracked, contacts: count })
  await service.rest()
  const from = sink.count()
  await send()
  await until(
    async () => sink.count() - from >= count && (await countRows(databaseUrl, 'deliveries')) === 0,
    () => `Only ${sink.count() - from} of ${count} emails were delivered within ${LIMIT_MS / 1_000} s`,
    LIMIT_MS,
  )
  const rate = sink.rateSince(from)
  const memory = service.memory.peakAboveRest()
  await stop()
  return { rate, memory }
}

async function measurePool(sink: Sink, { sample, warmUp, count }: { sample: string; warmUp: number; count: number }): Promise<number> {
  const before = sink.count()
  const arrived = (many: number) =>
    until(
      () => sink.count() - before >= many,
      () => `nodemailer sent ${sink.count() - before} of ${many} emails`,
      LIMIT_MS,
    )
  const pool = run('bench/nodemailer-signed.ts', [String(sink.port), String(warmUp), String(count), sample], { hasMessages: true })
  const ended = untilEnded(pool)
  await Promise.race([once(pool, 'message'), ended])
  await arrived(warmUp)
  pool.send('go on')
  await ended
  await arrived(warmUp + count)
  return sink.rateSince(before + warmUp)
}

/**
 * From the moment when a broadcast is sent, while its emails are made and delivered. A smaller one goes before it, because a service compiles what it
 * runs in its first seconds.
 */
async function measureSingles(place: Place, { warmUp, count, seconds }: typeof FULL): Promise<Row[]> {
  const sink = await startOwnSink()
  const { service, databaseUrl, send, stop } = await start(place, { port: sink.port, isTracked: true, contacts: count, warmUp })
  const untilNone = (rows: string, complaint: string) =>
    until(
      async () => (await countRows(databaseUrl, rows)) === 0,
      () => complaint,
      LIMIT_MS,
    )
  await sendSteadily({ url: service.url, perSecond: SINGLE_PER_SECOND, seconds: 1, name: 'warm', isMarked: false })
  await send('some')
  await untilNone('broadcasts where not is_fanned_out', 'The emails of the warm-up were not made')
  await untilNone('deliveries', 'The warm-up was not delivered')
  await settle(place, [databaseUrl])

  const steady = sendSteadily({ url: service.url, perSecond: SINGLE_PER_SECOND, seconds, name: 'single', isMarked: true })
  // The process that sends them takes a moment to start.
  await until(
    () => sink.marks.size > 0,
    () => 'No single send arrived',
    LIMIT_MS,
  )
  const begunMs = machineMs()
  const id = await send()
  const { marked, endMs } = await steady
  const lastedMs = machineMs() - begunMs
  const made = await countRows(databaseUrl, `emails where broadcast_id = '${id}'`)
  const isOver = (await countRows(databaseUrl, `deliveries where class = 'bulk'`)) === 0
  await until(
    () => marked.every(([address]) => sink.marks.has(address)),
    () => 'A single send did not arrive',
    LIMIT_MS,
  )
  const singles = marked.filter(([, atMs]) => atMs >= begunMs)
  const delivered = (sink.countAt(endMs) - sink.countAt(begunMs) - singles.length) / (endMs - begunMs)
  await stop()
  await sink.close()
  const waits = singles.map(([address, atMs]) => (sink.marks.get(address) ?? Number.POSITIVE_INFINITY) - atMs)
  const p99 = percentile(waits, 0.99)
  return [
    {
      what: `mailing: ${waits.length} single sends beside a broadcast${isOver ? ' (it ended before them)' : ''}, request to sink`,
      result: `slowest ${Math.max(...waits).toFixed(0)} ms`,
      p50: percentile(waits, 0.5),
      p99,
      wanted: atMost(p99, P99_MS_MAX, `p99 under ${P99_MS_MAX} ms`),
    },
    { what: 'mailing: emails of the broadcast made beside them', result: perSecond((made / lastedMs) * 1_000) },
    { what: 'mailing: emails of the broadcast delivered beside them', result: perSecond(delivered * 1_000) },
  ]
}

async function call<Body>(service: Service, method: string, path: string, body: object): Promise<Body> {
  const answer = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Body
}
