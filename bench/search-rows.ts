// Very many records of several teams, written straight into the tables in slices, for a bounded time. The number of a record decides what it is.
import type pg from 'pg'

/** The team that is measured has half of all emails, a small one few, and ten others share the rest. */
const SHARES = { measured: 5_000, small: 2, of: 10_000 }
const OTHER_TEAMS = 10
const BROADCASTS = 20
/** The emails are of these days, the last one now. */
export const DAYS = 30
const SLICE = 250_000
/** What is there after this time is enough. */
const FILL_MS_MAX = 10 * 60_000

/** `keyId`: of a key of the team. */
export type Team = { id: string; keyId: string }

const SMALL_TEAM = '00000000-0000-7000-8000-000000000002'
const OTHER_TEAM = '00000000-0000-7000-8000-0000000003'
const BROADCAST = '00000000-0000-7000-8000-0000000001'
/** The broadcasts follow each other, with as many emails each. */
export const SOME_BROADCAST = `${BROADCAST}07`

/**
 * Emails, each with a recipient. One in five belongs to a broadcast, one in ten has a tag, one in a thousand bounced, one in 100,000 was reported. The
 * first one has an address of its own.
 *
 * @returns how many there are: `count`, or fewer if that takes too long
 */
export async function fillEmails(client: pg.Client, team: Team, count: number): Promise<number> {
  await withoutLog(client, ['emails', 'recipients'])
  const indexes = await dropIndexes(client, ['emails', 'recipients'])
  const untilMs = performance.now() + FILL_MS_MAX
  let filled = 0
  while (filled < count && performance.now() < untilMs) {
    const upTo = Math.min(count, filled + SLICE)
    // From the newest on, so that those that are there are the last ones.
    await client.query(EMAILS, [team.id, team.keyId, count - upTo + 1, count - filled, count])
    filled = upTo
  }
  for (const index of indexes) await client.query(index)
  await client.query('vacuum analyze emails, recipients')
  return filled
}

/** As many contacts, suppressions, received emails, requests and so on of the team as `count` says. */
export async function fillLists(client: pg.Client, team: Team, count: number): Promise<void> {
  await withoutLog(client, ['contacts', 'suppressions', 'received_emails', 'broadcasts', 'contact_imports', 'automation_runs'])
  for (const sql of LISTS) await client.query(sql, [team.id, team.keyId, count])
  await client.query('vacuum analyze')
}

/** They are only read afterwards, so what protects them from a crash would be written in vain. */
export async function withoutLog(client: pg.Client, tables: string[]): Promise<void> {
  for (const table of tables) await client.query(`alter table ${table} set unlogged`)
}

/**
 * Making them of all rows at once takes a part of the time.
 * @returns what makes them again
 */
export async function dropIndexes(client: pg.Client, tables: string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; made: string }>(
    "select indexname as name, indexdef as made from pg_indexes where schemaname = 'public' and tablename = any($1) and indexname not like '%_pkey'",
    [tables],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ made }) => made)
}

/** A number below `below` that follows no order. */
const scattered = (below: number): string => `(abs(hashint4(i)::bigint) % ${below})`

const EMAILS = `
with numbered as (
  select i, case when ${scattered(SHARES.of)} < ${SHARES.measured} then $1::uuid
      when ${scattered(SHARES.of)} < ${SHARES.measured + SHARES.small} then '${SMALL_TEAM}'
      else ('${OTHER_TEAM}' || lpad(${scattered(OTHER_TEAMS)}::text, 2, '0'))::uuid end as team,
    make_interval(secs => (i - $5::int) * ${DAYS * 24 * 3_600}.0 / $5::int) as age
  from generate_series($3::int, $4::int) i
), made as materialized (
  select *, uuidv7(age) as id, now() + age as at, case when i = $3::int then 'rare' || i || '@example.org' when ${scattered(50)} = 0 then 'many@example.org'
      else 'customer' || i % 1000000 || '@example.org' end as address,
    case when ${scattered(100_000)} = 1 then 'complained' when ${scattered(1_000)} = 2 then 'bounced' when ${scattered(4)} = 0 then 'opened'
      else 'delivered' end as outcome
  from numbered
), sent as (
  insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", cc, bcc, reply_to, subject, html, content_bytes, tags,
    broadcast_id, created_at, final_at)
  select id, team, $2::uuid, 'queued', outcome, 'example.com',
    'Acme <hello@' || case when ${scattered(20)} = 3 then 'news.example.com' else 'example.com' end || '>', array[address], '{}', '{}', '{}',
    'Your receipt number ' || i, case when i % 5 = 0 then null else repeat('<p>Thank you.</p>', 10) end, 170,
    case when i % 10 = 1 then '[{"name":"kind","value":"receipt"}]'::jsonb else '[]' end,
    case when i % 5 = 0 and team = $1::uuid then ('${BROADCAST}' || lpad((i::bigint * ${BROADCASTS} / ($5::int + 1))::text, 2, '0'))::uuid end, at, at
  from made
)
insert into recipients (id, team_id, email_id, address, state) select uuidv7(age + interval '1 second'), team, id, address, outcome from made`

/** Made in order, within the last seconds. */
const NUMBERED = `(
  select i, now() - make_interval(secs => ($3::int - i) / 1000000.0) as at, uuidv7_at(now() - make_interval(secs => ($3::int - i) / 100000.0), i) as id
  from generate_series(1, $3::int) i) numbered, (select $1::uuid as team, $2::uuid as key) t`
export const AUTOMATION = '00000000-0000-7000-8000-00000000a001'
const SEGMENT = '00000000-0000-7000-8000-00000000b001'

const LISTS = [
  `insert into contacts (id, team_id, email, address_hash, first_name, last_name, created_at, updated_at)
   select id, team, 'customer' || i || '@example.org', md5(i::text), 'Ada', 'Name ' || i, at, at from ${NUMBERED}`,
  `insert into suppressions (id, team_id, email, origin, created_at)
   select id, team, 'customer' || i || '@example.org', case when i % 1000 = 0 then 'complaint' else 'bounce' end, at from ${NUMBERED}`,
  `insert into received_emails (id, team_id, blob_key, bytes, mail_from, rcpt_to, peer, helo, created_at, state, "from", "to", subject)
   select id, team, id, 1000, 'a@example.org', '{b@example.com}', '127.0.0.1', 'h', at, 'read', 'a@example.org', '{b@example.com}', 'Question ' || i from ${NUMBERED}`,
  `insert into received_recipients (team_id, address, email_id)
   select team_id, 'b@example.com', id from received_emails where team_id = $1 and $2::uuid is not null and $3::int > 0`,
  `insert into request_logs (id, team_id, api_key_id, method, endpoint, response_status, created_at)
   select id, team, key, 'POST', case when i % 10 = 0 then '/contacts' else '/emails' end, case when i % 100 = 0 then 422 else 200 end, at from ${NUMBERED}`,
  `insert into broadcasts (id, team_id, status, name, segment_id, "from", subject, html, created_at)
   select id, team, 'draft', 'News ' || i, '${SEGMENT}', 'a@example.com', 'News', '<p>News</p>', at from ${NUMBERED}`,
  `insert into broadcasts (id, team_id, status, name, segment_id, "from", subject, html, created_at)
   select ('${BROADCAST}' || lpad(n::text, 2, '0'))::uuid, $1::uuid, 'sent', 'Receipts ' || n, '${SEGMENT}', 'a@example.com', 'Receipts', '<p>Thank you.</p>', now()
   from generate_series(0, ${BROADCASTS}) n where $2::uuid is not null and $3::int > 0`,
  `insert into contact_imports (id, team_id, status, size, encoding, delimiter, columns, on_conflict, created_at)
   select id, team, 'completed', 1, 'utf-8', ',', '{"email":0,"firstName":null,"lastName":null,"unsubscribed":null,"properties":[],"names":["email"]}', 'skip', at from ${NUMBERED}`,
  `insert into api_keys (id, team_id, name, permission, digest, created_at) select id, team, 'Key ' || i, 'sending_access', md5(i::text), at from ${NUMBERED}`,
  `insert into automations (id, team_id, name, status, class, reentry, trigger_event, version_id, created_at, updated_at)
   select '${AUTOMATION}', $1::uuid, 'Welcome', 'disabled', 'bulk', 'always', 'e', '${AUTOMATION}', now(), now() where $2::uuid is not null and $3::int > 0`,
  `insert into automation_versions (id, team_id, automation_id, steps, connections, created_at)
   select '${AUTOMATION}', $1::uuid, '${AUTOMATION}', '[{"key":"start","type":"trigger","config":{"event_name":"e"}}]', '[]', now() where $2::uuid is not null and $3::int > 0`,
  `insert into automation_runs (id, team_id, automation_id, version_id, contact_id, email, event_id, event_name, payload, status, state, started_at, completed_at, created_at)
   select id, team, '${AUTOMATION}', '${AUTOMATION}', id, 'customer' || i || '@example.org', id, 'e', '{}', 'completed', '{}', at, at, at from ${NUMBERED}`,
]
