// The recipients of a broadcast by what became of their mail, and the links that they followed; in SQL, because their emails, acts and clicks are joined.

import type { BoundedQueries } from '../../../db/bounded-queries.ts'
import { type Database, type Execute, statement } from '../../../db/database.ts'
import { boundOf, readPage } from '../../../db/page.ts'
import { HIGHEST_ID, LOWEST_ID } from '../../../lib/ids.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import type { MergeValues } from '../../../mail/rendering/contact-placeholders.ts'
import { type BounceType, BROADCAST_MARK_TYPES, type RecipientType } from './broadcast-recipients.schema.ts'

export type BroadcastRecipientRow = {
  /** The id of the email. */
  id: string
  contactId: string | null
  email: string
  /** How often, of opens and clicks. */
  count: number
  bounceType: string | null
  links: { url: string; clicks: number }[]
}

export type ClickedLinkRow = { id: string; url: string; clicks: number; uniqueClicks: number }

type EmailOfBroadcastRow = { id: string; teamId: string; to: string[]; broadcastId: string; mergeValues: MergeValues | null }

type RecipientFilter = {
  type: RecipientType
  /** A part of the address. */
  email: string | null
  bounceType: BounceType | null
}

/**
 * The states in which an email is after that. Where it can be in another one, such as `bounced` after it was delivered, there is an act of the type too.
 * All other types are acts alone.
 */
const STATES: Record<(typeof BROADCAST_MARK_TYPES)[number], { state: 'queued' | 'canceled'; lastEvents: string[] }> = {
  sent: { state: 'queued', lastEvents: ['sent', 'delivery_delayed', 'delivered', 'bounced', 'opened', 'clicked', 'complained'] },
  delivered: { state: 'queued', lastEvents: ['delivered', 'opened', 'clicked', 'complained'] },
  canceled: { state: 'canceled', lastEvents: ['canceled'] },
}

export const DELIVERED = STATES.delivered

export function broadcastRecipientRepository({ execute }: Pick<Database, 'execute'>, { searches }: { searches: BoundedQueries }) {
  return {
    /**
     * The last one that was reached comes first.
     * @throws Failure if looking for them takes too long.
     */
    list(
      teamId: string,
      broadcastId: string,
      { type, email, bounceType }: RecipientFilter,
      request: PageRequest,
    ): Promise<Page<BroadcastRecipientRow>> {
      const pattern = email === null ? null : `%${email.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
      const mark = BROADCAST_MARK_TYPES.find((one) => one === type)
      const states = mark === undefined ? null : STATES[mark]
      return readPage(request, async (page) => {
        const isDown = page.orderBy.id === 'desc'
        const order = isDown ? 'down' : 'up'
        const values = [teamId, broadcastId, boundOf(page), pattern, page.take, type]
        const read = async (run: Execute) => {
          if (states === null) return run<Omit<BroadcastRecipientRow, 'links'>>(OF_EVENTS[order], [...values, bounceType])
          return run<Omit<BroadcastRecipientRow, 'links'>>(OF_STATES[order], [...values, states.state, states.lastEvents])
        }
        const rows = pattern === null && states === null && bounceType === null ? await read(execute) : await searches.run(teamId, read)
        return withLinks(teamId, broadcastId, rows, type)
      })
    },

    /** Lists the links, the one that was followed most often first. */
    async clickedLinks(teamId: string, broadcastId: string, { limit, after, before }: PageRequest): Promise<Page<ClickedLinkRow>> {
      const rows = await execute<ClickedLinkRow>(before === null ? LINKS_AFTER : LINKS_BEFORE, [
        teamId,
        broadcastId,
        before ?? after,
        limit + 1,
      ])
      const kept = rows.slice(0, limit)
      return { rows: before === null ? kept : kept.reverse(), hasMore: rows.length > limit }
    },

    /** Reads the emails of broadcasts, by the ids of the broadcasts. */
    async emailsAcrossTeams(ids: string[]): Promise<Map<string, EmailOfBroadcastRow>> {
      const rows = await execute<EmailOfBroadcastRow>(
        `select id, team_id as "teamId", "to", broadcast_id as "broadcastId", merge_values as "mergeValues" from emails
          where id = any($1::uuid[]) and broadcast_id is not null`,
        [ids],
      )
      return new Map(rows.map((row) => [row.id, row]))
    },
  }

  async function withLinks(
    teamId: string,
    broadcastId: string,
    rows: Omit<BroadcastRecipientRow, 'links'>[],
    type: RecipientType,
  ): Promise<BroadcastRecipientRow[]> {
    const found =
      type === 'clicked'
        ? await execute<{ emailId: string; url: string; clicks: number }>(LINKS_OF_EMAILS, [teamId, broadcastId, rows.map(({ id }) => id)])
        : []
    const byEmail = Map.groupBy(found, ({ emailId }) => emailId)
    return rows.map((row) => ({ ...row, links: (byEmail.get(row.id) ?? []).map(({ url, clicks }) => ({ url, clicks })) }))
  }
}

const beyond = (isDown: boolean) => (isDown ? '<' : '>')
const direction = (isDown: boolean) => (isDown ? 'desc' : 'asc')
const bound = (isDown: boolean) => `coalesce($3::uuid, '${isDown ? HIGHEST_ID : LOWEST_ID}')`

const COLUMNS = `e.id, e.contact_id as "contactId", e."to"[1] as email`
const MATCHES = `($4::text is null or e."to"[1] like $4)`

/** A mark stands for as many emails. */
const STRETCH_LENGTH = 64

const MARKS = 'from broadcast_marks k where k.broadcast_id = $2 and k.type = $6'

// From mark to mark (`m`), each with the next one (`n`). No email after a stretch and before the next mark is listed, however many there
// are.
// A broadcast as a range instead of an equality, because only emails_broadcast_idx has that order (see `CLAIM` of deliveries). With an equality,
// PostgreSQL would walk along all newer emails of everyone to find the first ones of this broadcast.
const ofStates = (isDown: boolean) => `
(select ${COLUMNS}, 0 as count, null as "bounceType"
  from broadcast_marks m
  left join lateral (select k.email_id ${MARKS} and k.email_id > m.email_id order by k.email_id limit 1) n on true
  cross join lateral (
    select * from (
      select * from emails s
      where s.broadcast_id is not null and (s.broadcast_id, s.id) >= ($2, m.email_id)
        and (s.broadcast_id, s.id) < ($2, least(coalesce(n.email_id, '${HIGHEST_ID}'), ${isDown ? bound(isDown) : `'${HIGHEST_ID}'`}))
      order by s.broadcast_id, s.id limit ${STRETCH_LENGTH}
    ) e
    where e.team_id = $1 and e.state = $7 and e.last_event = any($8::text[]) and e.id ${beyond(isDown)} ${bound(isDown)} and ${MATCHES}
    order by e.id ${direction(isDown)} limit $5
  ) e
  where m.broadcast_id = $2 and m.type = $6
    and m.email_id ${isDown ? `< ${bound(isDown)}` : `>= coalesce((select k.email_id ${MARKS} and k.email_id <= ${bound(isDown)} order by k.email_id desc limit 1), '${LOWEST_ID}')`}
  order by m.email_id ${direction(isDown)}, e.id ${direction(isDown)} limit $5)
union
(${ofEvents(isDown, '0', 'null')})
order by id ${direction(isDown)} limit $5`

// Each email by its id. In a merge join, PostgreSQL would walk along all newer emails of everyone to find the first one.
const ofEvents = (isDown: boolean, count: string, bounceType: string) => `
select ${COLUMNS}, ${count} as count, ${bounceType} as "bounceType"
from broadcast_acts a
cross join lateral (select id, contact_id, "to" from emails where id = a.email_id and team_id = $1 limit 1) e
where a.broadcast_id = $2 and a.type = $6 and a.email_id ${beyond(isDown)} ${bound(isDown)} and ${MATCHES}
order by a.email_id ${direction(isDown)} limit $5`

const OF_STATES = {
  down: statement('recipients by state, newest first', ofStates(true)),
  up: statement('recipients by state, oldest first', ofStates(false)),
}
const OF_EVENTS = {
  down: statement(
    'recipients by act, newest first',
    ofEvents(true, 'a.count', 'a.bounce_type').replace('where ', 'where ($7::text is null or a.bounce_type = $7) and '),
  ),
  up: statement(
    'recipients by act, oldest first',
    ofEvents(false, 'a.count', 'a.bounce_type').replace('where ', 'where ($7::text is null or a.bounce_type = $7) and '),
  ),
}

const LINKS_OF_EMAILS = statement(
  'links of recipients',
  `
select email_id as "emailId", url, count as clicks from broadcast_clicks
 where broadcast_id = (select id from broadcasts where team_id = $1 and id = $2) and email_id = any($3::uuid[]) order by count desc, url_hash`,
)

const OF_LINKS = `
select l.url_hash as id, l.url, l.clicks, l.unique_clicks as "uniqueClicks" from broadcast_links l`
/** The link of the cursor, `p`. */
const PLACE = 'broadcast_links p on p.broadcast_id = l.broadcast_id and p.url_hash = $3::uuid'
const OF_BROADCAST = 'l.broadcast_id = (select id from broadcasts where team_id = $1 and id = $2)'
const LINKS_AFTER = statement(
  'links, most followed first',
  `${OF_LINKS} left join ${PLACE} where ${OF_BROADCAST}
    and (p.url_hash is null or l.clicks < p.clicks or (l.clicks = p.clicks and l.url_hash > p.url_hash)) order by l.clicks desc, l.url_hash limit $4`,
)
const LINKS_BEFORE = statement(
  'links, least followed first',
  `${OF_LINKS} join ${PLACE} where ${OF_BROADCAST}
    and (l.clicks > p.clicks or (l.clicks = p.clicks and l.url_hash < p.url_hash)) order by l.clicks, l.url_hash desc limit $4`,
)
