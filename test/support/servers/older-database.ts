// A database as an older version of the service left it.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { migrate, schemaFolder } from '../../../src/database/migrations/migrate.ts'
import { partitionedTables } from '../../../src/database/partitions/daily-partitions.ts'
import { maintainPartitions } from '../../../src/database/partitions/partitions.ts'
import { silentLog as log } from '../processes/silent-log.ts'

/** The tables as they were before a migration, with the partitions of these days. */
export async function migrateUntilBefore(name: string, { databaseUrl, pool }: { databaseUrl: string; pool: pg.Pool }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaste-older-'))
  try {
    for (const earlier of readdirSync(join(schemaFolder, 'migrations')).filter((each) => each < name))
      cpSync(join(schemaFolder, 'migrations', earlier), join(folder, 'migrations', earlier), { recursive: true })
    await migrate({ databaseUrl, log, folder })
  } finally {
    rmSync(folder, { recursive: true })
  }
  const { rows } = await pool.query<{ name: string }>('select name from unnest($1::text[]) as name where to_regclass(name) is not null', [
    partitionedTables,
  ])
  await maintainPartitions(pool, { tables: rows.map(({ name: table }) => table), now: new Date(), retentionDays: 30 })
}

/**
 * Fills the tables that 0030_narrow_keys changes: emails with a key, a log and two events each. The first `queued` wait to be sent, the others have been.
 */
export const fillBeforeNarrowKeys = (pool: pg.Pool, { teamId, emails, queued }: { teamId: string; emails: number; queued: number }) =>
  pool.query(
    `with email as (
       insert into emails (id, team_id, api_key_id, state, last_event, message_id, "from", "to", subject, html, text, created_at, final_at)
       select uuidv7(), '${teamId}', gen_random_uuid(), 'queued', case when n <= ${queued} then 'queued' else 'delivered' end, n::text, 'a@example.com',
         array[n || '@example.org'], 'Hello', repeat('<p>Hello</p>', 10), repeat('Hello ', 10), now(), case when n > ${queued} then now() end
       from generate_series(1, ${emails}) n returning id, message_id::int as n
     ), recipient as (
       insert into recipients (id, team_id, email_id, address, state, attempt_count)
       select uuidv7(), '${teamId}', id, n || '@example.org', case when n <= ${queued} then 'queued' else 'delivered' end, case when n <= ${queued} then 0 else 1 end
       from email returning id, email_id, address, attempt_count
     ), delivery as (
       insert into deliveries (id, team_id, class, destination, email_id, recipient_id, due_at, is_ready)
       select uuidv7(), '${teamId}', 'transactional', 'example.org', email_id, id, now(), true from recipient where attempt_count = 0
     ), attempt as (
       insert into attempts (id, team_id, email_id, recipient_id, number, outcome, host, code, text, started_at, ended_at)
       select uuidv7(), '${teamId}', email_id, id, 1, 'delivered', 'mx.example.org', 250, 'OK', now(), now() from recipient where attempt_count = 1
     ), notification as (
       insert into notifications (id, team_id, type, subject_id, data, created_at)
       select uuidv7(), '${teamId}', type, email_id, jsonb_build_object('to', array[address]), now()
       from recipient, unnest(array['email.sent', 'email.delivered']) type where attempt_count = 1
     ), log as (
       insert into request_logs (id, team_id, method, endpoint, response_status, request_body, created_at)
       select uuidv7(), '${teamId}', 'POST', '/emails', 200, jsonb_build_object('from', 'a@example.com', 'to', n || '@example.org', 'html', repeat('<p>Hello</p>', 10)), now()
       from email
     )
     insert into idempotency_keys (team_id, operation, key, body_hash, response, expires_at)
     select '${teamId}', 'emails.send', 'key ' || n, repeat('a', 64), jsonb_build_object('id', id), now() + interval '1 day' from email`,
  )
