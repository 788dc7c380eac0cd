// What a search for emails asks the database; in SQL, because it reads the newest ones at a place by the index of that place, and keeps those that match.
import { idBoundOfAny, idTime } from '../../lib/ids.ts'
import { escaped, isOfTeamTo, NEWEST_OF_TEAM, OLDEST_OF_TEAM, sendersOfDomain } from '../addressed.ts'
import { type Walk, walkOf } from '../page.ts'

/** What is null matches anything. */
export type EmailSearch = {
  /** A part of the subject or of an address, in upper or lower case. */
  words: string | null
  /** The state of the email as a whole, or of one of its recipients. */
  state: string | null
  /** The address of a recipient, in lower case. */
  to: string | null
  /** The id of the broadcast that it is a part of. */
  broadcast: string | null
  /** A part of the subject. */
  subject?: string | null
  /** The address of the sender, in lower case. */
  from?: string | null
  /** The domain of the sender, in lower case. */
  domain: string | null
  /** Null as a value means any. */
  tag: { name: string; value: string | null } | null
  /** When it was accepted: from the first moment on, and before the second. */
  since: Date | null
  until: Date | null
  after: string | null
  /** The next ones that are newer than this, instead. */
  before?: string | null
  limit: number
}

type Ask = [sql: string, values: unknown[]]

/** The emails of the team that match, in the order of the walk, among as many as may be read: their ids, and one more than the limit. */
export function searchStatement(teamId: string, sought: EmailSearch, readMax: number): Ask {
  const { words, state, broadcast, tag, subject = null, limit } = sought
  const walk = walkTo(sought)
  const tags = tag === null ? null : JSON.stringify([{ name: tag.name, ...(tag.value !== null && { value: tag.value }) }])
  const matching = [partOf(words), state, sendersOf(sought), tags, broadcast, partOf(subject), limit + 1]
  return [SEARCHES[walk.order][placeOf(sought)], [...placeValues(teamId, sought, { walk, readMax }), ...matching]]
}

/** The last two of the emails that may be read: the ids, and when they were accepted. One or none if there are not so many. */
export function endStatement(teamId: string, sought: EmailSearch, readMax: number): Ask {
  const walk = walkTo(sought)
  return [ENDS[walk.order][placeOf(sought)], placeValues(teamId, sought, { walk, readMax })]
}

const walkTo = ({ after, before = null, since, until }: EmailSearch): Walk => walkOf({ after, before }, { since, until })

const partOf = (text: string | null): string | null => (text === null ? null : `%${escaped(text)}%`)

/** As a sender is written: an address alone, or in angle brackets after a name. */
function sendersOf({ from = null, domain }: EmailSearch): string[] | null {
  if (from !== null) return [escaped(from), `%<${escaped(from)}>`]
  return domain === null ? null : sendersOfDomain(domain)
}

/** A bitmap would read all emails of the team, or all to an address, and then sort them. */
export const BY_INDEX = 'set local enable_bitmapscan = off; set local enable_seqscan = off; set local jit = off'

/** A recipient has its id from the time at which its email was stored, which is a little after that of the email. */
const RECIPIENT_IDS_AFTER_MS = 60_000

/** The characters that are compared, of a subject, of a sender and of all recipients, because senders may write far more than anyone searches. */
const COMPARED_LENGTH_MAX = 2_000

/** Where the emails that are read lie together, in an index. An address has fewer than most broadcasts. */
type Place = 'team' | 'address' | 'broadcast'

const placeOf = ({ to, broadcast }: EmailSearch): Place => (to !== null ? 'address' : broadcast !== null ? 'broadcast' : 'team')

function placeValues(teamId: string, { to, broadcast }: EmailSearch, { walk, readMax }: { walk: Walk; readMax: number }): unknown[] {
  const { from, until } = walk
  const values = [teamId, until, from, readMax]
  if (to !== null) return [...values, to, idBoundOfAny(idTime(until).getTime() + RECIPIENT_IDS_AFTER_MS)]
  return broadcast === null ? values : [...values, broadcast]
}

const READ_COLUMNS = 'e.id, e."from", e."to", e.cc, e.bcc, e.subject, e.state, e.last_event, e.tags, e.broadcast_id, e.created_at'

/** The emails that may be read. The limit keeps the conditions of the search out of the walk along the index. */
const walks = (order: Walk['order']): Record<Place, string> => ({
  team: `select ${READ_COLUMNS} from emails e where e.team_id = $1 and e.id < $2::uuid and e.id >= $3::uuid order by e.id ${order} limit $4`,
  // `offset 0` makes it one lookup of an email for each.
  address: `
    select ${READ_COLUMNS} from (
      select distinct email_id from (
        select email_id from recipients
         where ${isOfTeamTo({ team: '$1::uuid', address: '$5::text', from: '$3::uuid', before: '$6::uuid' })}
           and email_id < $2::uuid and email_id >= $3::uuid
         order by ${order === 'desc' ? NEWEST_OF_TEAM : OLDEST_OF_TEAM} limit $4
      ) r
    ) a cross join lateral (select * from emails where team_id = $1 and id = a.email_id offset 0) e`,
  // A range instead of an equality, because only emails_broadcast_idx has that order. All emails of a broadcast are of one team: asked for it
  // outside, PostgreSQL does not walk along all emails of the team.
  broadcast: `
    select * from (
      select ${READ_COLUMNS}, e.team_id from emails e
       where e.broadcast_id is not null and (e.broadcast_id, e.id) >= ($5::uuid, $3::uuid) and (e.broadcast_id, e.id) < ($5::uuid, $2::uuid)
       order by e.broadcast_id ${order}, e.id ${order} limit $4
    ) e where e.team_id = $1`,
})

const PLACE_VALUES: Record<Place, number> = { team: 4, address: 6, broadcast: 5 }

/** With one recipient the last event is its state, so the recipients need not be read. `$n`: the number of the first value after those of the place. */
const search = (order: Walk['order'], place: Place, n = PLACE_VALUES[place] + 1): string => `
select e.id from (${walks(order)[place]}) e
where ($${n}::text is null or left(e.subject, ${COMPARED_LENGTH_MAX}) ilike $${n} or left(e."from", ${COMPARED_LENGTH_MAX}) ilike $${n}
    or left(array_to_string(e."to" || e.cc || e.bcc, ' '), ${COMPARED_LENGTH_MAX}) ilike $${n})
  and ($${n + 1}::text is null or e.last_event = $${n + 1} or (
    e.state = 'queued' and cardinality(e."to" || e.cc || e.bcc) > 1
    and exists (select from recipients r where r.team_id = $1 and r.email_id = e.id and r.state = $${n + 1})))
  and ($${n + 2}::text[] is null or left(lower(e."from"), ${COMPARED_LENGTH_MAX}) like any($${n + 2}))
  and ($${n + 3}::jsonb is null or e.tags @> $${n + 3}::jsonb)
  and ($${n + 4}::uuid is null or e.broadcast_id = $${n + 4})
  and ($${n + 5}::text is null or left(e.subject, ${COMPARED_LENGTH_MAX}) ilike $${n + 5})
order by e.id ${order} limit $${n + 6}`

const end = (order: Walk['order'], place: Place): string =>
  `select e.id, e.created_at as "createdAt" from (${walks(order)[place]}) e order by e.id ${order} offset greatest($4 - 2, 0) limit 2`

const ofPlaces = (order: Walk['order'], statementOf: typeof end): Record<Place, string> => ({
  team: statementOf(order, 'team'),
  address: statementOf(order, 'address'),
  broadcast: statementOf(order, 'broadcast'),
})

const SEARCHES = { desc: ofPlaces('desc', search), asc: ofPlaces('asc', search) }
const ENDS = { desc: ofPlaces('desc', end), asc: ofPlaces('asc', end) }
