// Backups, and what they are compared by.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type BackupManifest, qualified, type StoredTable, storedTables } from '../../../src/db/backup/backup-tables.ts'
import { listedColumns } from './schema.ts'

export type StoredRows = Record<string, Record<string, unknown>[]>

/** All rows of all tables of a backup, in an order that does not depend on where they lie. */
export async function rowsOf(databaseUrl: string): Promise<StoredRows> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const rows: StoredRows = {}
    for (const table of await storedTables(client)) {
      const { rows: found } = await client.query<{ row: Record<string, unknown> }>(
        `select to_jsonb(t) as row from ${qualified(table)} t order by t::text`,
      )
      rows[table.name] = found.map(({ row }) => row)
    }
    return rows
  } finally {
    await client.end()
  }
}

/**
 * What a restore changes: nothing is sent until the pause ends, snapshots of another server say nothing, claims belong to a worker that does not exist,
 * the files are those of another database, and no one is signed in.
 */
export const asRestored = ({
  queue_pauses: pauses = [],
  automation_waits: waits = [],
  worker_leases: _leases,
  service_processes: _processes,
  last_backup: _lastBackup,
  storage_owner: _owner,
  sessions: _sessions,
  sign_in_links: _links,
  operator_sessions: _operators,
  operator_links: _operatorLinks,
  ...rows
}: StoredRows): StoredRows => ({
  ...Object.fromEntries(Object.entries(rows).map(([table, found]) => [table, found.map(withoutWorker)])),
  // The pause of the whole queue is the restore's.
  queue_pauses: pauses.filter(({ class: kind }) => kind !== null),
  automation_waits: waits.map((wait) => ({ ...wait, begun: '1:1:' })),
})

function withoutWorker(row: Record<string, unknown>): Record<string, unknown> {
  const held = row.leased_by === undefined || row.leased_by === null ? {} : { leased_by: 'gone' }
  // The use of a key is stored after the answer, and so perhaps after the backup.
  if ('last_used_at' in row) return { ...row, last_used_at: null }
  // Its column `is_available` is generated from the lock.
  return 'locked_by' in row ? { ...row, locked_by: null, locked_at: null, is_available: null } : { ...row, ...held }
}

export const manifestOf = (folder: string): BackupManifest => JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))

/** Changes the manifest as someone would who wants it to be believed. */
export function changeManifest(folder: string, change: (manifest: BackupManifest) => unknown): void {
  const text = JSON.stringify(change(manifestOf(folder)))
  writeFileSync(join(folder, 'manifest.json'), text)
  writeFileSync(join(folder, 'manifest.json.sha256'), `${createHash('sha256').update(text).digest('hex')}  manifest.json\n`)
}

/** A value of each type that is not easily written by chance: with what a text format has to escape. */
const VALUES: Record<string, string> = {
  uuid: 'uuidv7()',
  text: `E'tab\\t, line\\n, backslash \\\\N, quote '' and \\u00e4\\U0001F600'`,
  'text[]': `array['a,b', 'c"d', E'e\\\\', null, '']`,
  'uuid[]': 'array[gen_random_uuid()]',
  bytea: `'\\x00ff5c0a'::bytea`,
  boolean: 'true',
  integer: '-2147483648',
  smallint: '-32768',
  bigint: '9223372036854775807',
  'double precision': `'0.1'::float8 / 3`,
  numeric: '12345678901234567890.123456789',
  'timestamp with time zone': `'infinity'`,
  'timestamp(3) with time zone': `'infinity'`,
  date: `'2026-02-28'`,
  inet: `'2001:db8::1'`,
  json: `'{"a": [1, null, "\\\\u0000"]}'`,
  jsonb: `'{"a": [1, 1e400, null, "tab\\\\t"]}'`,
  xid8: `'18446744073709551615'`,
  pg_snapshot: `'10:20:10,14'`,
}

/** Columns that have to have a certain value, or the id of something. */
const AMONG: Record<string, string> = {
  'api_keys.team_id': '(select id from teams limit 1)',
  'dkim_keys.domain_id': '(select id from domains limit 1)',
  'oauth_grants.client_id': '(select id from oauth_clients limit 1)',
  'broadcast_versions.broadcast_id': '(select id from broadcasts limit 1)',
  'confirmation_codes.person_id': '(select id from persons limit 1)',
  'images.team_id': '(select id from teams limit 1)',
  'installation_mails.delivered_at': 'null',
  'passkeys.person_id': '(select id from persons limit 1)',
  'person_identities.person_id': '(select id from persons limit 1)',
  // What a process that has ended had reserved is given back.
  'quota_reservations.process_id': '(select id from service_processes limit 1)',
  'quota_uses.reservation_id': '(select id from quota_reservations limit 1)',
  'saved_views.person_id': '(select id from persons limit 1)',
  'saved_views.team_id': '(select id from teams limit 1)',
  'sessions.api_key_id': '(select id from api_keys limit 1)',
  'sessions.person_id': 'null',
  'previews.team_id': '(select id from teams limit 1)',
  'sign_in_links.api_key_id': 'null',
  'sign_in_links.person_id': 'null',
  'team_limits.team_id': '(select id from teams limit 1)',
  'team_limits.emails_per_day': 'null',
  'team_limits.emails_per_month': 'null',
  'team_limits.contacts': 'null',
  'team_limits.stored_bytes': 'null',
  'team_reputations.team_id': '(select id from teams limit 1)',
  'team_reputations.reason': 'null',
  'team_storage.team_id': '(select id from teams limit 1)',
  'template_versions.template_id': '(select id from templates limit 1)',
  // The update gives a domain that receives a time that begins now.
  'domains.receiving': 'false',
  'sent_events.email': 'null',
  'submitted_messages.blob_key': 'null',
  'storage_owner.id': '1',
  'last_backup.id': '1',
  'sweep_clock.id': '1',
}

/** Puts a row into each table that has none, so that no type and no table is left out. Returns the tables that took none. */
export async function fillEmptyTables(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    // What is referred to is there in the next round.
    for (let left = await storedTables(client); left.length > 0; ) {
      const refused: typeof left = []
      for (const table of left) await fill(client, table).catch(() => refused.push(table))
      if (refused.length === left.length) return refused.map(({ name }) => name)
      left = refused
    }
    return []
  } finally {
    await client.end()
  }
}

async function fill(client: pg.Client, table: StoredTable): Promise<void> {
  const { rowCount } = await client.query(`select from ${qualified(table)} limit 1`)
  if (rowCount !== 0) return
  const { rows: columns } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [qualified(table)],
  )
  const listed = new Map((await listedColumns()).map(({ table: of, column, words: [first = ''] }) => [`${of}.${column}`, `'${first}'`]))
  const values = columns.map(({ name, type }) => {
    const place = `${table.name}.${name}`
    return listed.get(place) ?? AMONG[place] ?? VALUES[type] ?? 'null'
  })
  await client.query(
    `insert into ${qualified(table)} (${columns.map(({ name }) => `"${name}"`).join(', ')}) overriding system value values (${values.join(', ')})`,
  )
}
