// One fault while events happen and workers send them to a webhook, and what became of every event.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'svix'
import { webhookEventId } from '../../src/modules/webhooks/events/webhook-events.schema.ts'
import { until } from '../../test/support/clocks/until.ts'
import type { ServiceProcess } from '../../test/support/processes/processes.ts'
import type { Stage, WorkerProcess } from './stage.ts'
import { account, type Row, type Struck } from './trial.ts'

export const WEBHOOK_ENVIRONMENT = { ALLOW_PRIVATE_NETWORKS: 'true' }

const EVENTS_AT_ONCE = 20
/** About 200 a second in all. */
const EVENTS_EVERY_MS = 100
const CONCURRENCY = 20
/** Some requests are always running. */
const ANSWER_MS = 80
const ARRIVED_BEFORE = 200
const SENT_AFTERWARDS_MS = 1_000
/** What happened while an endpoint was down for a minute takes as long again. */
const END_MS_MAX = 180_000

export type Endpoint = {
  url: string
  /** What comes must be signed with it, with a time that the verifier accepts. */
  expectSecret(secret: string): void
  /** Refuses connections, and ends those that there are. */
  goDown(): Promise<void>
  comeBack(): Promise<void>
}

export type WebhookScene = {
  endpoint: Endpoint
  /** From now on things happen so much later than PostgreSQL says, or earlier. */
  shiftEvents(seconds: number): void
  /** Call it at the moment when the fault is made. */
  now(): void
}

export type WebhookTrial = {
  fault: string
  service: Pick<ServiceProcess, 'url'>
  /** Makes the fault, and ends it unless the service does that itself. */
  strike(scene: WebhookScene): Promise<Struck>
}

export async function runWebhookTrial(stage: Stage, { fault, service, strike }: WebhookTrial): Promise<Row> {
  const endpoint = await startEndpoint(stage)
  try {
    endpoint.expectSecret(await createWebhook(stage, { service, endpoint: endpoint.url }))
    const events = startEvents(stage)
    await until(() => expectArrivals(stage, ARRIVED_BEFORE), { timeout: END_MS_MAX })
    let struckAtMs = performance.now()
    const now = () => {
      struckAtMs = performance.now()
    }
    const struck = await strike({ endpoint, shiftEvents: events.shift, now })
    await wait(SENT_AFTERWARDS_MS)
    await events.stop()
    const sentUntilMs = performance.now()
    const problems = [...(struck.problems ?? [])]
    await untilAllSent(stage).catch((error: Error) => problems.push(error.message))
    const refused = await stage.count(`from webhook_attempts where outcome = 'failure'`)
    const remarks = [struck.remark, events.lost() > 0 ? `${events.lost()} events were not stored, and their causes told so` : '']
    return {
      fault,
      remark: remarks.filter((part) => part).join('; '),
      ...account(stage, {
        ...{ accepted: events.stored, inFlight: struck.inFlight, refused, struckAtMs, sentUntilMs, transactionMs: 2 * ANSWER_MS },
        problems: [...problems, ...(await untruths(stage))],
      }),
    }
  } finally {
    await endpoint.close()
  }
}

/** Attempts that have no outcome yet, of this worker or of all. */
export const openRequests = (stage: Stage, worker?: WorkerProcess): Promise<number> =>
  stage.count(
    `from webhook_attempts a join webhook_deliveries d on d.attempt_id = a.id where a.outcome is null
     ${worker ? `and d.leased_by::text = '${worker.workerId}'` : ''}`,
  )

/** Retries wait for minutes and hours. Those of requests that still run are waited for. */
export async function retryAtOnce(stage: Stage, whose: string): Promise<void> {
  await until(async () => {
    const open = await stage.count(`from webhook_attempts where outcome is null and ${whose}`)
    if (open > 0) throw new Error(`${open} requests are still running`)
  })
  await stage.query('update webhook_deliveries set due_at = now() where leased_by is null and due_at > now()')
}

async function createWebhook(
  stage: Stage,
  { service, endpoint }: { service: Pick<ServiceProcess, 'url'>; endpoint: string },
): Promise<string> {
  const answer = await fetch(`${service.url}/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.place.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint, events: ['contact.created'], concurrency: CONCURRENCY }),
  })
  if (answer.status !== 201) throw new Error(`The webhook was not created: ${await answer.text()}`)
  return ((await answer.json()) as { signing_secret: string }).signing_secret
}

/** An arrival is what it has verified and answered with 200. */
async function startEndpoint({ arrivals }: Stage): Promise<Endpoint & { close(): Promise<void> }> {
  let verifier: Webhook | null = null
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null)
    await wait(ANSWER_MS)
    if (body === null || response.destroyed) return
    const id = String(request.headers['svix-id'])
    try {
      verifier?.verify(body, Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])))
    } catch {
      return void response.writeHead(400).end()
    }
    arrivals.push({ emailId: id, atMs: performance.now() })
    response.end('ok')
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const goDown = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    expectSecret(secret) {
      verifier = new Webhook(secret)
    },
    goDown,
    comeBack: () => listen(port),
    close: goDown,
  }
}

function startEvents(stage: Stage) {
  const stored: string[] = []
  let [seconds, lost, isStopping] = [0, 0, false]
  const making = make()

  async function make(): Promise<void> {
    while (!isStopping) {
      const rows = await stage
        .query<{ id: string }>(
          `insert into notifications (id, team_id, type, subject_id, data, created_at)
           select uuidv7(), team_id, 'contact.created', uuidv7(), '{}', now() + ${seconds} * interval '1 second'
           from webhooks, generate_series(1, ${EVENTS_AT_ONCE}) returning id`,
        )
        .catch(() => null)
      if (rows) stored.push(...rows.map(({ id }) => webhookEventId(id)))
      else lost += EVENTS_AT_ONCE
      await wait(EVENTS_EVERY_MS)
    }
  }

  return {
    stored,
    lost: () => lost,
    shift(by: number) {
      seconds = by
    },
    async stop() {
      isStopping = true
      await making
    },
  }
}

const untilAllSent = (stage: Stage): Promise<void> =>
  until(
    async () => {
      const waiting = await stage.count('from webhook_deliveries')
      if (waiting > 0) throw new Error(`${waiting} messages are not sent`)
      const open = await stage.count('from webhook_attempts where outcome is null')
      if (open > 0) throw new Error(`${open} attempts have no outcome`)
    },
    { timeout: END_MS_MAX, interval: 100 },
  )

/** What the attempts say, against what the endpoint has seen: an arrival whose answer was cut off is a failure, or unknown. */
async function untruths(stage: Stage): Promise<string[]> {
  const success = await stage.count(`from webhook_attempts where outcome = 'success'`)
  const others = await stage.count(`from webhook_attempts where outcome <> 'success'`)
  const givenUp = await stage.count('from webhook_failures')
  const arrived = stage.arrivals.length
  return [
    ...(givenUp > 0 ? [`${givenUp} messages were given up`] : []),
    ...(success <= arrived && arrived <= success + others
      ? []
      : [`${success} attempts say that they succeeded and ${others} not, ${arrived} did`]),
  ]
}

function expectArrivals({ arrivals }: Stage, count: number): void {
  if (arrivals.length < count) throw new Error(`Only ${arrivals.length} of ${count} events arrived`)
}
