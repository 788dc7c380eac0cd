import { request } from 'node:http'
import pg from 'pg'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { partitionName } from '../../../src/db/partitions/daily-partitions.ts'
import { emailInput } from '../../support/builders/emails.ts'
import { createJumpingClock, createMovingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { queryAt } from '../../support/processes/processes.ts'
import { startTestService, type TestService, type TestServiceOptions } from '../../support/servers/service.ts'

let service: TestService
afterEach(() => service.close())

const start = async (options: TestServiceOptions = {}) => {
  service = await startTestService(options)
}
const get = (path: string, headers: Record<string, string> = {}) => service.call('GET', path, { token: null, headers })
const ROOM = 10_000_000_000

async function asSuperuser(sql: string): Promise<void> {
  const { pathname } = new URL(service.config.databaseUrl ?? '')
  await queryAt({ connectionString: Object.assign(new URL(inject('superuserUrl')), { pathname }).href }, sql)
}

describe('/health/ready', () => {
  it('answers 200 and every part as ok, with a worker as soon as it has its lease', async () => {
    await start({ environment: { ROLES: 'api,worker' } })
    await until(async () =>
      expect(await get('/health/ready')).toMatchObject({
        status: 200,
        body: { status: 'ok', checks: { database: 'ok', disk: 'ok', partitions: 'ok', worker: 'ok' } },
      }),
    )
  })

  it('answers 503 from SIGTERM on, while requests are taken and their connections end', async () => {
    await start({ environment: { DRAIN_SECONDS: '300' } })
    expect((await get('/health/ready')).headers.get('connection')).toBe('keep-alive')

    void service.service.drain()

    expect(await get('/health/ready')).toMatchObject({ status: 503, body: { status: 'not ready', checks: { process: 'is stopping' } } })
    expect((await get('/health/live')).status).toBe(200)
    const { status, headers } = await service.call('POST', '/emails', { body: emailInput() })
    expect([status, headers.get('connection')]).toEqual([200, 'close'])
  })

  it('answers 503 while the database is away, and /health/live 200', async () => {
    await start()
    const name = new URL(service.config.databaseUrl ?? '').pathname.slice(1)
    const other = new pg.Client({ connectionString: inject('databaseUrl') })
    await other.connect()
    try {
      await other.query(`alter database "${name}" with allow_connections false`)
      await other.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])

      expect(await get('/health/ready')).toMatchObject({
        status: 503,
        body: { status: 'not ready', checks: { database: 'does not answer', disk: 'ok' } },
      })
      expect((await get('/health/live')).status).toBe(200)

      await other.query(`alter database "${name}" with allow_connections true`)
      expect((await get('/health/ready')).status).toBe(200)
    } finally {
      await other.end()
    }
  })

  it('answers 503 from the first statement that finds the disk of the database full to the first look that finds room', async () => {
    await start()
    // What PostgreSQL says then, by tables that behave as if they could not grow.
    await service.database.execute(`
      create function grow() returns event_trigger language plpgsql as $$
      begin
        if to_regclass('pg_temp.room') is not null then
          raise 'could not extend file "base/5/16384": No space left on device' using errcode = 'disk_full';
        end if;
      end $$`)
    await service.database.execute(`
      create function store() returns trigger language plpgsql as $$
      begin
        raise 'could not extend file "base/5/16384": No space left on device' using errcode = 'disk_full';
      end $$`)
    await service.database.execute('create trigger store before insert on emails for each row execute function store()')
    await asSuperuser('create event trigger grow on ddl_command_end execute function grow()')
    expect((await get('/health/ready')).status).toBe(200)

    expect(await service.call('POST', '/emails', { body: emailInput() })).toMatchObject({
      status: 503,
      body: {
        name: 'service_unavailable',
        message: 'The service cannot store anything at the moment, because its database has no room. Please try again later.',
      },
    })
    expect(await get('/health/ready')).toMatchObject({
      status: 503,
      body: { status: 'not ready', checks: { database: 'cannot store: its disk is full', disk: 'ok' } },
    })

    await asSuperuser('drop event trigger grow')
    expect((await get('/health/ready')).status).toBe(200)
  })

  it('names the partitions that are missing for tomorrow and answers 200, because the first row makes them', async () => {
    const clock = createMovingClock()
    await start({ clock })
    const name = partitionName('attempts', new Date(clock.now().getTime() + 86_400_000))
    await service.database.execute(`drop table "${name}"`)

    expect(await get('/health/ready')).toMatchObject({
      status: 200,
      body: { status: 'ok', checks: { database: 'ok', disk: 'ok', partitions: `made when needed: ${name}` } },
    })
  })

  it('answers 503 while the worker has no lease', async () => {
    await start({ environment: { ROLES: 'api,worker' } })
    await until(async () => expect((await get('/health/ready')).status).toBe(200))
    await service.service.worker?.stop()

    expect(await get('/health/ready')).toMatchObject({ status: 503, body: { checks: { worker: 'has no lease' } } })
  })

  it.each<[string, () => Promise<number>]>([
    ['almost full', async () => 1_000],
    ['cannot be looked at', () => Promise.reject(new Error('ENOENT'))],
  ])('answers 503 for a disk that is %s', async (disk, freeBytesOf) => {
    await start({ freeBytesOf })
    expect(await get('/health/ready')).toMatchObject({ status: 503, body: { status: 'not ready', checks: { database: 'ok', disk } } })
  })
})

describe('a disk that is almost full', () => {
  it('makes sending a 503 that stores nothing, and what was accepted before is still delivered', async () => {
    const clock = createJumpingClock()
    let free = ROOM
    await start({ clock, environment: { ROLES: 'api,worker' }, freeBytesOf: async () => free })
    const scheduledAt = new Date(clock.now().getTime() + 4_000).toISOString()
    const accepted = await service.call('POST', '/emails', { body: emailInput({ scheduled_at: scheduledAt }) })
    expect(accepted.status).toBe(200)
    const { id } = accepted.body as { id: string }

    free = 1_000
    // Longer than the disk check and the time of the email are remembered.
    clock.advance(5_000)
    const key = { 'idempotency-key': 'while-full' }
    const refused = [
      await service.call('POST', '/emails', { body: emailInput(), headers: key }),
      await service.call('POST', '/emails/batch', { body: [emailInput(), emailInput()] }),
    ]

    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 503, body: { statusCode: 503 } })
      expect(answer.headers.get('retry-after')).toBe('60')
    }
    expect(await service.database.tables.email.count()).toBe(1)
    await until(async () => expect((await service.call('GET', `/emails/${id}`)).body).toMatchObject({ id, last_event: 'delivered' }))

    free = ROOM
    clock.advance(2_000)
    expect((await service.call('POST', '/emails', { body: emailInput(), headers: key })).status).toBe(200)
  })
})

describe('a flood of questions', () => {
  it('asks the database once at a time', async () => {
    await start()
    const { health } = service.service.context.repositories
    const held = Promise.withResolvers<boolean>()
    const answers = vi.spyOn(health, 'answers').mockImplementation(() => held.promise)
    const flood = Promise.all(Array.from({ length: 50 }, () => get('/health/ready')))
    await until(async () => {
      expect(answers).toHaveBeenCalled()
      expect((await get('/health/live')).status).toBe(200)
    })
    held.resolve(false)
    expect(new Set((await flood).map(({ status }) => status))).toEqual(new Set([503]))
    expect(answers.mock.calls.length).toBeLessThan(5)
  })
})

describe('/metrics', () => {
  const TOKEN = { METRICS_TOKEN: 'a-token-of-the-monitoring' }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  it('has the series that the service promises', async () => {
    await start({ freeBytesOf: async () => 12_345 })
    await service.call('GET', '/emails')
    const { status, headers, text } = await get('/metrics')

    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('text/plain')
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)
    expect(names.filter((name) => !/^posthaste_(process|nodejs)_/.test(name)).toSorted()).toEqual([
      'posthaste_automation_events_set_aside',
      'posthaste_backup_age_seconds',
      'posthaste_build_info',
      'posthaste_database_connections',
      'posthaste_database_connections_max',
      'posthaste_database_connections_waiting',
      'posthaste_deliveries_total',
      'posthaste_delivery_seconds',
      'posthaste_destination_deliveries_total',
      'posthaste_destinations_backing_off',
      'posthaste_disk_free_bytes',
      'posthaste_email_events_total',
      'posthaste_http_request_seconds',
      'posthaste_http_requests_total',
      'posthaste_inbound_connections',
      'posthaste_inbound_messages_total',
      'posthaste_inbound_received_total',
      'posthaste_inbound_refusals_total',
      'posthaste_queue_depth',
      'posthaste_queue_oldest_due_seconds',
      'posthaste_queue_paused_parts',
      'posthaste_received_emails_total',
      'posthaste_request_logs_lost_total',
      'posthaste_submission_accepted_total',
      'posthaste_submission_connections',
      'posthaste_submission_refusals_total',
      'posthaste_suppressions_added_total',
      'posthaste_telemetry_lost_total',
      'posthaste_tracked_acts_left_out_total',
      'posthaste_tracked_acts_lost_total',
      'posthaste_tracked_acts_total',
      'posthaste_tracked_links_refused_total',
      'posthaste_webhook_attempt_seconds',
      'posthaste_webhook_attempts_total',
      'posthaste_webhook_messages_waiting',
    ])
    // `promtool check metrics` refuses such names.
    expect([...text.matchAll(/^# TYPE (\S+_total) (\S+)/gm)].filter(([, , type]) => type !== 'counter')).toEqual([])
    expect(text).toContain(`posthaste_build_info{version="${packageJson.version}",node="${process.versions.node}"} 1\n`)
    expect(text).toContain('posthaste_backup_age_seconds Nan\n')
    expect(text).toContain('posthaste_disk_free_bytes 12345\n')
    expect(text).toContain('posthaste_database_connections_max 20\n')
    expect(text).toMatch(/^posthaste_database_connections\{state="idle"\} [1-9]\d*$/m)
    expect(text).toMatch(/^posthaste_http_requests_total\{operation="emails.list",status="200"\} 1$/m)
  })

  it('answers although the disk cannot be looked at', async () => {
    await start({ freeBytesOf: () => Promise.reject(new Error('ENOENT')) })
    expect((await get('/metrics')).text).toContain('posthaste_disk_free_bytes Nan\n')
  })

  it.each([
    ['without a token, on a loopback HOST', {}, {}, 200],
    ['without a token, on HOST=localhost', { HOST: 'localhost' }, {}, 200],
    ['without a token, forwarded by a proxy', {}, { 'x-forwarded-for': '192.0.2.1' }, 404],
    ['without a token, forwarded in the standard way', {}, { forwarded: 'for=192.0.2.1' }, 404],
    ['without a token, through a proxy that names itself', {}, { via: '1.1 proxy' }, 404],
    ['without a token, through a proxy that names the client', {}, { 'x-real-ip': '192.0.2.1' }, 404],
    ['without a token, on another HOST', { HOST: '0.0.0.0' }, {}, 404],
    ['without a token, by the name of another site', {}, { host: 'attacker.example' }, 404],
    ['without a token, by a name that only begins like ours', {}, { host: 'localhost.attacker.example' }, 404],
    ['without a token, by a name below localhost, which a resolver may know', {}, { host: 'posthaste.localhost:3000' }, 404],
    ['without a token, by a loopback address', {}, { host: '[::1]:3000' }, 200],
    ['without a token, where recipients reach the service by another name', { PUBLIC_URL: 'https://mail.example.com' }, {}, 404],
    ['without a token, with a PUBLIC_URL that is local', { PUBLIC_URL: 'http://127.0.0.1:3000' }, {}, 200],
    ['with a token that is not presented', TOKEN, {}, 404],
    ['with a token and another one presented', TOKEN, bearer('a-token-of-the-monitorinG'), 404],
    [
      'with a token, to its bearer, on any HOST and behind a proxy',
      { ...TOKEN, HOST: '0.0.0.0' },
      { ...bearer(TOKEN.METRICS_TOKEN), 'x-forwarded-for': '192.0.2.1' },
      200,
    ],
  ])('%s', async (_what, environment, headers, status) => {
    await start({ environment })
    // `fetch` does not let anyone set Host.
    const { promise, resolve } = Promise.withResolvers<number | undefined>()
    request(`${service.url}/metrics`, { headers }, (answer) => resolve(answer.resume().statusCode)).end()
    expect(await promise).toBe(status)
  })

  it.each([
    ['127.0.0.1', 200],
    ['::1', 200],
    ['::ffff:127.0.0.1', 200],
    ['192.0.2.1', 404],
    ['::ffff:192.0.2.1', 404],
  ])('without a token, to a peer at %s', async (remoteAddress, status) => {
    await start({})
    const answer = await service.service.app?.inject({ url: '/metrics', remoteAddress, headers: { host: 'localhost' } })
    expect(answer?.statusCode).toBe(status)
  })
})
