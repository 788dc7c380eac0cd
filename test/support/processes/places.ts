// An embedded database with its tables, made once in a run: copying it takes a tenth of the time.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject } from 'vitest'
import { startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import type { Connection, Step } from '../../../src/modules/automations/graph/graph.ts'
import { until } from '../clocks/until.ts'
import { createTables } from '../servers/postgres.ts'
import { type SmtpSink, startSmtpSink } from '../servers/smtp-sink.ts'
import { createPlace, embeddedAddress, type Place, postgresPidOf, queryAt, queryEmbedded, silentLog, untilGone } from './processes.ts'

/** A place whose services find their database made. */
export async function createPreparedPlace(environment?: Record<string, string>): Promise<Place> {
  const place = await createPlace(environment)
  await copyPreparedDatabase(place.dataDir)
  return place
}

/** Fills an empty DATA_DIR, as a service of this version leaves it that was stopped before it made a key. */
export async function copyPreparedDatabase(dataDir: string): Promise<void> {
  const folder = inject('preparedFolder')
  await untilPrepared(folder)
  await promisify(execFile)('cp', ['-a', `${join(folder, 'data')}/.`, dataDir])
}

/** The first of all workers that needs it makes it. */
async function untilPrepared(folder: string): Promise<void> {
  const mark = join(folder, 'done')
  if (existsSync(mark)) return
  if (isFirst(folder)) {
    const database = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: silentLog, durable: false })
    await createTables(database.url)
    await database.stop()
    writeFileSync(mark, '')
  }
  await until(() => {
    if (!existsSync(mark)) throw new Error('No worker has prepared the database')
  })
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

// A service that runs automations in a place of its own, and is killed while they run.

/** What a dead worker held waits for its lease to end. */
export const WITHIN_MS = 120_000

export type AutomationPlace = Awaited<ReturnType<typeof createAutomationPlace>>

export async function createAutomationPlace() {
  const sink: SmtpSink = await startSmtpSink({ replyDelayMs: 1 })
  const place = await createPreparedPlace({ SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`, RATE_LIMIT_PER_SECOND: '0' })
  let service = await place.start()
  const { dataDir } = place

  async function call<Reply = { id: string }>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${place.token}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
    return (await answer.json()) as Reply
  }

  const query = <Row extends object>(text: string): Promise<Row[]> => queryEmbedded<Row>(dataDir, text)

  async function count(from: string): Promise<number> {
    const [row] = await query<{ count: number }>(`select count(*)::int as count from ${from}`)
    return row?.count ?? 0
  }

  /** `interval`: how often to look, in milliseconds, if it matters when it is noticed. */
  const reach = (from: string, least: number, options: { interval?: number } = {}) =>
    until(async () => expect(await count(from)).toBeGreaterThanOrEqual(least), { timeout: WITHIN_MS, ...options })

  async function killAndStart(): Promise<void> {
    const postgres = postgresPidOf(dataDir)
    await service.signal('SIGKILL')
    if (postgres !== null) await untilGone(postgres)
    service = await place.start()
  }

  return {
    sink,
    call,
    query,
    count,
    reach,
    killAndStart,

    /** Kills the service within the transaction that follows from `cause`: it waits for an automation that another session holds. */
    async killWithin(cause: () => Promise<unknown>): Promise<void> {
      const holding = queryAt(
        { connectionString: embeddedAddress(dataDir) },
        `begin; select from automations for update; select pg_sleep(${WITHIN_MS / 1_000})`,
      )
      const ended = expect(holding).rejects.toThrow()
      await reach(`pg_stat_activity where wait_event = 'PgSleep'`, 1)
      await cause()
      await reach(`pg_stat_activity where wait_event_type = 'Lock' and backend_type = 'client backend'`, 1)
      await killAndStart()
      await ended
    },

    async publishedTemplate(name: string): Promise<string> {
      const { id } = await call('POST', '/templates', { name, from: 'hello@example.com', subject: name, html: `<p>${name}</p>` })
      await call('POST', `/templates/${id}/publish`)
      return id
    },

    /** Each step leads to the next. */
    async enable(steps: Step[]): Promise<string> {
      const all: Step[] = [{ key: 'start', type: 'trigger', config: { event_name: 'signed.up' } }, ...steps]
      const connections = all.slice(0, -1).map(
        ({ key, type }, index): Connection => ({
          from: key,
          to: all[index + 1]?.key ?? '',
          type: type === 'wait_for_event' ? 'event_received' : 'default',
        }),
      )
      return (await call('POST', '/automations', { name: 'Welcome', status: 'enabled', steps: all, connections })).id
    },

    async close(): Promise<void> {
      await place.close()
      await sink.close()
    },
  }
}

export const mail = (key: string, id: string): Step => ({ key, type: 'send_email', config: { template: { id } } })
