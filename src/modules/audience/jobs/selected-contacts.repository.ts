// Turns what a job names into bounded batches of ids of contacts, in one order; in SQL, because filters and searches become conditions.
import { type BoundedQueries, CONTACTS_SEARCHED_MAX } from '../../../db/bounded-queries.ts'
import type { Database, Execute } from '../../../db/database.ts'
import { Failure } from '../../../lib/failure.ts'
import { HIGHEST_ID, LOWEST_ID } from '../../../lib/ids.ts'
import { partOfContactAddress } from '../../../mail/address-forms.ts'
import { patternOf } from '../contacts/contact-rows.repository.ts'
import { nextStretch } from '../segments/audience.repository.ts'
import type { FilterRule, StoredRule } from '../segments/filters/segment-rules.ts'
import type { BoundedCount, segmentMemberRepository } from '../segments/segment-members.repository.ts'
import type { RecipientGroup } from './contact-jobs.schema.ts'

/** `given`: the filter as the client wrote it. */
export type StoredSelection =
  | { kind: 'ids'; count: number }
  | { kind: 'all' }
  | { kind: 'segment'; segmentId: string }
  | { kind: 'search'; search: string }
  | { kind: 'filter'; filter: StoredRule; given: FilterRule }
  | { kind: 'broadcast'; broadcastId: string; recipients: RecipientGroup }

/** `through`: everything up to this id has been looked at. The batch may be empty. */
export type SelectedBatch = { ids: string[]; through: string }

/** Contacts after a place, up to another. Of a broadcast, a place is the id of an email. */
type Range = { after: string; upTo: string }

/** What broadcasts know of their recipients. */
export type RecipientSelection = {
  exists(teamId: string, broadcastId: string): Promise<boolean>
  /** Recipients follow in the order of their emails. */
  next(
    execute: Execute,
    broadcast: { teamId: string; broadcastId: string; recipients: RecipientGroup },
    range: Range & { emailsMax: number },
  ): Promise<SelectedBatch | null>
}

/** Contacts that are looked at together: what is found among them is one transaction. */
const BATCH_MAX = 2_000
const BATCH_MS_MAX = 5_000

type Dependencies = {
  quickCounts: BoundedQueries
  segmentMembers: Pick<ReturnType<typeof segmentMemberRepository>, 'countSoon'>
  recipientSelection: RecipientSelection
  batchMax?: number
}

export function selectedContactRepository(
  { execute, transaction }: Pick<Database, 'execute' | 'transaction'>,
  { quickCounts, segmentMembers, recipientSelection, batchMax = BATCH_MAX }: Dependencies,
) {
  return {
    hasBroadcast: recipientSelection.exists,

    /** The next ones; null at the end. `gone`: what it names was deleted. */
    next(teamId: string, jobId: string, selection: StoredSelection, range: Range): Promise<SelectedBatch | null | 'gone'> {
      return transaction(
        async (inside) => {
          await inside(`set local statement_timeout = ${BATCH_MS_MAX}`)
          switch (selection.kind) {
            case 'ids':
              return lastOf(await inside(NAMED, [teamId, jobId, range.after, batchMax]))
            case 'all':
              return lastOf(await inside(ALL, [teamId, range.after, range.upTo, batchMax]))
            case 'search':
              return onlyBatch(await inside(FOUND, [teamId, range.after, range.upTo, batchMax, ...patternsOf(selection.search)]))
            case 'broadcast':
              return recipientSelection.next(inside, { teamId, ...selection }, { ...range, emailsMax: batchMax })
            case 'filter':
              return stretch(inside, teamId, { id: '', filter: selection.filter }, range)
            case 'segment': {
              const [segment] = await inside<{ id: string; filter: StoredRule | null }>(SEGMENT, [teamId, selection.segmentId])
              return segment ? stretch(inside, teamId, segment, range) : 'gone'
            }
          }
        },
        { readsOneMoment: true },
      )
    },

    /**
     * How many there are, as far as they can be counted while someone waits.
     * @throws Failure if too many filters are being run already
     */
    async count(teamId: string, selection: StoredSelection): Promise<BoundedCount> {
      switch (selection.kind) {
        case 'ids':
          return { contacts: selection.count, isAll: true }
        case 'all':
          return countBy(teamId, 'true', [teamId])
        case 'search':
          return countBy(teamId, matches(2), [teamId, ...patternsOf(selection.search)])
        case 'filter':
          return segmentMembers.countSoon(teamId, { id: '', filter: selection.filter })
        case 'segment': {
          const [segment] = await execute<{ id: string; filter: StoredRule | null }>(SEGMENT, [teamId, selection.segmentId])
          return segment ? segmentMembers.countSoon(teamId, segment) : { contacts: 0, isAll: true }
        }
        case 'broadcast':
          return countRecipients(teamId, selection)
      }
    },
  }

  async function stretch(inside: Execute, teamId: string, segment: { id: string; filter: StoredRule | null }, range: Range) {
    const audience = { segment, topic: null, ...range, isEveryone: true }
    const next = await nextStretch(inside, teamId, audience, { contactsMax: batchMax, suppressed: 'marked' })
    if (!next) return null
    const rows = await inside<{ id: string }>(next.text, next.values)
    return { ids: rows.map(({ id }) => id), through: next.through }
  }

  async function countBy(teamId: string, condition: string, values: unknown[]): Promise<BoundedCount> {
    const among = (contacts: string) => `select count(*)::int as contacts from ${contacts} c where c.team_id = $1 and ${condition}`
    const newest = `(select * from contacts where team_id = $1 order by id desc limit ${CONTACTS_SEARCHED_MAX})`
    return asFarAsSoon(async (isQuick) => {
      const sql = among(isQuick ? 'contacts' : newest)
      const [row] = await quickCounts.run(teamId, (counting) => counting<{ contacts: number }>(sql, values))
      return row?.contacts ?? 0
    })
  }

  /** Some thousands, because each is an email with what its recipient did. */
  function countRecipients(teamId: string, { broadcastId, recipients }: { broadcastId: string; recipients: RecipientGroup }) {
    return quickCounts.run(teamId, async (counting): Promise<BoundedCount> => {
      let contacts = 0
      let after: string | null = LOWEST_ID
      const endsAt = performance.now() + RECIPIENTS_COUNTED_MS
      while (after !== null && performance.now() < endsAt) {
        const range = { after, upTo: HIGHEST_ID, emailsMax: RECIPIENTS_COUNTED_AT_ONCE }
        const batch: SelectedBatch | null = await recipientSelection.next(counting, { teamId, broadcastId, recipients }, range)
        contacts += batch?.ids.length ?? 0
        after = batch?.through ?? null
      }
      return { contacts, isAll: after === null }
    })
  }
}

const RECIPIENTS_COUNTED_MS = 700
const RECIPIENTS_COUNTED_AT_ONCE = 5_000

/** All of them, or else at least as many as are among the newest. */
async function asFarAsSoon(count: (isQuick: boolean) => Promise<number>): Promise<BoundedCount> {
  try {
    return { contacts: await count(true), isAll: true }
  } catch (error) {
    if (!(error instanceof Failure && error.kind === 'validation')) throw error
    return { contacts: await count(false), isAll: false }
  }
}

const patternsOf = (search: string): string[] => [patternOf(partOfContactAddress(search)), patternOf(search)]

/** As the search of the list of contacts (contact-rows.repository.ts). */
const matches = (first: number): string => `(email like $${first} or concat_ws(' ', first_name, last_name) ilike $${first + 1})`

const lastOf = (rows: { id: string }[]): SelectedBatch | null => {
  const ids = rows.map(({ id }) => id)
  const through = ids.at(-1)
  return through === undefined ? null : { ids, through }
}

const onlyBatch = ([row]: { ids: string[]; through: string | null }[]): SelectedBatch | null =>
  row && row.through !== null ? { ids: row.ids, through: row.through } : null

const SEGMENT = 'select id, filter from segments where team_id = $1 and id = $2'

const NAMED = `
select n.id from contact_jobs j cross join lateral unnest(j.contact_ids) as n(id)
 where j.team_id = $1 and j.id = $2 and n.id > $3::uuid order by n.id limit $4`

const ALL = 'select id from contacts where team_id = $1 and id > $2::uuid and id <= $3::uuid order by id limit $4'

const FOUND = `
with read as materialized (
  select id, email, first_name, last_name from contacts where team_id = $1 and id > $2::uuid and id <= $3::uuid order by id limit $4
)
select (select id from read order by id desc limit 1) as through, array(select id from read where ${matches(5)} order by id) as ids`
