// The audit log shows what an act changes of a record: each column of an audited table is recorded, or stands here with a reason.
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

/** The id of a record stands in the entry itself; whose it is and when it was made do, too. */
const OF_EVERY_ENTRY = ['id', 'team_id', 'created_at', 'updated_at']

/** What changes without an act: states that the service keeps, counts, and what goes with recorded columns. */
const UNRECORDED: Record<string, string> = {
  api_keys: 'grant_id last_used_at person_id',
  automations: 'disabled_reason held_at held_contact_id',
  broadcasts:
    'api_key_id autosave_began_at begun_through changed_at changed_by changed_by_name content_bytes content_document due_at end_reason is_fanned_out is_waiting paced_at reached_at reached_contact_id recipient_count sent_at started_at status_reason walk walked_through',
  contact_imports: 'blob_key completed_at created delimiter encoding failed file_name reason skipped status total updated',
  contact_jobs: 'changed completed_at contact_ids expected position reason refused unchanged',
  contact_properties: 'number',
  contacts: 'address_hash letter_pairs',
  domain_claims: 'asked_at blocked_reason check_due_at ended_at expires_at failure_reason',
  domains: 'asked_at can_send check_due_at checked_at owned_at owns_name receiving_unproven_until root tracking_host',
  images: 'blob_key token',
  invitations: 'expires_at',
  members: 'is_by_groups person_id',
  oauth_grants: 'last_used_at person_id',
  persons: 'email',
  segments: 'filter_uses',
  suppressions: 'soft_bounces source_id',
  team_reputations: 'counted_from look_at since warned_at',
  templates: 'published_at',
  webhooks: 'disabled_reason failing_since last_failure_at last_success_at old_secret old_secret_until old_secret_version secret_version',
}

it('records each column that an act can change, of every audited table', async () => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<{ table: string; columns: string[]; recorded: string[] }>(COLUMNS)
  await client.end()
  expect(rows.length).toBeGreaterThan(15)
  const left = rows.map(({ table, columns, recorded }): [string, string] => [
    table,
    columns
      .filter((name) => ![...recorded, ...OF_EVERY_ENTRY].includes(name))
      .sort()
      .join(' '),
  ])
  expect(Object.fromEntries(left.filter(([, names]) => names !== ''))).toEqual(UNRECORDED)
})

/** The arguments of a trigger are kept as bytes that end with a zero each. */
const COLUMNS = `
  select relname as "table",
    array(select attname::text from pg_attribute where attrelid = pg_class.oid and attnum > 0 and not attisdropped) as columns,
    string_to_array(concat_ws(' ', split_part(encode(tgargs, 'escape'), '\\000', 1), split_part(encode(tgargs, 'escape'), '\\000', 2)), ' ') as recorded
  from pg_trigger join pg_class on pg_class.oid = tgrelid
  where tgname = 'collect_changes' order by 1`
