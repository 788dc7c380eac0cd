// A team with more of everything than a page of a list shows, and with texts that are as long as they may be. Each record is a copy of one that the
// team has, so that it has all that a record of its kind has.
import type { TestService } from '../support/servers/service.ts'

/** More than a page of a list. */
const COPIES = 60

/** Words without a space, of so many characters. */
const long = (length: number): string => 'a-long-name-without-spaces'.repeat(Math.ceil(length / 26)).slice(0, length)
const address = `${long(60)}@${'a-long-label'.repeat(5)}.example.com`
const mailbox = `${long(60)} <${address}>`

/** What differs in the copies, by table: values, and expressions of SQL for those that must be unique, with `n` as the number of the copy. */
const TABLES: Record<string, { values?: object; unique?: Record<string, string> }> = {
  emails: { values: { subject: long(998), from: mailbox, to: [address, address] } },
  received_emails: { values: { subject: long(998), from: mailbox, received_for: [address] }, unique: { blob_key: 'gen_random_uuid()' } },
  broadcasts: { values: { name: long(70) } },
  automations: { values: { name: long(100) } },
  templates: { values: { name: long(100), alias: null } },
  domains: { unique: { name: `n || '.${'a-long-label'.repeat(5)}.${'a-long-label'.repeat(5)}.example.com'` } },
  suppressions: { unique: { email: `n || '${address}'` } },
  contacts: {
    values: { first_name: long(256), last_name: long(256) },
    unique: { email: `n || '${address}'`, address_hash: 'md5(n::text)' },
  },
  contact_properties: { unique: { number: '1000 + n', key: `n || '_${long(40).replaceAll('-', '_')}'` } },
  segments: { values: { name: long(100) } },
  topics: { values: { name: long(50), description: long(200) } },
  contact_imports: { unique: { blob_key: 'gen_random_uuid()' } },
  api_keys: { values: { name: long(50) }, unique: { digest: 'md5(n::text)' } },
  request_logs: { values: { endpoint: `/${long(1_000)}`, user_agent: long(500) } },
  events: { unique: { name: `n || '${long(90)}'` } },
  webhooks: { values: { endpoint: `https://${long(50)}.example.com/${long(1_900)}` } },
  webhook_messages: {},
  oauth_grants: {},
  sessions: { values: { person: long(200), browser: long(300) }, unique: { digest: 'md5(n::text)' } },
}

/** The team must have one record of each kind, such as `recordsOf(service).oneOfEach()` makes them. */
export async function makeOverfull({ database, teamId }: Pick<TestService, 'database' | 'teamId'>): Promise<void> {
  for (const [table, { values = {}, unique = {} }] of Object.entries(TABLES)) {
    // Partitions are by the time in an id, which stays.
    const changed = Object.entries({ id: "left(t.id::text, 24) || lpad(to_hex(n), 12, '0')", ...unique })
    const sql = changed.map(([name, expression]) => `'${name}', ${expression}`).join(', ')
    await database.execute(
      `insert into ${table} select (jsonb_populate_record(t, $2::jsonb || jsonb_build_object(${sql}))).*
       from ${table} t, generate_series(1, ${COPIES}) n
       where team_id = $1 and id = (select id from ${table} where team_id = $1 order by created_at desc, id desc limit 1)`,
      [teamId, JSON.stringify(values)],
    )
  }
  await database.execute('update oauth_clients set name = $1', [long(200)])
  await database.execute('update teams set name = $2 where id = $1', [teamId, long(100)])
}
