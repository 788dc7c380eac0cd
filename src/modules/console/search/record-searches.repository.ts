// Finding any record of a team by its id, its address, its name or its Message-ID; in SQL, because one statement looks into all tables.
import type { BoundedQueries } from '../../../db/bounded-queries.ts'
import { LOWEST_ID } from '../../../lib/ids.ts'
import { escaped, isOfTeamTo, NEWEST_OF_TEAM } from '../../emails/email-searches.repository.ts'
import type { FoundType } from './found-types.ts'
import { FOUND_PER_TYPE_MAX, NAMES_SEARCHED_MAX, SEARCHED_NEWEST_MAX } from './search-limits.ts'

export type FoundRecord = {
  type: FoundType
  id: string
  title: string
  /** What tells it from others with the same title; null if nothing does. */
  subtitle: string | null
  /** The record that it belongs to, where its page is; null if it has a page of its own. */
  parentId: string | null
  createdAt: Date
}

type Kind = {
  table: string
  title: string
  subtitle?: string
  /** Found by a part of this. */
  named?: string
  /** Which of them still exist. */
  isKept?: string
}

/** What keeps mail from a contact, looked up for those that are shown. Each role that reads contacts reads suppressions. */
const CONTACT_STATE = `case
  when exists (select from suppressions s where s.team_id = contacts.team_id and s.email = contacts.email) then 'suppressed'
  when unsubscribed then 'unsubscribed' end`

const KINDS: Partial<Record<FoundType, Kind>> = {
  contact: {
    table: 'contacts',
    title: 'email',
    subtitle: `concat_ws(' · ', nullif(concat_ws(' ', first_name, last_name), ''), ${CONTACT_STATE})`,
  },
  email: { table: 'emails', title: 'subject', subtitle: `array_to_string("to", ', ')` },
  received_email: { table: 'received_emails', title: "coalesce(subject, '')", subtitle: '"from"' },
  domain: { table: 'domains', title: 'name', subtitle: 'status', named: 'name' },
  broadcast: { table: 'broadcasts', title: 'name', subtitle: 'status', named: 'name' },
  template: { table: 'templates', title: 'name', subtitle: 'alias', named: "concat_ws(' · ', name, alias)" },
  automation: { table: 'automations', title: 'name', subtitle: 'status', named: 'name', isKept: 'deleted_at is null' },
  segment: { table: 'segments', title: 'name', named: 'name' },
  topic: { table: 'topics', title: 'name', named: 'name' },
  contact_property: { table: 'contact_properties', title: 'key', subtitle: 'type', named: 'key' },
  webhook: { table: 'webhooks', title: "coalesce(endpoint, 'Feed only')", subtitle: 'status', named: "coalesce(endpoint, 'Feed only')" },
  event: { table: 'events', title: 'name', named: 'name' },
  api_key: { table: 'api_keys', title: 'name', subtitle: 'permission', named: 'name' },
  suppression: { table: 'suppressions', title: 'email', subtitle: 'origin' },
  log: { table: 'request_logs', title: "method || ' ' || endpoint", subtitle: 'response_status::text' },
  contact_import: {
    table: 'contact_imports',
    title: "coalesce(file_name, 'Import of ' || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD'))",
    subtitle: 'status',
    named: 'file_name',
  },
  oauth_grant: { table: 'oauth_grants', title: '(select c.name from oauth_clients c where c.id = oauth_grants.client_id)' },
}

/** Nothing longer is compared, because subjects and addresses of webhooks may be long. */
const NAME_LENGTH_MAX = 300

export type FoundRecords = { rows: FoundRecord[]; isComplete: boolean }
/** `address`: the words in the form of contacts' addresses. `messageId`: in angle brackets, if they may be one. */
type Words = { words: string; address: string; messageId: string | null }

export function recordSearchRepository({ searches }: { searches: BoundedQueries }) {
  return {
    /** The record of the team with this id, if it is of one of these types. */
    byId: (teamId: string, id: string, types: readonly FoundType[]): Promise<FoundRecord[]> => {
      const sql = types.map((type) => BY_ID[type]).join(' union all\n')
      return sql === '' ? Promise.resolve([]) : searches.run(teamId, (searching) => searching<FoundRecord>(sql, [teamId, id]))
    },

    /** Records with this in their name, of contacts and mail the newest, and those whose address begins with it, or is it, at most `FOUND_PER_TYPE_MAX` of each type. */
    byName(teamId: string, { words, address, messageId }: Words, types: readonly FoundType[]): Promise<FoundRecords> {
      const sql = types.flatMap((type) => BY_NAME[type] ?? []).join(' union all\n')
      if (sql === '') return Promise.resolve({ rows: [], isComplete: true })
      const values = [teamId, `%${escaped(words)}%`, address, afterAll(address), messageId]
      return searches.run(teamId, async (searching, inside) => {
        await inside(BY_INDEX)
        const rows = await searching<FoundRecord>(`with ${VALUES}\n${sql}`, values)
        const [more] = await searching<{ hasMore: boolean }>(HAS_MORE, [
          teamId,
          types.includes('email'),
          types.includes('received_email'),
          types.includes('contact'),
          types.includes('contact_import'),
        ])
        return bounded(inOrder(rows, types), more?.hasMore ?? false)
      })
    },
  }
}

/** A person before the mail to that person. */
const inOrder = (rows: FoundRecord[], types: readonly FoundType[]): FoundRecord[] =>
  rows.toSorted((one, other) => types.indexOf(one.type) - types.indexOf(other.type))

function bounded(rows: FoundRecord[], isCut: boolean): FoundRecords {
  const kept = [...Map.groupBy(rows, ({ type }) => type).values()].map((all) => {
    const known = new Set<string>()
    return all.filter(({ id }) => !known.has(id) && known.add(id))
  })
  return {
    rows: kept.flatMap((all) => all.slice(0, FOUND_PER_TYPE_MAX)),
    isComplete: !isCut && kept.every(({ length }) => length <= FOUND_PER_TYPE_MAX),
  }
}

/** A bitmap would read all records of a type, and then sort them. */
const BY_INDEX = 'set local enable_bitmapscan = off; set local enable_seqscan = off; set local jit = off'

/** Greater than every text that begins with this one. */
const afterAll = (beginning: string): string => `${beginning}\u{10ffff}`

/** Every value has its type, whatever the types that are searched leave of the statement. */
const VALUES = 'given as (select $1::uuid, $2::text, $3::text, $4::text, $5::text)'

const columnsOf = (type: FoundType, { title, subtitle = 'null' }: Kind): string =>
  `'${type}' as type, id, left(${title}, ${NAME_LENGTH_MAX}) as title, nullif(left(${subtitle}, ${NAME_LENGTH_MAX}), '') as subtitle, null::uuid as "parentId", created_at as "createdAt"`

const kinds = Object.entries(KINDS) as [FoundType, Kind][]

const BY_ID: Partial<Record<FoundType, string>> = {
  ...Object.fromEntries(
    kinds.map(([type, kind]) => [
      type,
      `select ${columnsOf(type, kind)} from ${kind.table} where team_id = $1 and id = $2::uuid and ${kind.isKept ?? 'true'}`,
    ]),
  ),
  automation_run: `select 'automation_run', r.id, a.name, r.status, a.id, r.created_at from automation_runs r join automations a on a.id = r.automation_id where a.team_id = $1 and a.deleted_at is null and r.id = $2::uuid`,
  webhook_event: `select 'webhook_event', m.id, m.type, null, w.id, m.created_at from webhooks w join webhook_messages m on m.webhook_id = w.id and m.id = $2::uuid where w.team_id = $1`,
}

const kindOf = (type: FoundType): Kind => KINDS[type] ?? { table: type, title: 'null' }

/** One more than is shown, so that one sees whether there are more. */
const LIMIT = FOUND_PER_TYPE_MAX + 1

const byNames = (type: FoundType, kind: Kind): string => `
(select type, id, title, subtitle, "parentId", "createdAt" from (
  select ${columnsOf(type, kind)}, left(${kind.named}, ${NAME_LENGTH_MAX}) as named from ${kind.table}
   where team_id = $1 and ${kind.isKept ?? 'true'} order by id desc limit ${NAMES_SEARCHED_MAX}
) k where named ilike $2 order by id desc limit ${LIMIT})`

/** The newest contacts, by their name. The state of each is looked up only for those that are found. */
const CONTACTS_BY_NAME = `
(select ${columnsOf('contact', kindOf('contact'))} from (
  select id as contact_id from (
    select id, left(concat_ws(' ', first_name, last_name), ${NAME_LENGTH_MAX}) as named from contacts
     where team_id = $1 order by id desc limit ${SEARCHED_NEWEST_MAX}
  ) k where named ilike $2 order by id desc limit ${LIMIT}
) n cross join lateral (select * from contacts where team_id = $1 and contacts.id = n.contact_id offset 0) contacts order by id desc)`

/** The newest mail, by what it says of itself. */
const amongNewest = (type: FoundType, parts: string): string => `
(select type, id, title, subtitle, "parentId", "createdAt" from (
  select ${columnsOf(type, kindOf(type))}, left(${parts}, ${NAME_LENGTH_MAX}) as compared from ${kindOf(type).table}
   where team_id = $1 order by id desc limit ${SEARCHED_NEWEST_MAX}
) k where title ilike $2 or compared ilike $2 order by id desc limit ${LIMIT})`

/** Mail that an index finds, however old it is. `offset 0` makes it one lookup of an email for each recipient. */
const TO_ADDRESS = `
(select ${columnsOf('email', kindOf('email'))} from (
  select distinct email_id from (
    select email_id from recipients
     where ${isOfTeamTo({ team: '$1::uuid', address: '$3::text', from: `'${LOWEST_ID}'`, before: "'ffffffff-ffff-ffff-ffff-ffffffffffff'" })}
     order by ${NEWEST_OF_TEAM} limit ${LIMIT}
  ) r
) a cross join lateral (select * from emails where team_id = $1 and id = a.email_id offset 0) e order by id desc)`

const received = columnsOf('received_email', kindOf('received_email'))

/** The walk of each type is by the index of its list. That of addresses is by the index that keeps them apart, in the order of their characters. */
const BY_NAME: Partial<Record<FoundType, string[]>> = {
  contact: [
    `
(select ${columnsOf('contact', kindOf('contact'))} from contacts
  where team_id = $1 and $3 <> '' and email >= $3 and email < $4 and starts_with(email, $3) order by email limit ${LIMIT})`,
    CONTACTS_BY_NAME,
  ],
  suppression: [`(select ${columnsOf('suppression', kindOf('suppression'))} from suppressions where team_id = $1 and email = $3)`],
  ...Object.fromEntries(kinds.filter(([, { named }]) => named !== undefined).map(([type, kind]) => [type, [byNames(type, kind)]])),
  email: [TO_ADDRESS, amongNewest('email', `array_to_string("to", ' ')`)],
  received_email: [
    `(select ${received} from received_emails where team_id = $1 and message_id is not null and hashtextextended(message_id, 0) = hashtextextended($5, 0) and message_id = $5 limit ${LIMIT})`,
    `(select ${received} from received_emails where team_id = $1 and lower("from") = $3 order by id desc limit ${LIMIT})`,
    amongNewest('received_email', '"from"'),
  ],
}

const hasMore = (table: string, max = SEARCHED_NEWEST_MAX): string =>
  `(select count(*) from (select from ${table} where team_id = $1 limit ${max + 1}) m) > ${max}`

const HAS_MORE = `select ($2 and ${hasMore('emails')}) or ($3 and ${hasMore('received_emails')}) or ($4 and ${hasMore('contacts')})
  or ($5 and ${hasMore('contact_imports', NAMES_SEARCHED_MAX)}) as "hasMore"`
