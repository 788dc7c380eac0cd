// Finding any record of a team by its id, its address or its name; in SQL, because one statement looks into all tables.
import type { BoundedQueries } from '../../db/bounded-queries.ts'
import { statement } from '../../db/database.ts'

/** `parentId`: the record that it belongs to, where its page is; null if it has a page of its own. */
export type FoundRecord = { kind: RecordKind; id: string; name: string; parentId: string | null }

/** What each is called in a list, and how its table is. Those with `isNamed` are found by a part of their name. `isKept`: which of them still exist. */
const KINDS = {
  contact: { table: 'contacts', name: 'email', isNamed: false },
  domain: { table: 'domains', name: 'name', isNamed: true },
  broadcast: { table: 'broadcasts', name: 'name', isNamed: true },
  template: { table: 'templates', name: "concat_ws(' · ', name, alias)", isNamed: true },
  automation: { table: 'automations', name: 'name', isNamed: true, isKept: 'deleted_at is null' },
  segment: { table: 'segments', name: 'name', isNamed: true },
  topic: { table: 'topics', name: 'name', isNamed: true },
  property: { table: 'contact_properties', name: 'key', isNamed: true },
  webhook: { table: 'webhooks', name: "coalesce(endpoint, 'Feed only')", isNamed: true },
  event: { table: 'events', name: 'name', isNamed: true },
  'API key': { table: 'api_keys', name: 'name', isNamed: true },
  email: { table: 'emails', name: 'subject', isNamed: false },
  suppression: { table: 'suppressions', name: 'email', isNamed: false },
  log: { table: 'request_logs', name: "method || ' ' || endpoint", isNamed: false },
  'received email': { table: 'received_emails', name: 'subject', isNamed: false },
  import: { table: 'contact_imports', name: "'Import of ' || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')", isNamed: false },
  grant: { table: 'oauth_grants', name: '(select c.name from oauth_clients c where c.id = oauth_grants.client_id)', isNamed: false },
} as const

export type RecordKind = keyof typeof KINDS | 'run' | 'webhook event'

/** The limit for each kind. */
export const FOUND_PER_KIND_MAX = 5
/** The records of one kind that a search reads: those that teams may have, and of API keys the newest. */
const SEARCHED_MAX = 10_000
/** Nothing longer is compared, because subjects and addresses of webhooks may be long. */
const NAME_LENGTH_MAX = 300

export function recordSearchRepository({ searches }: { searches: BoundedQueries }) {
  return {
    /** The record of the team with this id, of whatever kind. */
    byId: (teamId: string, id: string): Promise<FoundRecord[]> =>
      searches.run(teamId, (searching) => searching<FoundRecord>(BY_ID, [teamId, id])),

    /**
     * Records with this in their name, and contacts whose address begins with it, at most `FOUND_PER_KIND_MAX` of each kind.
     *
     * @param address the same in the form of contacts' addresses
     */
    byName(teamId: string, { words, address }: { words: string; address: string }): Promise<FoundRecord[]> {
      const pattern = `%${words.replace(/[\\%_]/g, '\\$&')}%`
      return searches.run(teamId, async (searching, inside) => {
        await inside(BY_INDEX)
        return searching<FoundRecord>(BY_NAME, [teamId, pattern, address, afterAll(address)])
      })
    },
  }
}

/** A bitmap would read all records of a kind, and then sort them. */
const BY_INDEX = 'set local enable_bitmapscan = off; set local enable_seqscan = off; set local jit = off'

/** Greater than every text that begins with this one. */
const afterAll = (beginning: string): string => `${beginning}\u{10ffff}`

const entries = Object.entries<{ table: string; name: string; isNamed: boolean; isKept?: string }>(KINDS)

const BY_ID = statement(
  'find a record by its id',
  `
${entries
  .map(
    ([kind, { table, name, isKept = 'true' }]) =>
      `select '${kind}' as kind, id, left(${name}, ${NAME_LENGTH_MAX}) as name, null::uuid as "parentId" from ${table} where team_id = $1 and id = $2::uuid and ${isKept}`,
  )
  .join(' union all\n')} union all
select 'run', r.id, a.name, a.id from automation_runs r join automations a on a.id = r.automation_id where a.team_id = $1 and a.deleted_at is null and r.id = $2::uuid union all
select 'webhook event', m.id, m.type, w.id from webhooks w join webhook_messages m on m.webhook_id = w.id and m.id = $2::uuid where w.team_id = $1`,
)

/** The walk of each kind is by the index of its list. That of addresses is by the index that keeps them apart, in the order of their characters. */
const BY_NAME = statement(
  'find records by their names',
  `
(select 'contact' as kind, id, email as name, null::uuid as "parentId" from contacts
  where team_id = $1 and $3 <> '' and email >= $3 and email < $4 and starts_with(email, $3) order by email limit ${FOUND_PER_KIND_MAX})
${entries
  .filter(([, { isNamed }]) => isNamed)
  .map(
    ([kind, { table, name, isKept = 'true' }]) => `union all
(select '${kind}', id, name, null from (
  select id, left(${name}, ${NAME_LENGTH_MAX}) as name from ${table} where team_id = $1 and ${isKept} order by id desc limit ${SEARCHED_MAX}
) k where name ilike $2 order by id desc limit ${FOUND_PER_KIND_MAX})`,
  )
  .join('\n')}`,
)
