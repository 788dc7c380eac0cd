// Goes through the emails of a broadcast that have not begun, some thousands at a time: to hold them while it is paused, to release or to cancel them,
// and to find out when all have begun; in SQL, because many rows change at once. Crosses teams: for workers.
import type { Clock } from '../../lib/clock.ts'
import { LOWEST_ID } from '../../lib/ids.ts'
import type { Database, Execute } from '../database.ts'
import { type BroadcastWalk, type DueBroadcast, holdBroadcast } from './due-broadcasts.ts'

/** Emails of a step. */
const EMAILS_MAX = 2_000

export type Walked = 'busy' | 'more' | 'ended'

export function broadcastWalkRepository({ transaction }: Pick<Database, 'transaction'>, { clock }: { clock: Clock }) {
  return {
    /** The next part of the walk that is under way. At its end, a broadcast that is not being sent has nothing left to do. */
    walkAcrossTeams(broadcast: DueBroadcast): Promise<Walked> {
      return transaction(
        async (inside) => {
          const held = await holdBroadcast<{ walk: BroadcastWalk | null; after: string }>(inside, broadcast, WALK)
          if (!held?.walk) return 'busy'
          const emails = await inside<{ id: string }>(NEXT, [broadcast.id, held.after, EMAILS_MAX])
          const ids = emails.map(({ id }) => id)
          await ACTS[held.walk](inside, ids, clock.now())
          const hasEnded = emails.length < EMAILS_MAX
          await inside(hasEnded ? END_WALK : GO_ON, [broadcast.id, clock.now(), ids.at(-1) ?? held.after])
          return hasEnded ? 'ended' : 'more'
        },
        { plans: 'by index' },
      )
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
          await inside(RELEASE, [waiting])
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
const WALK = `walk, coalesce(walked_through, begun_through, '${LOWEST_ID}') as after`

const NEXT = `
select id, state <> 'queued' or last_event <> 'queued' as "hasBegun" from emails where broadcast_id = $1 and id > $2 order by id limit $3`

const GO_ON = 'update broadcasts set due_at = $2, walked_through = $3 where id = $1'
const END_WALK = `
update broadcasts set walk = null, walked_through = $3, due_at = case when status = 'queued' then $2::timestamptz end where id = $1`

export const RELEASE = `
update deliveries set class = 'bulk'
 where id in (select id from recipients where email_id = any($1::uuid[])) and class = 'held' and leased_by is null`

// Locked rows are skipped: a worker that begins one checks it itself.
const HOLD = `
update deliveries set class = 'held' where id in (
  select d.id from recipients r join deliveries d on d.id = r.id join emails e on e.id = r.email_id
   where r.email_id = any($1::uuid[]) and d.class = 'bulk' and d.leased_by is null and e.state = 'queued' and e.last_event = 'queued' for update of d skip locked
)`

const LOCK = 'select id from emails where id = any($1::uuid[]) order by id for update'

const CANCEL = `
with canceled as (
  update emails set state = 'canceled', last_event = 'canceled', final_at = $2
   where id = any($1::uuid[]) and state = 'queued' and last_event = 'queued' returning id, team_id, "to"
), removed as (
  delete from deliveries d using canceled c, recipients r where r.email_id = c.id and d.id = r.id and d.leased_by is null
)
insert into notifications (id, team_id, type, subject_id, data, created_at)
select uuidv7_at($2, row_number() over (order by id)), team_id, 'email.canceled', id, jsonb_build_object('to', "to"), $2 from canceled`

const ACTS: Record<BroadcastWalk, (inside: Execute, ids: string[], now: Date) => Promise<unknown>> = {
  hold: (inside, ids) => inside(HOLD, [ids]),
  release: (inside, ids) => inside(RELEASE, [ids]),
  async cancel(inside, ids, now) {
    await inside(LOCK, [ids])
    // A new statement sees what has begun until then.
    await inside(CANCEL, [ids, now])
  },
}
