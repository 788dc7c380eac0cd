import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { arrivedIds, startLoad } from '../support/builders/load.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import {
  type Ending,
  isAlive,
  type Place,
  postgresPidOf,
  queryAt,
  queryEmbedded,
  type ServiceProcess,
} from '../support/processes/processes.ts'
import { createTestDatabase } from '../support/servers/postgres.ts'
import { startSmtpSink } from '../support/servers/smtp-sink.ts'
import { openTestDatabase } from '../support/servers/test-databases.ts'

let place: Place

afterEach(() => place.close())

const NO_BOOTSTRAP = { BOOTSTRAP_API_KEY: '' }
const STOP_MS_MAX = 10_000

const status = async ({ url }: ServiceProcess, token: string) =>
  (await fetch(`${url}/emails`, { headers: { authorization: `Bearer ${token}` } })).status

async function logged({ url }: ServiceProcess): Promise<string[]> {
  const response = await fetch(`${url}/logs`, { headers: { authorization: `Bearer ${place.token}` } })
  const { data } = (await response.json()) as { data: { method: string; endpoint: string; response_status: number }[] }
  return data.map(({ method, endpoint, response_status }) => `${method} ${endpoint} ${response_status}`)
}

/** Sends the head of a request and half of its body, and returns a function that sends the rest and reads the reply. */
async function beginRequest({ url }: ServiceProcess): Promise<() => Promise<string>> {
  const body = JSON.stringify({ from: 'a@example.com', to: 'delivered@simulator.test', subject: 'x', text: 'x' })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  const head = `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${place.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(head + body.slice(0, 20))
  return () => {
    socket.write(body.slice(20))
    return text(socket)
  }
}

/** Stops a service with a request in progress, and returns what is left. */
async function stopGracefully(service: ServiceProcess, stop: () => Promise<Ending>): Promise<Ending> {
  const postgres = postgresPidOf(place.dataDir)
  const finishRequest = await beginRequest(service)
  // The service has read the head, so it must answer this request.
  await fetch(`${service.url}/health/live`)
  const startedAt = performance.now()
  const stopped = stop()
  await until(() => expect(service.output()).toContain('service stopping'))
  expect(await finishRequest()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  const ending = await stopped
  expect(performance.now() - startedAt).toBeLessThan(STOP_MS_MAX)
  expect(service.output()).toContain('service stopped')
  expect(postgresPidOf(place.dataDir)).toBeNull()
  expect(postgres !== null && isAlive(postgres)).toBe(false)
  return ending
}

describe('a service that is stopped', () => {
  it('by Ctrl-C through npm start, by SIGTERM, or by SIGINT twice at once, answers, writes its logs, gives back its lease, and ends with 0', async () => {
    place = await createPreparedPlace()
    const first = await place.start({ command: ['npm', 'start'] })
    const { status: npmStatus, signal } = await stopGracefully(first, () => first.signalGroup('SIGINT'))
    // If npm's shell is not replaced by its command, the shell dies of the signal itself.
    expect(npmStatus ?? signal).toSatisfy((how) => how === 0 || how === 'SIGINT')

    const second = await place.start()
    expect(await logged(second)).toEqual(['POST /emails 200'])
    expect(await queryEmbedded(place.dataDir, 'select count(*)::int as count from worker_leases')).toEqual([{ count: 1 }])
    expect(await stopGracefully(second, () => second.signal('SIGTERM'))).toEqual({ status: 0, signal: null })

    const third = await place.start()
    expect(await logged(third)).toEqual(['POST /emails 200', 'POST /emails 200'])
    const left = await queryEmbedded(
      place.dataDir,
      'select (select count(*)::int from worker_leases) as leases, (select count(*)::int from deliveries where leased_by is not null and leased_by not in (select id from worker_leases)) as held',
    )
    expect(left).toEqual([{ leases: 1, held: 0 }])

    // What npm does if its shell is replaced by the service: the terminal's signal, and the same one again.
    const ending = await stopGracefully(third, () => {
      void third.signal('SIGINT')
      return third.signal('SIGINT')
    })
    expect(ending).toEqual({ status: 0, signal: null })
  })
})

describe('a process whose tables a newer version has changed', () => {
  it('ends with status 1 and a line that names the migration, with its lease and its row given back', async () => {
    const database = await createTestDatabase()
    place = await createPreparedPlace({ DATABASE_URL: database.url, SECRET_KEY: '0123456789abcdef0123456789abcdef' })
    try {
      const service = await place.start()
      const running =
        'select (select count(*)::int from worker_leases) as leases, (select count(*)::int from service_processes) as processes'
      const at = { connectionString: database.url }
      expect(await queryAt(at, running)).toEqual([{ leases: 1, processes: 1 }])
      await queryAt(
        at,
        `insert into _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count) values ('newer', 'sum', now(), '9999_newer', 1)`,
      )

      expect(await service.ended).toEqual({ status: 1, signal: null })

      expect(service.output()).toMatch(/"migration":"9999_newer","msg":"the tables are of a newer version/)
      expect(await queryAt(at, running)).toEqual([{ leases: 0, processes: 0 }])
    } finally {
      await place.close()
      await database.drop()
    }
  })
})

describe('a client that never finishes its request', () => {
  it('is cut off, so that the service still stops in good order', async () => {
    place = await createPreparedPlace()
    const service = await place.start()
    await beginRequest(service)
    // The process that answers this has read the head of the other.
    await fetch(`${service.url}/health/live`)

    expect(await service.signal('SIGTERM')).toEqual({ status: 0, signal: null })

    expect(service.output()).toContain('service stopped')
    expect(postgresPidOf(place.dataDir)).toBeNull()
  })
})

describe('the first start', () => {
  it('leaves a working key in a file for its owner only, and the second start makes none', async () => {
    place = await createPreparedPlace(NO_BOOTSTRAP)
    const first = await place.start()
    await until(() => expect(first.output()).toContain('Posthaste is running.'))
    const path = join(place.dataDir, 'first-api-key')
    const token = readFileSync(path, 'utf8').trim()
    expect(first.output()).toContain(path)
    expect(first.output()).not.toContain(token)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await status(first, token)).toBe(200)
    await first.signal('SIGTERM')

    const second = await place.start()
    await until(() => expect(second.output()).toContain('Posthaste is running.'))
    expect(second.output()).not.toContain('API key')
    expect(readFileSync(path, 'utf8').trim()).toBe(token)
    expect(
      await queryEmbedded(place.dataDir, 'select (select count(*)::int from teams) as teams, (select count(*)::int from api_keys) as keys'),
    ).toEqual([{ teams: 1, keys: 1 }])
    expect(await status(second, token)).toBe(200)
  })

  it('makes the bootstrap key and no other, and a second service on the same folder ends with one line', async () => {
    place = await createPreparedPlace()
    const first = await place.start()
    expect(await status(first, place.token)).toBe(200)
    expect(await queryEmbedded(place.dataDir, 'select name from api_keys')).toEqual([{ name: 'Bootstrap' }])

    const second = place.spawn()

    expect(await second.ended).toEqual({ status: 1, signal: null })
    expect(second.output().trim().split('\n')).toHaveLength(1)
    expect(second.output()).toContain(place.dataDir)
    expect(await status(first, place.token)).toBe(200)
  })
})

/** More than one worker has in hand at once. */
const EMAILS = 300

describe('two processes with the API and two with workers on one database', () => {
  it('start together with one team, share the work, and survive the death of one of each', async () => {
    const database = await createTestDatabase()
    const shared = Promise.withResolvers<void>()
    const sink = await startSmtpSink({ beforeReply: () => shared.promise })
    place = await createPreparedPlace({
      DATABASE_URL: database.url,
      SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      SMTP_RELAY_CONNECTIONS: '4',
      SECRET_KEY: '0123456789abcdef0123456789abcdef',
    })
    try {
      const [api, otherApi, worker, otherWorker] = await Promise.all(
        ['api', 'api', 'worker', 'worker'].map((role) =>
          role === 'api' ? place.start({ environment: { ROLES: role } }) : startWorkerProcess(),
        ),
      )
      if (!api || !otherApi || !worker || !otherWorker) throw new Error('Four processes were started')
      expect(await countTeams(database.url)).toBe(1)
      let turn = 0
      const load = startLoad({ url: () => ((turn++ & 1) === 0 ? api.url : otherApi.url), token: place.token, count: EMAILS })
      await load.done
      expect(load.statuses).toEqual({ 200: EMAILS })
      await until(async () =>
        expect(
          await queryAt({ connectionString: database.url }, 'select leased_by from deliveries where leased_by is not null group by 1'),
        ).toHaveLength(2),
      )
      shared.resolve()
      await until(() => expect(new Set(arrivedIds(sink.messages)).size).toBe(EMAILS), { timeout: 120_000 })

      expect(sink.messages).toHaveLength(EMAILS)
      // What the log says comes a moment after the mail.
      const attempted = () => [worker, otherWorker].map(({ output }) => output().split('delivery attempted').length - 1)
      await until(() => expect(attempted().reduce((sum, count) => sum + count, 0)).toBe(EMAILS))
      expect(Math.min(...attempted())).toBeGreaterThan(0)

      await Promise.all([worker.signal('SIGKILL'), otherApi.signal('SIGKILL')])
      const rest = startLoad({ url: () => api.url, token: place.token, count: 50 })
      await rest.done
      await until(() => expect(arrivedIds(sink.messages)).toEqual(expect.arrayContaining(rest.accepted)))
    } finally {
      await place.close()
      await sink.close()
      await database.drop()
    }
  })
})

async function countTeams(databaseUrl: string): Promise<number> {
  const database = openTestDatabase(databaseUrl)
  try {
    return await database.tables.team.count()
  } finally {
    await database.close()
  }
}

/** Has no HTTP: it is ready when its log says so. */
async function startWorkerProcess(): Promise<ServiceProcess> {
  const worker = place.spawn({ environment: { ROLES: 'worker' } })
  await until(() => expect(worker.output()).toContain('worker started'))
  return worker
}
