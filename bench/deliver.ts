import { once } from 'node:events'
import pg from 'pg'
import { CONNECTIONS, email } from './email.ts'
import { freePort, run, stop, until, untilReady } from './processes.ts'
import { startCountingSink } from './sink.ts'
import type { Row } from './table.ts'

const EMAILS = 5_000
const BATCH_SIZE = 100
const LIMIT_MS = 120_000

export type DeliverOptions = { databaseUrl: string; environment: Record<string, string>; token: string }

/** A backlog of small emails, through a worker of Posthaste and through nodemailer's own pool, to the same mail server. */
export async function measureDelivering({ databaseUrl, environment, token }: DeliverOptions): Promise<Row[]> {
  const sink = await startCountingSink()
  const pool = run('bench/nodemailer-pool.ts', [String(sink.port), String(EMAILS)], {})
  await once(pool, 'exit')
  if (sink.count() !== EMAILS) throw new Error(`nodemailer sent ${sink.count()} of ${EMAILS} emails`)
  const bare = EMAILS / sink.seconds()

  // What the measurement of accepting has left is not to be delivered.
  await query(databaseUrl, 'truncate deliveries')
  const relay = { ...environment, SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`, SMTP_RELAY_CONNECTIONS: String(CONNECTIONS) }
  await fill(relay, token)
  sink.reset()
  const worker = run('posthaste.js', ['start'], { ...relay, PORT: '0', ROLES: 'worker' })
  await until(
    async () => sink.count() >= EMAILS && (await query(databaseUrl, 'select 1 from deliveries limit 1')).length === 0,
    () => `Only ${sink.count()} of ${EMAILS} emails were delivered within ${LIMIT_MS / 1_000} s`,
    LIMIT_MS,
  )
  const own = EMAILS / sink.seconds()
  await stop(worker)
  await sink.close()
  return [
    { what: `deliver: nodemailer's pool, ${CONNECTIONS} connections`, perSecond: bare, p50: null, p99: null, against: null },
    { what: `deliver: one worker, ${CONNECTIONS} connections`, perSecond: own, p50: null, p99: null, against: bare },
  ]
}

/** The backlog is accepted by a process that does not deliver. */
async function fill(environment: Record<string, string>, token: string): Promise<void> {
  const port = await freePort()
  const api = run('posthaste.js', ['start'], { ...environment, PORT: String(port), ROLES: 'api' })
  await untilReady(`http://127.0.0.1:${port}/health/ready`)
  for (let from = 0; from < EMAILS; from += BATCH_SIZE) {
    const response = await fetch(`http://127.0.0.1:${port}/emails/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(Array.from({ length: BATCH_SIZE }, (_, index) => email(from + index))),
    })
    if (response.status !== 200) throw new Error(`A batch was not accepted: ${await response.text()}`)
  }
  await stop(api)
}

async function query(databaseUrl: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
