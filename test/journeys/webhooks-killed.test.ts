// Webhooks while the service is killed: what an endpoint has accepted is known to it, and what the service has written down is what happened.
import { afterEach, expect, it } from 'vitest'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import { type Place, postgresPidOf, queryEmbedded, type ServiceProcess, untilGone } from '../support/processes/processes.ts'
import { startWebhookSink, type WebhookSink } from '../support/servers/webhook-sink.ts'

/** One webhook for each kill, so that a kill finds only the requests of one on their way. */
const TYPES = ['contact.created', 'contact.updated', 'contact.deleted', 'topic.created', 'topic.updated']
const MESSAGES_EACH = 500
const MESSAGES = TYPES.length * MESSAGES_EACH
const SENT_BEFORE_KILL = 150
const CONCURRENCY = 20
/** Slow enough that each kill finds requests on their way. */
const ANSWER_MS = 20

let place: Place
let sink: WebhookSink
afterEach(async () => {
  await place.close()
  await sink.close()
})

it('six kills while 2,500 messages go out: none is lost, at most those on their way come twice, and attempts tell the truth', {
  timeout: 600_000,
}, async () => {
  sink = await startWebhookSink()
  place = await createPreparedPlace({ ALLOW_PRIVATE_NETWORKS: 'true', LOG_LEVEL: 'warn' })
  let service = await place.start()
  for (const type of TYPES) await createWebhook(service, type)

  for (const type of TYPES) {
    await query(
      `insert into notifications (id, team_id, type, subject_id, data, created_at)
       select uuidv7(), team_id, '${type}', uuidv7(), '{}', now() from webhooks, generate_series(1, ${MESSAGES_EACH}) where '${type}' = any(events)`,
    )
    const sent = () => sink.hooks.filter((hook) => hook.type === type).length
    await until(() => expect(sent()).toBeGreaterThanOrEqual(SENT_BEFORE_KILL), { interval: 10 })
    await kill(service)
    expect(sent()).toBeLessThan(MESSAGES_EACH)
    service = await place.start()
    if (type === TYPES[0]) {
      // Another kill while that worker still holds its places.
      await kill(service)
      service = await place.start()
    }
    // The places of requests that a dead worker held are free only once it is known to be dead.
    await until(async () => expect(await query('select from webhook_deliveries limit 1')).toEqual([]), { timeout: 120_000, interval: 250 })
  }

  const ids = new Set(sink.hooks.map(({ id }) => id))
  expect(ids.size).toBe(MESSAGES)
  expect(sink.hooks.length - MESSAGES).toBeLessThanOrEqual(TYPES.length * CONCURRENCY)
  expect(sink.faults).toEqual([])
  expect(await query('select from webhook_failures')).toEqual([])
  const outcomes = await query<{ outcome: string | null; attempts: number }>(
    'select outcome, count(*)::int as attempts from webhook_attempts group by outcome order by outcome',
  )
  const unknown = outcomes.find(({ outcome }) => outcome === 'unknown')?.attempts ?? 0
  expect(outcomes.filter(({ outcome }) => outcome !== 'unknown')).toEqual([{ outcome: 'success', attempts: MESSAGES }])
  // An attempt whose process died may have reached the endpoint, or not.
  expect(unknown).toBeLessThanOrEqual(TYPES.length * CONCURRENCY)
  expect(sink.hooks.length - MESSAGES).toBeLessThanOrEqual(unknown)
})

async function createWebhook({ url }: ServiceProcess, type: string): Promise<void> {
  const path = `/${type}`
  const answer = await fetch(`${url}/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: sink.url + path, events: [type], concurrency: CONCURRENCY }),
  })
  expect(answer.status).toBe(201)
  const { signing_secret: secret } = (await answer.json()) as { signing_secret: string }
  sink.expectSecret(path, secret)
  sink.answer(path, (_request, response) => void setTimeout(() => response.end('ok'), ANSWER_MS))
}

const query = <Row extends Record<string, unknown>>(sql: string): Promise<Row[]> => queryEmbedded<Row>(place.dataDir, sql)

async function kill(service: ServiceProcess): Promise<void> {
  const postgres = postgresPidOf(place.dataDir)
  await service.signal('SIGKILL')
  if (postgres !== null) await untilGone(postgres)
}
