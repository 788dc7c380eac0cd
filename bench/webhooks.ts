// Events to the endpoints of webhooks: alone, beside endpoints that hang, and beside a backlog that no one takes.
import { createId } from '../src/lib/ids.ts'
import { measureSmall } from './deliver.ts'
import { createDatabase, dropDatabase, environmentOf, memoryRow, type Place, query, type Service, startService, TOKEN } from './place.ts'
import { freePort, pause, run, stop, until } from './processes.ts'
import { machineMs, startCountingSink } from './sink.ts'
import { atLeast, atMost, mean, percentile, perSecond, type Row } from './table.ts'
import type { WebhookSinkReport } from './webhook-sink-process.ts'

const FULL = { events: 4_000, warmUp: 500, seconds: 8, dead: 100_000 }
const QUICK = { events: 300, warmUp: 50, seconds: 2, dead: 5_000 }
const WEBHOOKS = 10
const RATE_MIN = 2_000
const HALF_RATE = RATE_MIN / 2
const P99_MS_MAX = 500
const P99_RATIO_MAX = 1.2
const DEAD_RATIO_MIN = 0.95
const MAIL_RATIO_MIN = 0.75
const FEED_RATE_MIN = 10_000
const FEED_PAGE = 1_000
const EVENTS_EVERY_MS = 10
const LIMIT_MS = 120_000
const ENVIRONMENT = { ALLOW_PRIVATE_NETWORKS: 'true' }

type Endpoints = { url: string; count(): number; atMs(): number; waitsMs: number[]; close(): Promise<void> }

export async function measureWebhooks(place: Place): Promise<Row[]> {
  const sizes = place.isQuick ? QUICK : FULL
  const endpoints = await startEndpoints()
  const databaseUrl = await createDatabase(place, 'bench_webhooks')
  const service = await startService({ ...environmentOf(place, databaseUrl), ...ENVIRONMENT })
  const ids: string[] = []
  for (let index = 0; index < WEBHOOKS; index++) ids.push(await createWebhook(service, `${endpoints.url}/ok${index}`, ['contact.created']))
  const hanging = await createWebhook(service, `${endpoints.url}/hang`, ['contact.updated'])
  const subscribe = (type: string) => changeWebhook(service, hanging, { events: [type] })

  const burst = async (events: number, healthy: number): Promise<number> => {
    const before = endpoints.count()
    await happen(databaseUrl, events, 'contact.created')
    const startMs = machineMs()
    await until(
      () => endpoints.count() - before >= events * healthy,
      () => `Only ${endpoints.count() - before} of ${events * healthy} messages arrived`,
      LIMIT_MS,
    )
    return (events * healthy * 1_000) / (endpoints.atMs() - startMs)
  }
  const steadily = async (healthy: number): Promise<number[]> => {
    endpoints.waitsMs.length = 0
    const perTick = HALF_RATE / healthy / (1_000 / EVENTS_EVERY_MS)
    const startMs = machineMs()
    for (let ticks = 1, made = 0; ticks <= (sizes.seconds * 1_000) / EVENTS_EVERY_MS; ticks++) {
      const due = Math.floor(ticks * perTick) - made
      if (due > 0) await happen(databaseUrl, due, 'contact.created')
      made += due
      await pause(Math.max(0, startMs + ticks * EVENTS_EVERY_MS - machineMs()))
    }
    await pause(1_000)
    return [...endpoints.waitsMs]
  }

  await burst(sizes.warmUp, WEBHOOKS)
  await service.rest()
  const alone = await burst(sizes.events, WEBHOOKS)
  const waitsAlone = await steadily(WEBHOOKS)
  // One in ten hangs: it takes the place of one that answers.
  await changeWebhook(service, ids[0] ?? '', { status: 'disabled' })
  await subscribe('contact.created')
  const beside = await burst(sizes.events, WEBHOOKS - 1)
  const waitsBeside = await steadily(WEBHOOKS - 1)
  await changeWebhook(service, hanging, { status: 'disabled' })
  await changeWebhook(service, ids[0] ?? '', { status: 'enabled' })
  const again = await burst(sizes.events, WEBHOOKS)
  await until(
    async () => (await changeWebhook(service, hanging, { status: 'enabled', events: ['contact.updated'] })) === 200,
    () => 'What waited for the endpoint that hangs was not given up',
    LIMIT_MS,
  )
  await happen(databaseUrl, sizes.dead, 'contact.updated')
  // What so many rows at once leave to autovacuum is not what is measured.
  for (const table of ['webhook_deliveries', 'webhook_messages', 'notifications']) await query(databaseUrl, `vacuum (analyze) ${table}`)
  const withDead = await burst(sizes.events, WEBHOOKS)
  const withDeadAgain = await burst(sizes.events, WEBHOOKS)
  await changeWebhook(service, hanging, { status: 'disabled' })
  const atLast = await burst(sizes.events, WEBHOOKS)
  const memory = service.memory.peakAboveRest()
  const feed = await readFeed(service, ids[1] ?? '', sizes.seconds)
  await service.stop()
  await dropDatabase(place, 'bench_webhooks')

  const mail = await measureMail(place, endpoints.url)
  await endpoints.close()

  const p99 = { alone: percentile(waitsAlone, 0.99), beside: percentile(waitsBeside, 0.99) }
  const rate = mean([alone, again])
  const dead = { rate: mean([withDead, withDeadAgain]), without: mean([again, atLast]) }
  return [
    { what: `webhooks: ${WEBHOOKS} endpoints`, result: perSecond(alone) },
    {
      what: 'webhooks: one in ten hangs',
      result: perSecond(beside),
      ratio: beside / rate,
      wanted: atLeast(beside, RATE_MIN, `at least ${perSecond(RATE_MIN)}`),
    },
    { what: 'webhooks: none hangs, before and after what follows', result: perSecond(dead.without) },
    {
      what: `webhooks: ${sizes.dead.toLocaleString('en')} wait for an endpoint that hangs`,
      result: perSecond(dead.rate),
      ratio: dead.rate / dead.without,
      wanted: atLeast(dead.rate / dead.without, DEAD_RATIO_MIN, `ratio at least ${DEAD_RATIO_MIN}`),
    },
    {
      what: `webhooks: from commit to arrival at ${perSecond(HALF_RATE)}`,
      result: `${waitsAlone.length.toLocaleString('en')} messages`,
      p50: percentile(waitsAlone, 0.5),
      p99: p99.alone,
      wanted: atMost(p99.alone, P99_MS_MAX, `p99 under ${P99_MS_MAX} ms`),
    },
    {
      what: 'webhooks: the same while one in ten hangs',
      result: `${waitsBeside.length.toLocaleString('en')} messages`,
      p50: percentile(waitsBeside, 0.5),
      p99: p99.beside,
      ratio: p99.beside / p99.alone,
      wanted: atMost(p99.beside / p99.alone, P99_RATIO_MAX, `ratio of p99 at most ${P99_RATIO_MAX}`),
    },
    {
      what: 'webhooks: the feed, by one reader',
      result: perSecond(feed),
      wanted: atLeast(feed, FEED_RATE_MIN, `at least ${perSecond(FEED_RATE_MIN)}`),
    },
    { what: 'webhooks: mail without webhooks', result: perSecond(mail.without) },
    {
      what: 'webhooks: mail with a webhook for every event',
      result: perSecond(mail.with),
      ratio: mail.with / mail.without,
      wanted: atLeast(mail.with / mail.without, MAIL_RATIO_MIN, `ratio at least ${MAIL_RATIO_MIN}`),
    },
    memoryRow('webhooks', [memory]),
  ]
}

const EVERY_EMAIL_EVENT = ['email.sent', 'email.delivered', 'email.delivery_delayed', 'email.bounced', 'email.failed', 'email.suppressed']

async function measureMail(place: Place, endpointUrl: string): Promise<{ without: number; with: number }> {
  const sink = await startCountingSink()
  const first = await measureSmall(place, sink)
  const subscribed = await measureSmall(
    place,
    sink,
    (_databaseUrl, service) => createWebhook(service, `${endpointUrl}/mail`, EVERY_EMAIL_EVENT),
    ENVIRONMENT,
  )
  const again = await measureSmall(place, sink)
  await sink.close()
  return { without: mean([first, again]), with: subscribed }
}

/** Events a second, page after page, from the beginning again when the end is reached. */
async function readFeed(service: Service, webhookId: string, seconds: number): Promise<number> {
  const startMs = performance.now()
  let read = 0
  let after: string | null = null
  while (performance.now() - startMs < seconds * 1_000) {
    const query: string = after === null ? '' : `&after=${after}`
    const answer = await fetch(`${service.url}/webhooks/${webhookId}/feed?limit=${FEED_PAGE}${query}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    if (answer.status !== 200) throw new Error(`The feed answered ${answer.status}: ${await answer.text()}`)
    const page = (await answer.json()) as { data: unknown[]; has_more: boolean; next: string }
    read += page.data.length
    after = page.has_more ? page.next : null
  }
  return (read * 1_000) / (performance.now() - startMs)
}

async function startEndpoints(): Promise<Endpoints> {
  const port = await freePort()
  const child = run('bench/webhook-sink-process.ts', [String(port)], { hasMessages: true })
  const waitsMs: number[] = []
  let last: WebhookSinkReport | null = null
  child.on('message', (report: WebhookSinkReport) => {
    last = report
    waitsMs.push(...report.waitsMs)
  })
  await until(
    () => last !== null,
    () => 'The endpoints did not start',
    LIMIT_MS,
  )
  return {
    url: `http://127.0.0.1:${port}`,
    count: () => last?.count ?? 0,
    atMs: () => last?.atMs ?? 0,
    waitsMs,
    close: () => stop(child),
  }
}

/** Things happen in one transaction, with the time at which they did. */
async function happen(databaseUrl: string, count: number, type: string): Promise<void> {
  const ids = Array.from({ length: count }, () => createId())
  await query(
    databaseUrl,
    `insert into notifications (id, team_id, type, subject_id, data, created_at)
     select id, (select team_id from webhooks limit 1), $2, id, jsonb_build_object('id', id, 'at_ms', $3::float8), now() from unnest($1::uuid[]) as n(id)`,
    [ids, type, machineMs()],
  )
}

async function createWebhook(service: Pick<Service, 'url'>, endpoint: string, events: string[]): Promise<string> {
  const { status, body } = await call(service, 'POST', '/webhooks', { endpoint, events, concurrency: 20 })
  if (status !== 201) throw new Error(`The webhook was not created: ${JSON.stringify(body)}`)
  return body.id ?? ''
}

const changeWebhook = async (service: Pick<Service, 'url'>, id: string, change: Record<string, unknown>): Promise<number> =>
  (await call(service, 'PATCH', `/webhooks/${id}`, change)).status

async function call({ url }: Pick<Service, 'url'>, method: string, path: string, body: unknown) {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
  return { status: answer.status, body: (await answer.json()) as { id?: string } }
}
