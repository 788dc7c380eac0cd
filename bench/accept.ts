import autocannon from 'autocannon'
import { email } from './email.ts'
import { freePort, run, stop, untilReady } from './processes.ts'
import type { Row } from './table.ts'

const CONNECTIONS = 50
const BATCH_CONNECTIONS = 10
const BATCH_SIZE = 100
const WARM_UP_SECONDS = 3
const SECONDS = 8

export type AcceptOptions = {
  /** For the program that only inserts: a database beside that of the service. */
  bareDatabaseUrl: string
  environment: Record<string, string>
  token: string
}

/** POST /emails of Posthaste, beside what Fastify can do at all and what it can do with one INSERT. */
export async function measureAccepting({ bareDatabaseUrl, environment, token }: AcceptOptions): Promise<Row[]> {
  const bare = await measureServer('bench/bare-server.ts', (port) => [String(port)], {}, token)
  const inserting = await measureServer('bench/bare-server.ts', (port) => [String(port), bareDatabaseUrl], {}, token)

  const port = await freePort()
  const service = run('posthaste.js', ['start'], { ...environment, PORT: String(port), ROLES: 'api' })
  const url = `http://127.0.0.1:${port}`
  await untilReady(`${url}/health/ready`)
  const accepting = await measure({ url: `${url}/emails`, connections: CONNECTIONS, body: email(0), token })
  const batch = Array.from({ length: BATCH_SIZE }, (_, index) => email(index))
  const batches = await measure({ url: `${url}/emails/batch`, connections: BATCH_CONNECTIONS, body: batch, token })
  await stop(service)

  return [
    { what: 'accept: bare Fastify', perSecond: bare.perSecond, ...latencies(bare), against: null },
    { what: 'accept: Fastify and one INSERT', perSecond: inserting.perSecond, ...latencies(inserting), against: bare.perSecond },
    { what: 'accept: POST /emails', perSecond: accepting.perSecond, ...latencies(accepting), against: inserting.perSecond },
    {
      what: `accept: POST /emails/batch (${BATCH_SIZE}), in emails`,
      perSecond: batches.perSecond * BATCH_SIZE,
      ...latencies(batches),
      against: inserting.perSecond,
    },
  ]
}

async function measureServer(script: string, args: (port: number) => string[], environment: Record<string, string>, token: string) {
  const port = await freePort()
  const server = run(script, args(port), environment)
  await untilReady(`http://127.0.0.1:${port}/health/ready`)
  const result = await measure({ url: `http://127.0.0.1:${port}/emails`, connections: CONNECTIONS, body: email(0), token })
  await stop(server)
  return result
}

type Measured = { perSecond: number; p50: number; p99: number }

const latencies = ({ p50, p99 }: Measured) => ({ p50, p99 })

async function measure(options: { url: string; connections: number; body: object; token: string }): Promise<Measured> {
  const { url, connections, body, token } = options
  const request = {
    url,
    connections,
    method: 'POST' as const,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  await autocannon({ ...request, duration: WARM_UP_SECONDS })
  const { requests, latency, non2xx, errors } = await autocannon({ ...request, duration: SECONDS })
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} answers were not 200, ${errors} requests failed`)
  return { perSecond: requests.average, p50: latency.p50, p99: latency.p99 }
}
