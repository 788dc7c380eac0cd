// Broadcasts for which there is something to do; in SQL, because rows that another worker holds are skipped. Each step is one transaction that holds the
// row of its broadcast, so no two workers do the same, and a worker that dies leaves nothing half done. Crosses teams: for workers.
import { type Database, type Execute, type Statement, statement } from '../../db/database.ts'
import { IS_NOT_HELD } from '../../db/held.ts'
import type { Clock } from '../../lib/clock.ts'
import { LOWEST_ID } from '../../lib/ids.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { PropertyOfContacts } from '../../mail/rendering/contact-placeholders.ts'
import { mayStillSend } from '../accounts/access.sql.ts'
import { isOfStoppedTeam } from '../accounts/teams/team-states.sql.ts'
import { cancelEmails, holdEmails, releaseEmails } from '../emails/emails-of-broadcasts.repository.ts'
import type { BroadcastStatus, BroadcastWalk } from './broadcast-states.ts'
import { refuseQueuedBroadcast } from './scheduled-broadcasts.repository.ts'

// The newest broadcasts to a segment or about a topic; in SQL, because Prisma cannot say by which index they are found.

export type AudienceBroadcastRow = { id: string; name: string; status: BroadcastStatus; statusReason: string | null }

/** On the page of a segment or a topic. */
const SHOWN_MAX = 10

export function audienceBroadcastRepository({ transaction }: Pick<Database, 'transaction'>) {
  async function newest(sql: Statement, teamId: string, id: string): Promise<Page<AudienceBroadcastRow>> {
    const rows = await transaction((inside) => inside<AudienceBroadcastRow>(sql, [teamId, id]), { plans: 'by index' })
    return { rows: rows.slice(0, SHOWN_MAX), hasMore: rows.length > SHOWN_MAX }
  }

  return {
    ofSegment: (teamId: string, segmentId: string): Promise<Page<AudienceBroadcastRow>> => newest(OF_SEGMENT, teamId, segmentId),
    ofTopic: (teamId: string, topicId: string): Promise<Page<AudienceBroadcastRow>> => newest(OF_TOPIC, teamId, topicId),
  }
}

/** A range instead of an equality, because only the index of that column has the order. The others hold all broadcasts of the team, or of all teams. */
const newestBy = (column: 'segment_id' | 'topic_id'): Statement =>
  statement(
    `broadcasts by ${column}`,
    `select id, name, status, status_reason as "statusReason" from broadcasts where team_id = $1 and ${column} >= $2 and ${column} <= $2 order by ${column}, id desc limit ${SHOWN_MAX + 1}`,
  )

const OF_SEGMENT = newestBy('segment_id')
const OF_TOPIC = newestBy('topic_id')

export type DueBroadcast = {
  id: string
  teamId: string
  status: BroadcastStatus
  isWaiting: boolean
  walk: BroadcastWalk | null
  isFannedOut: boolean
  /** Contacts were gone through. */
  hasBegun: boolean
  from: string
  segmentId: string
  topicId: string | null
}

/** Looked at in one round. The others follow in the next one. */
const DUE_MAX = 20

export function dueBroadcastRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  return {
    /** Teams that have some that are due, the longest due first. */
    async teamsAcrossTeams(now: Date, { except, max }: { except: string[]; max: number }): Promise<string[]> {
      return (await execute<{ teamId: string }>(TEAMS, [now, except, max])).map(({ teamId }) => teamId)
    },

    /** Lists the broadcasts that are due, the longest due first. */
    list: (teamId: string, now: Date): Promise<DueBroadcast[]> => execute<DueBroadcast>(LIST, [teamId, now]),

    /** Its time has come. As with an email, nothing is sent for a key that was deleted: it is a draft again. */
    async startAcrossTeams(id: string, now: Date): Promise<void> {
      const isDue = `id = $1 and status = 'scheduled' and due_at <= $2`
      const isKeyGone = `api_key_id is not null and not ${mayStillSend('api_key_id')}`
      await execute(`update broadcasts set status = 'queued', started_at = $2 where ${isDue} and not (${isKeyGone})`, [id, now])
      await execute(
        `update broadcasts set status = 'draft', scheduled_at = null, timezone = null, due_at = null, api_key_id = null, status_reason = $3 where ${isDue} and ${isKeyGone}`,
        [id, now, 'The API key that scheduled it was deleted before the scheduled time, so it was not sent.'],
      )
    },

    /** Says why it does not go on, and looks again later. With `isWaiting`, emails that have not begun wait too. */
    async waitAcrossTeams(id: string, { reason, isWaiting, until }: { reason: string; isWaiting: boolean; until: Date }): Promise<void> {
      await execute(
        `update broadcasts set status_reason = $2, is_waiting = $3, due_at = $4, walk = case when $3 then 'hold' else walk end,
           walked_through = case when $3 then null else walked_through end
          where id = $1 and status = 'queued' and not is_waiting`,
        [id, reason, isWaiting, until],
      )
    },

    /** Why it waited is over: what was held is released. */
    async goOnAcrossTeams(id: string): Promise<void> {
      await execute(
        `update broadcasts set status_reason = null, is_waiting = false, walk = 'release', walked_through = null where id = $1 and status = 'queued' and is_waiting`,
        [id],
      )
    },

    /** Keeps properties for all emails of the broadcast. The first ones that were kept stay. */
    async keepPropertiesAcrossTeams(id: string, properties: PropertyOfContacts[]): Promise<PropertyOfContacts[]> {
      const [row] = await execute<{ properties: PropertyOfContacts[] }>(
        'update broadcasts set properties = coalesce(properties, $2::jsonb) where id = $1 returning properties',
        [id, JSON.stringify(properties)],
      )
      return row?.properties ?? properties
    },

    /** It would exceed a limit of the team. */
    refuse: (teamId: string, refused: { id: string; reason: string; now: Date }): Promise<void> =>
      transaction((inside) => refuseQueuedBroadcast(inside, teamId, refused)),

    /** No one else gets it. */
    async endFanOutAcrossTeams(id: string, reason: string): Promise<void> {
      await execute(
        `update broadcasts set is_fanned_out = true, end_reason = $2, status_reason = null where id = $1 and status = 'queued'`,
        [id, reason],
      )
    },

    async lookAgainAcrossTeams(id: string, at: Date): Promise<void> {
      await execute('update broadcasts set due_at = $2 where id = $1 and due_at is not null', [id, at])
    },
  }
}

/** The row as it is now; null if another worker has it, or it is no longer due or in this state. Held until the transaction ends. */
export async function holdBroadcast<Row extends object>(
  inside: Execute,
  { id, status, walk }: Pick<DueBroadcast, 'id' | 'status' | 'walk'>,
  columns: string,
): Promise<Row | null> {
  const [row] = await inside<Row & Record<string, unknown>>(
    `select ${columns} from broadcasts where id = $1 and status = $2 and walk is not distinct from $3 and due_at is not null for update skip locked`,
    [id, status, walk],
  )
  return row ?? null
}

/** A walk sends nothing: what is held or canceled after a restore has to be so before the queue is resumed. */
const MAY_GO_ON = `(walk is not null or (${IS_NOT_HELD} and not ${isOfStoppedTeam('broadcasts.team_id')}))`

const TEAMS = statement(
  'teams with due broadcasts',
  `
select team_id as "teamId" from broadcasts where due_at <= $1 and team_id <> all($2::uuid[]) and ${MAY_GO_ON} group by team_id order by min(due_at) limit $3`,
)

const LIST = statement(
  'due broadcasts',
  `
select id, team_id as "teamId", status, is_waiting as "isWaiting", walk, is_fanned_out as "isFannedOut", reached_contact_id is not null as "hasBegun", "from", segment_id as "segmentId", topic_id as "topicId"
from broadcasts where team_id = $1 and due_at <= $2 and ${MAY_GO_ON} order by due_at limit ${DUE_MAX}`,
)

// Goes through the emails of a broadcast that have not begun, some thousands at a time: to hold them while it is paused, to release or to cancel them,
// and to find out when all have begun; in SQL, because many rows change at once. Crosses teams: for workers.

/** Emails of a step. */
const EMAILS_MAX = 2_000

export type Walked = 'busy' | 'more' | 'ended'

export function broadcastWalkRepository(
  { transaction }: Pick<Database, 'transaction'>,
  { clock, simulatorDomains }: { clock: Clock; simulatorDomains: readonly string[] },
) {
  return {
    /** The next part of the walk that is under way. At its end, a broadcast that is not being sent has nothing left to do. */
    walkAcrossTeams(broadcast: DueBroadcast): Promise<Walked> {
      return transaction(
        async (inside) => {
          const held = await holdBroadcast<{ walk: BroadcastWalk | null; after: string; startedAt: Date | null }>(inside, broadcast, WALK)
          if (!held?.walk) return 'busy'
          const emails = await inside<{ id: string }>(NEXT, [broadcast.id, held.after, EMAILS_MAX])
          const ids = emails.map(({ id }) => id)
          await ACTS[held.walk](inside, ids, { now: clock.now(), acceptedAt: held.startedAt, simulatorDomains })
          const hasEnded = emails.length < EMAILS_MAX
          await inside(hasEnded ? END_WALK : GO_ON, [broadcast.id, clock.now(), ids.at(-1) ?? held.after])
          return hasEnded ? 'ended' : 'more'
        },
        { plans: 'by index' },
      )
    },

    /** How many of its emails count for the limits of the team. */
    async countLimited(teamId: string, broadcastId: string): Promise<number> {
      const count = (inside: Execute) => inside<{ count: number }>(COUNT_LIMITED, [teamId, broadcastId, simulatorDomains])
      const [row] = await transaction(count, { plans: 'by index' })
      return row?.count ?? 0
    },

    /** Looks how far its emails have begun. `ended`: all have, and it is sent. */
    followAcrossTeams(broadcast: DueBroadcast, nextLookAt: Date): Promise<Walked> {
      return transaction(
        async (inside) => {
          const held = await holdBroadcast<{ begunThrough: string }>(inside, broadcast, FOLLOW)
          if (!held) return 'busy'
          const emails = await inside<{ id: string; hasBegun: boolean }>(NEXT, [broadcast.id, held.begunThrough, EMAILS_MAX])
          const blocked = emails.findIndex(({ hasBegun }) => !hasBegun)
          const begun = blocked < 0 ? emails : emails.slice(0, blocked)
          const begunThrough = begun.at(-1)?.id ?? held.begunThrough
          if (blocked < 0 && emails.length < EMAILS_MAX) {
            await inside(`update broadcasts set status = 'sent', sent_at = $3, due_at = null, begun_through = $2 where id = $1`, [
              broadcast.id,
              begunThrough,
              clock.now(),
            ])
            await inside(`delete from broadcast_acts where broadcast_id = $1 and type = 'begun'`, [broadcast.id])
            return 'ended'
          }
          // One that was held by a worker just when the broadcast was resumed.
          const waiting = emails.flatMap(({ id, hasBegun }) => (hasBegun ? [] : [id]))
          await releaseEmails(inside, waiting)
          const dueAt = blocked < 0 ? clock.now() : nextLookAt
          await inside('update broadcasts set begun_through = $2, due_at = $3 where id = $1', [broadcast.id, begunThrough, dueAt])
          return blocked < 0 ? 'more' : 'busy'
        },
        { plans: 'by index' },
      )
    },
  }
}

const FOLLOW = `coalesce(begun_through, '${LOWEST_ID}') as "begunThrough"`
/** All before have begun. */
const WALK = `walk, started_at as "startedAt", coalesce(walked_through, begun_through, '${LOWEST_ID}') as after`

const NEXT = `
select id, state <> 'queued' or last_event <> 'queued' as "hasBegun" from emails where broadcast_id = $1 and id > $2 order by id limit $3`

const COUNT_LIMITED = `
select count(*)::int as count from emails where team_id = $1 and broadcast_id = $2 and substring("to"[1] from '[^@]*$') <> all($3::text[])`

const GO_ON = 'update broadcasts set due_at = $2, walked_through = $3 where id = $1'
const END_WALK = `
update broadcasts set walk = null, walked_through = $3, due_at = case when status = 'queued' then $2::timestamptz end where id = $1`

type Walking = { now: Date; acceptedAt: Date | null; simulatorDomains: readonly string[] }

const ACTS: Record<BroadcastWalk, (inside: Execute, emailIds: string[], walking: Walking) => Promise<void>> = {
  hold: holdEmails,
  release: releaseEmails,
  cancel: cancelEmails,
}
