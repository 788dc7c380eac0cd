// Turns a segment into bounded batches of the contacts who may get mail: members who have neither unsubscribed nor are suppressed, and are
// subscribed to the topic; in SQL, because it reads thousands at a time.

import type { Database, Execute } from '../../../db/database.ts'
import { HIGHEST_ID, LOWEST_ID } from '../../../lib/ids.ts'
import { SUPPRESSION_OF_CONTACT } from '../../suppressions/suppression-changes.repository.ts'
import type { Subscription } from '../audience-fields.ts'
import type { ContactRow } from '../contacts/contact-rows.repository.ts'
import { filterSql, judgedFilterSql, type Stretch } from './filters/segment-filters.sql.ts'
import type { StoredRule } from './filters/segment-rules.ts'
import type { SegmentToRead } from './segment-members.repository.ts'

/** Members that are read at a time, and so the most that a batch can hold. They are in memory together, with everything that is known of them. */
const AUDIENCE_BATCH = 2_000
/** For one batch, not for all. */
const BATCH_MS_MAX = 5_000
/** Members that are counted at a time. */
const COUNT_BATCH = 10_000
/** If fewer contacts than one in this many are in the segment, each is looked up; otherwise the whole range is read. */
const SPARSE_FROM = 4

export type AudienceContact = Pick<ContactRow, 'id' | 'email' | 'firstName' | 'lastName' | 'properties'>

export type Audience = {
  segment: SegmentToRead
  topic: { id: string; defaultSubscription: Subscription } | null
  /** All who are in the segment, also those who get no mail: for acts that send none. */
  isEveryone?: boolean
  /** Continues after this contact, which need not exist. */
  after?: string
  /** Ends with this contact, which need not exist. */
  upTo?: string
}

const ONE_MOMENT = { readsOneMoment: true }

/** `through`: all contacts up to this one have been processed, including those that are not in the batch. The batch may be empty. */
export type AudienceBatch = { contacts: AudienceContact[]; through: string }

export function audienceRepository(
  { transaction }: Pick<Database, 'transaction'>,
  { batchSize = AUDIENCE_BATCH }: { batchSize?: number } = {},
) {
  const read = (teamId: string, audience: Audience, after: string): Promise<AudienceBatch | null> =>
    transaction(async (inside) => {
      await inside(`set local statement_timeout = ${BATCH_MS_MAX}`)
      const stretch = await nextStretch(inside, teamId, { ...audience, after }, { contactsMax: batchSize, suppressed: 'left out' })
      if (!stretch) return null
      return { contacts: await inside<AudienceContact>(stretch.text, stretch.values), through: stretch.through }
    }, ONE_MOMENT)

  return {
    /**
     * How many contacts would get mail, the suppressed ones included. `counted`: those whose domain is none of these. More than `max` are not counted to their end.
     */
    async count(
      teamId: string,
      audience: Omit<Audience, 'after'>,
      { max, uncountedDomains }: { max: number; uncountedDomains: readonly string[] },
    ): Promise<{ contacts: number; counted: number }> {
      const sum = { contacts: 0, counted: 0 }
      let after: string | null = LOWEST_ID
      while (after !== null && sum.counted <= max) {
        const from: string = after
        after = await transaction(async (inside) => {
          await inside(`set local statement_timeout = ${BATCH_MS_MAX}`)
          const stretch = await nextStretch(
            inside,
            teamId,
            { ...audience, after: from },
            { contactsMax: COUNT_BATCH, suppressed: 'marked' },
          )
          if (!stretch) return null
          const values = [...stretch.values, uncountedDomains]
          const [row] = await inside<{ contacts: number; counted: number }>(
            `select count(*)::int as contacts, (count(*) filter (where substring(email from '[^@]*$') <> all($${values.length}::text[])))::int as counted
               from (${stretch.text}) audience`,
            values,
          )
          sum.contacts += row?.contacts ?? 0
          sum.counted += row?.counted ?? 0
          return stretch.through
        }, ONE_MOMENT)
      }
      return sum
    },

    /** Oldest first. The next batch is read while the caller processes this one; no transaction waits for the caller. */
    async *resolve(teamId: string, audience: Audience): AsyncGenerator<AudienceBatch, void, undefined> {
      let batch = await read(teamId, audience, audience.after ?? LOWEST_ID)
      while (batch !== null) {
        const next = read(teamId, audience, batch.through)
        // If the caller takes no further batch, its error is ignored.
        next.catch(() => {})
        yield batch
        batch = await next
      }
    },
  }
}

/** The next contacts as a query of `id`, `email`, `firstName`, `lastName`, `properties`, in the order of ids. `through`: the last one that it judges. */
export type AudienceStretch = { text: string; values: unknown[]; through: string }

type StretchOptions = {
  /** How many contacts are judged. */
  contactsMax: number
  /** `marked`: they are in it, and `suppressedBy` says why; null for all others. */
  suppressed: 'left out' | 'marked'
  /** Who unsubscribed, or is not subscribed to the topic. `marked`: they are in it, and `isSubscribed` and `isInTopic` tell them apart. */
  optedOut?: 'left out' | 'marked'
}

/**
 * For a transaction that has one view of the tables for all statements, so that what is counted is what is read. Sets how the query is planned.
 *
 * @returns null if there are no more contacts.
 */
export async function nextStretch(
  inside: Execute,
  teamId: string,
  audience: Audience & { after: string },
  { contactsMax, suppressed, optedOut = 'left out' }: StretchOptions,
): Promise<AudienceStretch | null> {
  await inside(PLANNING)
  const { after, upTo = HIGHEST_ID } = audience
  const { id, filter } = audience.segment
  const place = [filter === null ? id : teamId, after, upTo, contactsMax]
  const [last] = await inside<{ id: string; count: number }>(filter === null ? LAST_MEMBER : LAST_CONTACT, place)
  if (!last) return null
  const range = { after, through: last.id }
  const count = filter === null ? await countContacts(inside, teamId, range, SPARSE_FROM * contactsMax) : last.count
  const shown =
    suppressed === 'marked'
      ? { columns: `${COLUMNS}, ${SUPPRESSION_OF_CONTACT} as "suppressedBy"`, condition: 'true', optedOut }
      : { columns: COLUMNS, condition: `${SUPPRESSION_OF_CONTACT} is null`, optedOut }
  const query =
    count === null
      ? await lookUp(inside, teamId, audience, range, shown)
      : await readStretch(inside, teamId, audience, { after, count }, shown)
  return { ...query, through: last.id }
}

/** What is read of the contacts, and which of them. */
type Shown = { columns: string; condition: string; optedOut: 'left out' | 'marked' }

/** Contacts after one id, up to another. */
type Range = { after: string; through: string }

const PLANNING = 'set local jit = off; set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_hashjoin = off'

const LAST_MEMBER = `
select id, count from (
  select contact_id as id, (count(*) over ())::int as count from (
    select contact_id from contact_segments where segment_id = $1 and contact_id > $2 and contact_id <= $3 order by contact_id limit $4
  ) m
) n order by id desc limit 1`
const LAST_CONTACT = `
select id, count from (
  select id, (count(*) over ())::int as count from (select id from contacts where team_id = $1 and id > $2 and id <= $3 order by id limit $4) c
) n order by id desc limit 1`

/** Null if there are more. */
async function countContacts(execute: Execute, teamId: string, { after, through }: Range, countMax: number): Promise<number | null> {
  const [row] = await execute<{ count: number }>(
    `select count(*)::int as count from (select from contacts where team_id = $1 and id > $2 and id <= $3 order by id limit $4) c`,
    [teamId, after, through, countMax + 1],
  )
  return row === undefined || row.count > countMax ? null : row.count
}

/**
 * The next contacts and the lists beside them, in the order of ids, each read once. They are given as counts, because PostgreSQL cannot tell how
 * many ids lie between two of them, and would join ranges in a quadratic way.
 */
async function readStretch(
  execute: Execute,
  teamId: string,
  audience: Audience,
  { after, count }: { after: string; count: number },
  shown: Shown,
): Promise<{ text: string; values: unknown[] }> {
  await execute('set local enable_mergejoin = on; set local enable_nestloop = off')
  const values = [teamId, after, count]
  const { filter, id } = audience.segment
  const { joins, condition, marks } = choose(filter ?? { segment: id, member: true }, audience, {
    values,
    optedOut: shown.optedOut,
    stretch: { after: '$2', count: '$3' },
  })
  const text = `select ${shown.columns}${marks} from (select * from contacts where team_id = $1 and id > $2 order by id limit $3) c
      ${joins} where ${condition} and ${shown.condition} order by c.id`
  return { text, values }
}

/** One probe of an index for each member and list. */
async function lookUp(
  execute: Execute,
  teamId: string,
  audience: Audience,
  { after, through }: Range,
  shown: Shown,
): Promise<{ text: string; values: unknown[] }> {
  await execute('set local enable_mergejoin = off; set local enable_nestloop = on')
  const values = [teamId, after, through, audience.segment.id]
  const { joins, condition, marks } = choose(null, audience, { values, optedOut: shown.optedOut })
  const text = `select ${shown.columns}${marks} from
        (select contact_id from contact_segments where segment_id = $4 and contact_id > $2 and contact_id <= $3 order by contact_id offset 0) m
        join contacts c on c.id = m.contact_id ${joins}
      where c.team_id = $1 and ${condition} and ${shown.condition} order by c.id`
  return { text, values }
}

/** Who must be subscribed to what. Both uses of it say the same of a contact: a broadcast goes to those who were counted. */
const audienceConditions = ({ topic, isEveryone = false }: Audience): { isSubscribed?: StoredRule; isInTopic?: StoredRule } => ({
  ...(!isEveryone && { isSubscribed: { field: 'unsubscribed', operator: 'equals', value: false } }),
  ...(topic && { isInTopic: { topic: topic.id, subscription: 'opt_in', default: topic.defaultSubscription } }),
})

type Choice = { joins: string; condition: string; marks: string }

/** Leaves out who opted out, or marks them in columns of their own. `segment`: null if all contacts that are read are members. */
function choose(
  segment: StoredRule | null,
  audience: Audience,
  { values, optedOut, stretch }: { values: unknown[]; optedOut: 'left out' | 'marked'; stretch?: Stretch },
): Choice {
  const rules = audienceConditions(audience)
  const members = segment === null ? [] : [segment]
  if (optedOut === 'left out') {
    const all = [...Object.values(rules), ...members]
    return { ...(all.length > 0 ? filterSql({ all }, values, stretch) : { joins: '', condition: 'true' }), marks: '' }
  }
  const { joins, condition, holds } = judgedFilterSql({ all: members }, { rules, values, stretch })
  const marks = ['isSubscribed', 'isInTopic'].map((name) => {
    const rule = holds.find((one) => one.name === name)
    return `, ${rule ? rule.condition : 'true'} as "${name}"`
  })
  return { joins, condition: members.length > 0 ? condition : 'true', marks: marks.join('') }
}

const COLUMNS = 'c.id, c.email, c.first_name as "firstName", c.last_name as "lastName", c.properties'
