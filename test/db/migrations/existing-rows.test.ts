// Migrations of a database that is in use: what is there stays, and what comes is treated as the new version says.
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findEarlierAnswer } from '../../../src/db/idempotent-requests.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { createId } from '../../../src/lib/ids.ts'
import { emailRepository } from '../../../src/modules/emails/emails.repository.ts'
import { toEmail } from '../../../src/modules/emails/emails.routes.ts'
import { until } from '../../support/clocks/until.ts'
import { silentLog as log } from '../../support/processes/processes.ts'
import { fillBeforeNarrowKeys, migrateUntilBefore } from '../../support/servers/other-databases.ts'
import { createEmptyDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { OF_THIS_DATABASE } from '../../support/servers/statements.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

let database: TestDatabase
let pool: pg.Pool

beforeEach(async () => {
  database = await createEmptyDatabase()
  pool = new pg.Pool({ connectionString: database.url })
})
afterEach(async () => {
  await pool.end()
  await database.drop()
})

const migrateToTheEnd = () => migrate({ databaseUrl: database.url, log })

async function query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return (await pool.query<Row>(sql, values)).rows
}

/** Without what 0062_narrow_emails changes of these emails, which has a test of its own. */
const EMAIL_ROW = `to_jsonb(t) - array['message_id', 'headers', 'tags'] as row`

describe('0026_waiting_turns', () => {
  it('leaves messages that came back as they are, and has put off none of them', async () => {
    await migrateUntilBefore('0026_waiting_turns', { databaseUrl: database.url, pool })
    for (const [peer, state] of [
      ['192.0.2.1', 'waiting'],
      ['192.0.2.1', 'done'],
      ['192.0.2.2', 'waiting'],
    ])
      await query(
        `insert into inbound_messages (id, purpose, mail_from, rcpt_to, blob_key, bytes, peer, helo, received_at, state)
         values ($1, 'feedback', '', 'fbl@example.com', $2, 5, $3, 'mx.example.net', now(), $4)`,
        [createId(), createId(), peer, state],
      )
    const rows = () => query<Record<string, unknown>>('select * from inbound_messages order by id')
    const before = await rows()

    const { applied } = await migrateToTheEnd()

    expect(applied).toContain('0026_waiting_turns')
    expect(before).toHaveLength(3)
    expect(await rows()).toEqual(before.map((row) => ({ ...row, postponed: 0 })))
    const firstOfEach = `select distinct on (peer) peer from inbound_messages where state = 'waiting' order by peer, id`
    expect(await query(firstOfEach)).toEqual([{ peer: '192.0.2.1' }, { peer: '192.0.2.2' }])
  })
})

describe('0027_webhook_due_times', () => {
  /** Something happens that a clock which is ahead, or right, says happened then. Returns whether its delivery waits for the future. */
  async function waitsForTheFuture(teamId: string, inHours: number): Promise<boolean | undefined> {
    const id = createId()
    await query(
      `insert into notifications (id, team_id, type, subject_id, data, created_at)
       values ($1, $2, 'contact.created', $1, '{}', now() + $3 * interval '1 hour')`,
      [id, teamId, inHours],
    )
    const [row] = await query<{ waits: boolean }>(
      `select due_at > now() + interval '1 second' as waits from webhook_deliveries where message_id = $1`,
      [id],
    )
    return row?.waits
  }

  it('leaves what waits as it is, and lets nothing that comes wait for a clock that is ahead', async () => {
    await migrateUntilBefore('0027_webhook_due_times', { databaseUrl: database.url, pool })
    const [teamId, webhookId, fedId] = [createId(), createId(), createId()]
    await query(`insert into teams (id, name, created_at) values ($1, 'Team', now())`, [teamId])
    for (const [id, endpoint] of [
      [webhookId, 'https://hooks.example.com'],
      [fedId, null],
    ])
      await query(
        `insert into webhooks (id, team_id, endpoint, events, status, concurrency, is_ordered, secret, secret_version, created_at)
         values ($1, $2, $3, '{contact.created}', 'enabled', 20, false, '', 1, now())`,
        [id, teamId, endpoint],
      )
    expect(await waitsForTheFuture(teamId, 1)).toBe(true)
    expect(await waitsForTheFuture(teamId, -1)).toBe(false)
    const rows = async () => [
      await query('select * from webhooks order by id'),
      await query('select * from webhook_messages order by webhook_id, id'),
      await query('select * from webhook_deliveries order by seq'),
    ]
    const before = await rows()

    const { applied } = await migrateToTheEnd()

    expect(applied).toContain('0027_webhook_due_times')
    expect(before.map(({ length }) => length)).toEqual([2, 4, 2])
    expect(await rows()).toEqual(before)
    expect(await waitsForTheFuture(teamId, 1)).toBe(false)
    expect(await waitsForTheFuture(teamId, -1)).toBe(false)
    const [counts] = await query(
      'select (select count(*)::int from webhook_messages) as messages, (select count(*)::int from webhook_deliveries) as deliveries',
    )
    expect(counts).toEqual({ messages: 8, deliveries: 4 })
  })
})

describe('0030_narrow_keys', () => {
  it('keeps what waits to be sent, what was sent, and the answers that repetitions get', async () => {
    await migrateUntilBefore('0030_narrow_keys', { databaseUrl: database.url, pool })
    const teamId = createId()
    await fillBeforeNarrowKeys(pool, { teamId, emails: 50, queued: 20 })
    const detached = await query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'attempts'::regclass order by 1 limit 1`,
    )
    await query(`alter table attempts detach partition ${detached[0]?.name}`)
    const tables = ['emails', 'recipients', 'attempts', 'notifications', 'request_logs'] as const
    const rows = async () => [
      ...(await Promise.all(
        tables.map((table) => query(`select ${table === 'emails' ? EMAIL_ROW : 'to_jsonb(t) as row'} from ${table} t order by id`)),
      )),
      await query('select team_id, body_hash, response, expires_at from idempotency_keys order by response'),
    ]
    const before = await rows()
    const deliveries = await query(
      `select to_jsonb(d) - 'id' - 'recipient_id' || jsonb_build_object('id', recipient_id) as row from deliveries d order by recipient_id`,
    )

    const { applied } = await migrateToTheEnd()

    expect(applied).toContain('0030_narrow_keys')
    expect(before.map(({ length }) => length)).toEqual([50, 50, 30, 60, 50, 50])
    expect(await rows()).toMatchObject(before)
    expect(deliveries).toHaveLength(20)
    expect(await query('select to_jsonb(d) as row from deliveries d order by id')).toEqual(deliveries)
    const [keyed] = await query<{ id: string }>(`select id from emails where "to" = '{7@example.org}'`)
    const opened = openTestDatabase(database.url)
    const repetition = { operation: 'emails.send', key: 'key 7', bodyHash: 'a'.repeat(64) }
    expect(await findEarlierAnswer(opened, teamId, repetition, new Date())).toEqual({ id: keyed?.id })
    await opened.close()
    await query(
      `alter table attempts attach partition ${detached[0]?.name} for values from ('00000000-0000-7000-8000-000000000000') to ('00000000-0001-7000-8000-000000000000')`,
    )
  })
})

describe('0041_changing_columns_last', () => {
  it('keeps the states of emails, and has what changes stand after all content', async () => {
    await migrateUntilBefore('0041_changing_columns_last', { databaseUrl: database.url, pool })
    for (const [state, finalAt] of [
      ['scheduled', null],
      ['queued', null],
      ['canceled', '2001-02-03T04:05:06.789Z'],
    ])
      await query(
        `insert into emails (id, team_id, api_key_id, state, last_event, message_id, "from", "to", subject, created_at, final_at)
         values ($1, $1, $1, $2, $2, 'm', 'a@example.com', '{b@example.com}', 'Hello', now(), $3)`,
        [createId(), state, finalAt],
      )
    const rows = async () => (await query<{ row: object }>(`select ${EMAIL_ROW} from emails t order by id`)).map(({ row }) => row)
    const before = await rows()

    await migrateToTheEnd()

    expect(await rows()).toMatchObject(before)
    expect(before).toMatchObject([{ state: 'scheduled' }, { state: 'queued' }, { state: 'canceled', final_at: expect.any(String) }])
    const columns = await query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'emails'::regclass and attnum > 0 and not attisdropped order by attnum`,
    )
    // The last one never changes, and an update does not write again what stands after the last byte that changed.
    expect(columns.map(({ name }) => name).slice(-4)).toEqual(['state', 'last_event', 'final_at', 'traceparent'])
    await expect(query(`update emails set state = 'odd'`)).rejects.toThrow('emails_state_check')
    await expect(query(`update emails set last_event = null`)).rejects.toThrow('last_event')
    expect(await query(`select indexdef from pg_indexes where indexname = 'emails_scheduled_idx'`)).toHaveLength(1)
  })
})

describe('0062_narrow_emails', () => {
  it('keeps what emails say, in fewer bytes', async () => {
    await migrateUntilBefore('0062_narrow_emails', { databaseUrl: database.url, pool })
    const [single, plain, ofBroadcast, teamId, key] = Array.from({ length: 5 }, () => createId())
    const insert = (id: string | undefined, { broadcastId = null, lists }: { broadcastId?: string | null; lists: unknown[] }) =>
      query(
        `insert into emails (id, team_id, api_key_id, broadcast_id, state, last_event, message_id, "from", "to", cc, bcc, reply_to, headers, tags, subject, created_at)
         values ($1::uuid, $2, $3, $4, 'queued', 'delivered', '<' || $1::uuid || '@xn--bcher-kva.example>', 'Laden <a@bücher.example>', '{b@example.com}', $5, $6, $7, $8, $9, 'Hello', now())`,
        [id, teamId, key, broadcastId, ...lists],
      )
    const full = [['c@example.com'], ['d@example.com'], ['e@example.com'], { 'X-A': '1' }, JSON.stringify([{ name: 'a', value: 'b' }])]
    await insert(single, { lists: full })
    await insert(plain, { lists: [[], [], [], {}, '[]'] })
    await insert(ofBroadcast, { broadcastId: createId(), lists: [[], [], [], {}, '[]'] })
    await query('delete from email_count_changes')

    await migrateToTheEnd()

    const opened = openTestDatabase(database.url)
    const email = async (id = '') => {
      const row = await emailRepository(opened).find(teamId ?? '', id)
      return row && toEmail(row)
    }
    const said = { message_id: `<${single}@xn--bcher-kva.example>`, from: 'Laden <a@bücher.example>', to: ['b@example.com'] }
    expect(await email(single)).toMatchObject({
      ...said,
      ...{ cc: ['c@example.com'], bcc: ['d@example.com'], reply_to: ['e@example.com'], tags: [{ name: 'a', value: 'b' }] },
    })
    const nothing = { cc: [], bcc: [], reply_to: [], tags: [] }
    expect(await email(plain)).toMatchObject({ ...said, message_id: `<${plain}@xn--bcher-kva.example>`, ...nothing })
    await opened.close()
    const stored = 'num_nulls(cc, bcc, reply_to, headers, tags) as empty'
    expect(await query(`select id, api_key_id, from_domain, ${stored} from emails order by id`)).toEqual([
      { id: single, api_key_id: key, from_domain: 'xn--bcher-kva.example', empty: 0 },
      { id: plain, api_key_id: key, from_domain: 'xn--bcher-kva.example', empty: 5 },
      { id: ofBroadcast, api_key_id: null, from_domain: 'xn--bcher-kva.example', empty: 5 },
    ])
    await query(
      `insert into notifications (id, team_id, type, subject_id, data, created_at) values (uuidv7(), $1, 'email.delivered', $2, '{}', now())`,
      [teamId, single],
    )
    expect(await query('select domain, metric from email_count_changes')).toEqual([
      { domain: 'xn--bcher-kva.example', metric: 'delivered' },
    ])
  })
})

describe('0063_broadcast_links', () => {
  it('adds up the clicks that were there', async () => {
    await migrateUntilBefore('0063_broadcast_links', { databaseUrl: database.url, pool })
    const [broadcast, one, two] = [createId(), createId(), createId()]
    await query(
      `insert into broadcast_clicks (broadcast_id, url_hash, email_id, url, count)
       select $1, md5(url)::uuid, email_id, url, count
       from (values ('https://a.example', $2::uuid, 2), ('https://a.example', $3::uuid, 1), ('https://b.example', $3::uuid, 4)) v(url, email_id, count)`,
      [broadcast, one, two],
    )

    await migrateToTheEnd()

    expect(await query('select broadcast_id, url, clicks, unique_clicks from broadcast_links order by url')).toEqual([
      { broadcast_id: broadcast, url: 'https://a.example', clicks: 3, unique_clicks: 2 },
      { broadcast_id: broadcast, url: 'https://b.example', clicks: 4, unique_clicks: 1 },
    ])
  })
})

describe('0076_storage_owner', () => {
  it.each([
    ['a database that was used', true, [{ is_marked: false }]],
    ['a new one', false, []],
  ])('gives %s its files, which have no mark yet, or none', async (_what, isUsed, expected) => {
    await migrateUntilBefore('0076_storage_owner', { databaseUrl: database.url, pool })
    if (isUsed) await query(`insert into data_keys (purpose, version, wrapped, created_at) values ('share', 1, '\\x00', now())`)
    await migrateToTheEnd()
    expect(await query('select is_marked from storage_owner')).toEqual(expected)
  })
})

describe('0086_soft_bounces', () => {
  it('leaves teams that exist as they are: soft bounces suppress addresses of later ones only', async () => {
    await migrateUntilBefore('0086_soft_bounces', { databaseUrl: database.url, pool })
    const add = (name: string) => query('insert into teams (id, name, created_at) values ($1, $2, now())', [createId(), name])
    await add('earlier')
    await migrateToTheEnd()
    await add('later')
    expect(await query('select name, suppresses_soft_bounces from teams order by name')).toEqual([
      { name: 'earlier', suppresses_soft_bounces: false },
      { name: 'later', suppresses_soft_bounces: true },
    ])
  })
})

describe('0096_checks_of_words', () => {
  beforeEach(() => migrateUntilBefore('0096_checks_of_words', { databaseUrl: database.url, pool }))

  const addTopics = (visibilities: string[]) =>
    query(
      `insert into topics (id, team_id, name, default_subscription, visibility, created_at, updated_at)
       select gen_random_uuid(), gen_random_uuid(), 'Topic', 'opt_in', visibility, now(), now() from unnest($1::text[]) as visibility`,
      [visibilities],
    )
  const addPause = (of: string | null) => query('insert into queue_pauses (id, class, created_at) values ($1, $2, now())', [createId(), of])
  const isChecked = async () =>
    (await query(`select from pg_constraint where conname in ('topics_visibility_check', 'queue_pauses_class_check')`)).length

  it('names words that are not known, with their table, column and count, and changes nothing until they are gone', async () => {
    await addTopics(['secret', 'public', 'secret', "it's"])
    await addPause('slow')
    await addPause(null)

    await expect(migrateToTheEnd()).rejects.toThrow(
      `The migration 0096_checks_of_words failed and was rolled back: topics.visibility is 'it''s' in 1 row; topics.visibility is 'secret' in 2 rows, where it can only be 'public' or 'private'. queue_pauses.class is 'slow' in 1 row, where it can only be 'transactional' or 'bulk'. Change these rows to one of these words, or delete them, and then run the migration again`,
    )
    expect(await isChecked()).toBe(0)

    await query(`update topics set visibility = 'private' where visibility <> 'public'`)
    await query(`delete from queue_pauses where class = 'slow'`)
    expect((await migrateToTheEnd()).applied[0]).toBe('0096_checks_of_words')
    expect(await isChecked()).toBe(2)
    await expect(addTopics(['secret'])).rejects.toThrow('topics_visibility_check')
  })

  it('gives its locks back while a transaction has one table and asks for another', async () => {
    const other = await pool.connect()
    try {
      await other.query(`begin; set local lock_timeout = '5s'; lock table webhooks in row exclusive mode`)
      const migrated = migrateToTheEnd()
      await until(async () =>
        expect(
          await query(
            `select from pg_locks where relation = 'webhooks'::regclass and mode = 'AccessExclusiveLock' and ${OF_THIS_DATABASE}`,
          ),
        ).toHaveLength(1),
      )
      await other.query('lock table attempts in row exclusive mode')
      await other.query('commit')
      expect((await migrated).applied).toContain('0096_checks_of_words')
    } finally {
      other.release()
    }
  })
})
