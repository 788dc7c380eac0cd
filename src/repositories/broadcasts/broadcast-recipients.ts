// The recipients of a broadcast by what became of their mail, and the links that they followed; in SQL, because their emails, acts and clicks are joined.
import type { MergeValues } from '../../lib/audience/merge-fields.ts'
import { createId, HIGHEST_ID, LOWEST_ID } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { BounceType, RecipientType } from '../../schemas/broadcast-recipients.ts'
import type { BoundedQueries } from '../bounded-queries.ts'
import { type Database, type Execute, statement } from '../database.ts'
import { append } from '../notifications.ts'
import { boundOf, type Page, readPage } from '../page.ts'

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

type Sought = {
  type: RecipientType
  /** A part of the address. */
  email: string | null
  bounceType: BounceType | null
}

/**
 * The states in which an email is after that. Where it can be in another one, such as `bounced` after it was delivered, there is an act of the type too.
 * All other types are acts alone.
 */
const STATES: Partial<Record<RecipientType, { state: 'queued' | 'canceled'; lastEvents: string[] }>> = {
  sent: { state: 'queued', lastEvents: ['sent', 'delivery_delayed', 'delivered', 'bounced', 'opened', 'clicked', 'complained'] },
  delivered: { state: 'queued', lastEvents: ['delivered', 'opened', 'clicked', 'complained'] },
  canceled: { state: 'canceled', lastEvents: ['canceled'] },
}

export function broadcastRecipientRepository(
  { execute, transaction }: Pick<Database, 'execute' | 'transaction'>,
  { searches }: { searches: BoundedQueries },
) {
  return {
    /**
     * The last one that was reached comes first.
     * @throws Failure if looking for them takes too long.
     */
    list(
      teamId: string,
      broadcastId: string,
      { type, email, bounceType }: Sought,
      request: PageRequest,
    ): Promise<Page<BroadcastRecipientRow>> {
      const pattern = email === null ? null : `%${email.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
      const states = STATES[type] ?? null
      return readPage(request, async (page) => {
        const isDown = page.orderBy.id === 'desc'
        const order = isDown ? 'down' : 'up'
        const values = [teamId, broadcastId, boundOf(page), pattern, page.take, type]
        const read = async (run: Execute) => {
          if (states === null) return run<Omit<BroadcastRecipientRow, 'links'>>(OF_ACTS[order], [...values, bounceType])
          const upTo = states.state === 'queued' ? await begunUpTo(run, teamId, broadcastId) : HIGHEST_ID
          return run<Omit<BroadcastRecipientRow, 'links'>>(OF_STATES[order], [...values, states.state, states.lastEvents, upTo])
        }
        const rows = pattern === null && states === null ? await read(execute) : await searches.run(teamId, read)
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

    /** Only the first time. */
    async recordUnsubscribed(teamId: string, emailId: string, now: Date): Promise<void> {
      await transaction(async (inside) => {
        const [email] = await inside<{ to: string[] }>(
          `update emails set unsubscribed_at = $3 where team_id = $1 and id = $2 and broadcast_id is not null and unsubscribed_at is null returning "to"`,
          [teamId, emailId, now],
        )
        if (email) await append(inside, [{ id: createId(), teamId, type: 'email.unsubscribed', subjectId: emailId, data: email }], now)
      })
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

/** No email after this one has begun, so none is looked for among a million that wait or were canceled. */
async function begunUpTo(run: Execute, teamId: string, broadcastId: string): Promise<string> {
  const [row] = await run<{ upTo: string }>(BEGUN_UP_TO, [teamId, broadcastId])
  return row?.upTo ?? HIGHEST_ID
}

const BEGUN_UP_TO = statement(
  'begun emails',
  `
select coalesce((select a.email_id from broadcast_acts a where a.broadcast_id = b.id and a.type = 'begun' order by a.email_id desc limit 1), '${LOWEST_ID}') as "upTo"
from broadcasts b where b.team_id = $1 and b.id = $2 and b.status <> 'sent'`,
)

const COLUMNS = `e.id, e.contact_id as "contactId", e."to"[1] as email`
const MATCHES = `($4::text is null or e."to"[1] like $4)`

// A broadcast as a range instead of an equality, because only emails_broadcast_idx has that order (see `CLAIM` of deliveries). With an equality,
// PostgreSQL would walk along all newer emails of everyone to find the first ones of this broadcast.
const ofStates = (isDown: boolean) => `
(select ${COLUMNS}, 0 as count, null as "bounceType" from emails e
  where e.team_id = $1 and e.broadcast_id is not null and (e.broadcast_id, e.id) > ($2, ${isDown ? `'${LOWEST_ID}'` : `coalesce($3::uuid, '${LOWEST_ID}')`})
    and (e.broadcast_id, e.id) < ($2, ${isDown ? `coalesce($3::uuid, '${HIGHEST_ID}')` : `'${HIGHEST_ID}'`}) and (e.broadcast_id, e.id) <= ($2, $9::uuid)
    and e.state = $7 and e.last_event = any($8::text[]) and ${MATCHES}
  order by e.broadcast_id ${direction(isDown)}, e.id ${direction(isDown)} limit $5)
union
(${ofActs(isDown, '0', 'null')})
order by id ${direction(isDown)} limit $5`

const ofActs = (isDown: boolean, count: string, bounceType: string) => `
select ${COLUMNS}, ${count} as count, ${bounceType} as "bounceType"
from broadcast_acts a join emails e on e.id = a.email_id and e.team_id = $1
where a.broadcast_id = $2 and a.type = $6 and a.email_id ${beyond(isDown)} coalesce($3::uuid, '${isDown ? HIGHEST_ID : LOWEST_ID}') and ${MATCHES}
order by a.email_id ${direction(isDown)} limit $5`

const OF_STATES = {
  down: statement('recipients by state, newest first', ofStates(true)),
  up: statement('recipients by state, oldest first', ofStates(false)),
}
const OF_ACTS = {
  down: statement(
    'recipients by act, newest first',
    ofActs(true, 'a.count', 'a.bounce_type').replace('where ', 'where ($7::text is null or a.bounce_type = $7) and '),
  ),
  up: statement(
    'recipients by act, oldest first',
    ofActs(false, 'a.count', 'a.bounce_type').replace('where ', 'where ($7::text is null or a.bounce_type = $7) and '),
  ),
}

const LINKS_OF_EMAILS = statement(
  'links of recipients',
  `
select email_id as "emailId", url, count as clicks from broadcast_clicks
 where broadcast_id = (select id from broadcasts where team_id = $1 and id = $2) and email_id = any($3::uuid[]) order by count desc, url_hash`,
)

const RANKED = `
with ranked as (
  select url_hash as id, url, clicks, unique_clicks as "uniqueClicks", row_number() over (order by clicks desc, url_hash) as rank
  from broadcast_links where broadcast_id = (select id from broadcasts where team_id = $1 and id = $2)
)
select id, url, clicks, "uniqueClicks" from ranked`
const LINKS_AFTER = statement(
  'links, most followed first',
  `${RANKED} where rank > coalesce((select rank from ranked where id = $3::uuid), 0) order by rank limit $4`,
)
const LINKS_BEFORE = `${RANKED} where rank < (select rank from ranked where id = $3::uuid) order by rank desc limit $4`
