// A database whose owner has chosen settings: the service works the same with any of them.
import { afterEach, expect, it } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { connectSession } from '../../src/db/session/database-session.ts'
import { run, temporaryFolder } from '../cli/run-command.ts'
import { arrivedIds, startLoad } from '../support/builders/load.ts'
import { startSending } from '../support/clients/smtp-client.ts'
import { until } from '../support/clocks/until.ts'
import { createPlace, freePort, queryAt, type ServiceProcess } from '../support/processes/processes.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/servers/postgres.ts'
import { startSmtpSink } from '../support/servers/smtp-sink.ts'

/** Each differs from what the service sets, or is too short for its work. */
const WRONG = [
  `search_path = 'elsewhere'`,
  `default_transaction_isolation = 'serializable'`,
  `default_transaction_deferrable = on`,
  `datestyle = 'SQL, DMY'`,
  `intervalstyle = 'sql_standard'`,
  `timezone = 'Asia/Kathmandu'`,
  `client_encoding = 'LATIN1'`,
  `bytea_output = 'escape'`,
  `extra_float_digits = -15`,
  `standard_conforming_strings = off`,
  `array_nulls = off`,
  `quote_all_identifiers = on`,
  `exit_on_error = on`,
  `synchronous_commit = off`,
  `statement_timeout = '1s'`,
  `lock_timeout = '1ms'`,
  `idle_in_transaction_session_timeout = '5ms'`,
  `idle_session_timeout = '2s'`,
  `transaction_timeout = '1s'`,
  `plan_cache_mode = 'force_generic_plan'`,
  `enable_seqscan = off`,
  `enable_indexscan = off`,
  `enable_indexonlyscan = off`,
  `enable_bitmapscan = off`,
  `enable_nestloop = off`,
  `enable_hashjoin = off`,
  `enable_mergejoin = off`,
  `enable_sort = off`,
  `enable_incremental_sort = off`,
  `enable_partition_pruning = off`,
  `jit = on`,
  `jit_above_cost = 0`,
  `check_function_bodies = off`,
  `escape_string_warning = off`,
  `row_security = off`,
  `transform_null_equals = on`,
  `xmloption = 'document'`,
  `client_min_messages = 'debug1'`,
]

/** What stays as the owner has set it, because nothing relies on it. */
const LEFT_TO_OWNERS = [
  'check_function_bodies',
  'client_min_messages',
  'escape_string_warning',
  'jit_above_cost',
  'row_security',
  'transform_null_equals',
  'xmloption',
]

const CONTACTS = 34
const EMAILS = 40

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

it('connections of the service and of its commands have the same settings with any owner, but for those that nothing relies on', async () => {
  const [wrong, usual] = await Promise.all([createWrongDatabase(), createEmptyDatabase()])
  closing.push(() => usual.drop())

  for (const settingsOf of [settingsOfPool, settingsOfSession]) {
    const expected = new Map((await settingsOf(usual.url)).map(({ name, setting }) => [name, setting]))
    const different = (await settingsOf(wrong.url)).filter(({ name, setting }) => expected.get(name) !== setting)
    expect(different.map(({ name }) => name)).toEqual(LEFT_TO_OWNERS)
  }
})

it('a database with every setting wrong is migrated, and sends, delivers, imports, receives, and is backed up', async () => {
  const database = await createWrongDatabase()
  const sink = await startSmtpSink()
  closing.push(() => sink.close())
  const inboundPort = await freePort()
  const place = await createPlace({
    DATABASE_URL: database.url,
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    INBOUND_PORT: String(inboundPort),
    INBOUND_DOMAIN: 'in.example',
    LOG_LEVEL: 'warn',
  })
  closing.push(() => place.close())
  const service = await place.start()
  const ask = asker(service, place.token)

  const created = await Promise.all(
    Array.from({ length: CONTACTS }, (_one, index) => ask('POST', '/contacts', { email: `c${index % (CONTACTS / 2)}@example.com` })),
  )
  // Half of them are there already.
  expect(created.map(({ status }) => status).filter((status) => status !== 201 && status !== 200 && status !== 409)).toEqual([])
  const load = startLoad({ url: () => service.url, token: place.token, count: EMAILS })
  await load.done
  await until(() => expect(new Set(arrivedIds(sink.messages)).size).toBe(EMAILS))
  expect(load.statuses).toEqual({ 200: EMAILS })

  const form = new FormData()
  form.append('file', new Blob(['email,first_name\nimported@example.com,Zoë 😀\n'], { type: 'text/csv' }), 'contacts.csv')
  const begun = await ask('POST', '/contacts/imports', form)
  await until(async () => expect((await ask('GET', `/contacts/imports/${begun.body.id}`)).body.status).toBe('completed'))
  expect((await ask('GET', '/contacts/imported@example.com')).body).toMatchObject({ first_name: 'Zoë 😀' })

  const [team] = await rows<{ id: string }>(database.url, 'select id from public.teams')
  const messages = [{ from: 'ada@sender.example', to: `anyone@${team?.id}.in.example`, subject: 'Hello', text: 'Hello' }]
  await startSending({ port: inboundPort, connections: 1, messages }).done
  await until(async () =>
    expect((await ask('GET', '/emails/receiving')).body.data).toEqual([
      expect.objectContaining({ subject: 'Hello', from: 'ada@sender.example' }),
    ]),
  )

  const folder = temporaryFolder()
  closing.push(() => folder.remove())
  const environment = { DATABASE_URL: database.url, DATA_DIR: place.dataDir }
  expect(await run(['backup', `${folder.path}/backup`], { folder: folder.path, environment })).toMatchObject({ status: 0 })
  // Connections that listen rest for longer than the owner lets them.
  expect(service.output()).not.toMatch(/"level":(40|50|60)/)
  expect(await rows(database.url, `select from pg_class where relnamespace = 'elsewhere'::regnamespace`)).toEqual([])
})

async function createWrongDatabase(): Promise<TestDatabase> {
  const database = await createEmptyDatabase()
  closing.push(() => database.drop())
  const name = new URL(database.url).pathname.slice(1)
  await queryAt(
    { connectionString: database.url },
    `create schema elsewhere; ${WRONG.map((each) => `alter database ${name} set ${each}`).join('; ')}`,
  )
  return database
}

type Setting = { name: string; setting: string }
const SETTINGS = `select name, setting from pg_settings where context in ('user', 'superuser') and name <> 'application_name' order by name`

async function settingsOfPool(databaseUrl: string): Promise<Setting[]> {
  const database = openDatabase({ databaseUrl, onError: () => {} })
  try {
    return await database.execute<Setting>(SETTINGS)
  } finally {
    await database.close()
  }
}

async function settingsOfSession(databaseUrl: string): Promise<Setting[]> {
  const session = await connectSession(databaseUrl)
  try {
    return (await session.query<Setting>(SETTINGS)).rows
  } finally {
    await session.end()
  }
}

const rows = <Row extends Record<string, unknown>>(connectionString: string, sql: string) => queryAt<Row>({ connectionString }, sql)

const asker =
  ({ url }: ServiceProcess, token: string) =>
  async (method: string, path: string, body?: Record<string, unknown> | FormData) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: whatever the operation answers
    return { status: response.status, body: (await response.json()) as any }
  }
