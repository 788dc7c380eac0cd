// Broadcasts for which there is something to do; in SQL, because rows that another worker holds are skipped. Each step is one transaction that holds the
// row of its broadcast, so no two workers do the same, and a worker that dies leaves nothing half done. Crosses teams: for workers.

import type { PropertyOfContacts } from '../../lib/audience/property-of-contacts.ts'
import type { BroadcastStatus } from '../../lib/broadcast-states.ts'
import { type Database, type Execute, statement } from '../database.ts'
import { IS_NOT_HELD } from '../held-queue.ts'
import { mayStillSend } from '../sending-credentials.ts'

export type DueBroadcast = {
  id: string
  teamId: string
  status: BroadcastStatus
  isWaiting: boolean
  walk: BroadcastWalk | null
  isFannedOut: boolean
  from: string
  segmentId: string
  topicId: string | null
}

/** What is being done with the emails that have not begun. */
export type BroadcastWalk = 'hold' | 'release' | 'cancel'

/** Looked at in one round. The others follow in the next one. */
const DUE_MAX = 20

export function dueBroadcastRepository({ execute }: Pick<Database, 'execute'>) {
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
        `update broadcasts set status = 'draft', scheduled_at = null, due_at = null, api_key_id = null, status_reason = $3 where ${isDue} and ${isKeyGone}`,
        [id, now, 'The API key that scheduled it was deleted before its time, so it was not sent.'],
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
const MAY_GO_ON = `(walk is not null or ${IS_NOT_HELD})`

const TEAMS = statement(
  'teams with due broadcasts',
  `
select team_id as "teamId" from broadcasts where due_at <= $1 and team_id <> all($2::uuid[]) and ${MAY_GO_ON} group by team_id order by min(due_at) limit $3`,
)

const LIST = statement(
  'due broadcasts',
  `
select id, team_id as "teamId", status, is_waiting as "isWaiting", walk, is_fanned_out as "isFannedOut", "from", segment_id as "segmentId", topic_id as "topicId"
from broadcasts where team_id = $1 and due_at <= $2 and ${MAY_GO_ON} order by due_at limit ${DUE_MAX}`,
)
