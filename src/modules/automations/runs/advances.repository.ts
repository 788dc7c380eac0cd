// Stores how far runs have got, and what they have done, in one transaction: all of it or nothing; in SQL, because many runs are stored at once.

import { type Database, type Execute, PLAN_AS_USUAL, statement } from '../../../db/database.ts'
import { againAfterDeadlock } from '../../../db/transactions.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type Acceptance, acceptTogether } from '../../emails/accept-emails.repository.ts'
import { type RunState, stepStateOf, withWaitsBegun } from '../engine/run-state.ts'

/** How far a run has got. */
export type Advance = {
  id: string
  teamId: string
  contactId: string
  state: RunState
  /** The state when it was claimed. If nothing has changed, it is not written again. */
  stateBefore: RunState
  /** When there is something to do again; null if an event decides that, and at the end. */
  wakeAt: Date | null
  /** The facts that it has taken note of. They need not come in the order of their numbers. */
  noted: { seq: string; stepKey: string }[]
  /** Waits that have begun. */
  waits: { stepKey: string; eventName: string }[]
  /** Keys of waits for which no event needs to be told any longer. */
  left: string[]
  /** Accepted with it. `isFollowed`: the run asks what becomes of its emails. */
  emails: { id: string; acceptance: Acceptance; isFollowed: boolean }[]
}

export function advanceRepository({ transaction }: Pick<Database, 'transaction'>, { clock }: { clock: Clock }) {
  return {
    /** Stores those that this worker still holds, with their emails. A run that was cancelled meanwhile does nothing. */
    store(workerId: string, advances: Advance[]): Promise<void> {
      const inTransaction = (work: (inside: Execute) => Promise<void>) => transaction(work, { plans: 'row by row, kept' })
      return againAfterDeadlock(async () => {
        try {
          await inTransaction((inside) => storeAll(inside, { workerId, advances, clock }))
        } catch (error) {
          if (!(error instanceof NotAllHeld)) throw error
          await inTransaction(async (inside) => {
            const [, held] = await Promise.all([lockContacts(inside, advances), lockRuns(inside, workerId, advances)])
            await storeHeld(inside, { advances, held, clock, isLast: true })
          })
        }
      })
    },
  }
}

/** Some were cancelled meanwhile, or are no longer this worker's: nothing was stored. */
class NotAllHeld extends Error {}

/** What they do is sent together with what locks them, as nearly always all are held. @throws NotAllHeld */
async function storeAll(
  inside: Execute,
  { workerId, advances, clock }: Pick<Storing, 'advances' | 'clock'> & { workerId: string },
): Promise<void> {
  // All have ended when it throws: nothing more is sent on the connection.
  const [locked, held, done] = await Promise.allSettled([
    lockContacts(inside, advances),
    lockRuns(inside, workerId, advances),
    storeDone(inside, advances),
  ])
  if (locked.status === 'rejected') throw locked.reason
  if (held.status === 'rejected') throw held.reason
  if (storable(advances, held.value).length < advances.length) throw new NotAllHeld()
  if (done.status === 'rejected') throw done.reason
  await storeStates(inside, { advances, haveUnreadFacts: done.value, clock, isLast: true })
}

/** None is deleted. Events are told to the others meanwhile, also if one of the runs takes long. */
async function lockContacts(inside: Execute, advances: Advance[]): Promise<void> {
  const [waiting, others] = [advances.filter(({ waits }) => waits.length > 0), advances.filter(({ waits }) => waits.length === 0)]
  const contactsOf = (some: Advance[]) => some.map(({ contactId }) => contactId)
  await Promise.all([
    others.length > 0 && inside(LOCK_CONTACTS, [contactsOf(others)]),
    waiting.length > 0 && inside(LOCK_WAITING, [contactsOf(waiting)]),
  ])
}

/** `isOn`: its automation was neither stopped nor deleted since the run began. */
type HeldRun = { id: string; hasContact: boolean; isOn: boolean }

/** Returns the runs that this worker still holds. Contacts are locked before runs, as everywhere. No automation is stopped before the transaction ends. */
export const lockRuns = (inside: Execute, workerId: string, runs: { id: string }[]): Promise<HeldRun[]> =>
  inside<HeldRun>(LOCK_RUNS, [workerId, runs.map(({ id }) => id)])

/** Whether it may still act. */
export const mayContinue = ({ hasContact, isOn }: HeldRun): boolean => hasContact && isOn

/** `isLast`: nothing follows in the transaction. */
type Storing = { advances: Advance[]; held: HeldRun[]; clock: Clock; isLast: boolean }

export async function storeHeld(inside: Execute, { advances, held, clock, isLast }: Storing): Promise<void> {
  const mine = storable(advances, held)
  const stored = new Set(mine.map(({ id }) => id))
  const others = held.flatMap(({ id }) => (stored.has(id) ? [] : [id]))
  // They are looked at again at once, and then cancelled.
  if (others.length > 0) await inside(RELEASE_HELD, [others])
  if (mine.length === 0) return
  await storeStates(inside, { advances: mine, haveUnreadFacts: await storeDone(inside, mine), clock, isLast })
}

/** Without its contact, or after its automation was stopped, a run can only be cancelled. */
function storable(advances: Advance[], held: HeldRun[]): Advance[] {
  const heldById = new Map(held.map((run) => [run.id, run]))
  return advances.filter(({ id, state }) => {
    const run = heldById.get(id)
    return run !== undefined && (mayContinue(run) || state.status === 'cancelled')
  })
}

/** All but the runs themselves. Returns the runs that were told more than they have noted. */
async function storeDone(inside: Execute, advances: Advance[]): Promise<Set<string>> {
  const [unnoted] = await Promise.all([noteFacts(inside, advances), storeWaits(inside, advances), storeEmails(inside, advances)])
  return new Set(unnoted.map(({ runId }) => runId))
}

type StoringStates = Pick<Storing, 'advances' | 'clock' | 'isLast'> & { haveUnreadFacts: ReadonlySet<string> }

async function storeStates(inside: Execute, { advances, haveUnreadFacts, clock, isLast }: StoringStates): Promise<void> {
  // What was committed before a wait began is older than it, also by the clock: the time is read after the statement that looked.
  const now = clock.now()
  const rows = advances.map((advance) => {
    const { id, state, wakeAt } = begunAt(advance, now)
    const isSame = state === advance.stateBefore
    // An event was told after the run was looked at.
    const hasMore = haveUnreadFacts.has(id)
    const isOver = state.status !== 'running'
    const { status, reason } = state
    return {
      id,
      state: isSame ? null : state,
      status,
      reason,
      wakeAt: isOver ? null : hasMore ? now : wakeAt,
      completedAt: isOver ? now : null,
    }
  })
  await inside(STORE, [JSON.stringify(rows), rows.map(({ id }) => id)], { isLast })
}

/** Runs that were told more than they have noted. */
const noteFacts = (inside: Execute, advances: Advance[]): Promise<{ runId: string }[]> => {
  const noted = advances.flatMap(({ id, noted: facts }) => facts.map((fact) => ({ ...fact, runId: id })))
  return inside<{ runId: string }>(NOTE_FACTS, [advances.map(({ id }) => id), JSON.stringify(noted)])
}

async function storeEmails(inside: Execute, advances: Advance[]): Promise<void> {
  const emails = advances.flatMap((advance) => advance.emails)
  const followed = advances
    .filter(({ state }) => state.status === 'running')
    .flatMap(({ id, emails: ofRun }) => ofRun.flatMap((email) => (email.isFollowed ? [{ runId: id, emailId: email.id }] : [])))
  await Promise.all([
    followed.length > 0 &&
      inside('insert into automation_emails (email_id, run_id) select * from unnest($1::uuid[], $2::uuid[]) on conflict do nothing', [
        followed.map(({ emailId }) => emailId),
        followed.map(({ runId }) => runId),
      ]),
    emails.length > 0 &&
      acceptInside(
        inside,
        emails.map(({ acceptance }) => acceptance),
      ),
  ])
}

/** Planned as for requests, but by another name: a plan that probes for each row would be a bad one to keep for these. */
const acceptInside = (inside: Execute, acceptances: Acceptance[]): Promise<unknown> => {
  const execute: Execute = (sql, values, options) =>
    inside(typeof sql === 'string' ? sql : statement(`${sql.name} for runs`, sql.text), values, options)
  return Promise.all([inside(PLAN_AS_USUAL), acceptTogether({ execute, transaction: (work) => work(execute) }, acceptances)])
}

function begunAt({ id, state: decided, wakeAt, waits }: Advance, at: Date): Pick<Advance, 'id' | 'state' | 'wakeAt'> {
  const keys = waits.map(({ stepKey }) => stepKey)
  const state = withWaitsBegun(decided, keys, at)
  if (state.at === null || !keys.includes(state.at)) return { id, state, wakeAt }
  const until = stepStateOf(state.steps, state.at)?.until ?? null
  return { id, state, wakeAt: until === null ? null : new Date(until) }
}

async function storeWaits(inside: Execute, advances: Advance[]): Promise<void> {
  const over = advances.flatMap(({ id, teamId, contactId, state, left }) => {
    const isOver = state.status !== 'running'
    return isOver || left.length > 0 ? [{ id, teamId, contactId, left: isOver ? null : left }] : []
  })
  const begun = advances.flatMap(({ id, teamId, contactId, waits }) => waits.map((wait) => ({ id, teamId, contactId, ...wait })))
  await Promise.all([
    over.length > 0 &&
      inside(END_WAITS, [JSON.stringify(over), [...new Set(over.map(({ teamId }) => teamId))], over.map(({ contactId }) => contactId)]),
    begun.length > 0 && inside(BEGIN_WAITS, [JSON.stringify(begun)]),
  ])
}

const LOCK_CONTACTS = statement('lock-contacts-of-runs', 'select from contacts where id = any($1::uuid[]) order by email, id for key share')

// Against telling: an event of these contacts is told before their waits begin, or once these are stored.
const LOCK_WAITING = statement('lock-contacts-of-waits', 'select from contacts where id = any($1::uuid[]) order by email, id for share')

const LOCK_RUNS = statement(
  'lock-runs',
  `
with held as materialized (
  select id, contact_id, automation_id, stop_seen from automation_runs
  where id = any($2::uuid[]) and leased_by = $1 and coalesce(status) = 'running' order by id for update
), going as materialized (
  select a.id, a.stopped_at, a.deleted_at from automations a where a.id in (select automation_id from held) order by a.id for key share
)
select h.id, exists (select from contacts c where c.id = h.contact_id) as "hasContact",
  exists (select from going g where g.id = h.automation_id and g.deleted_at is null and g.stopped_at is not distinct from h.stop_seen) as "isOn"
from held h`,
)

const RELEASE_HELD = 'update automation_runs set leased_by = null, claims = greatest(claims - 1, 0) where id = any($1::uuid[])'

/** A statement of its own, which sees what was told before the runs were held. Returns runs that were told more than they have noted. */
const NOTE_FACTS = statement(
  'note-facts',
  `
with noted as (
  delete from automation_facts f using jsonb_to_recordset($2::jsonb) as g("runId" uuid, seq bigint, "stepKey" text)
   where f.run_id = g."runId" and f.seq = g.seq and f.step_key = g."stepKey" returning f.run_id, f.seq, f.step_key
)
select distinct f.run_id as "runId" from automation_facts f
where f.run_id = any($1::uuid[]) and not exists (select from noted n where n.run_id = f.run_id and n.seq = f.seq and n.step_key = f.step_key)`,
)

// The arrays beside the joins let PostgreSQL find these rows from whichever table it begins with.
const STORE = statement(
  'store-runs',
  `
with given as materialized (
  select * from jsonb_to_recordset($1::jsonb) as g(id uuid, state jsonb, status text, reason text, "wakeAt" timestamptz, "completedAt" timestamptz)
), told as (
  delete from automation_facts f using given g where f.run_id = g.id and f.run_id = any($2::uuid[]) and g.status <> 'running'
), unfollowed as (
  delete from automation_emails e using given g where e.run_id = g.id and e.run_id = any($2::uuid[]) and g.status <> 'running'
)
update automation_runs r set state = coalesce(g.state, r.state), status = g.status, reason = g.reason, wake_at = g."wakeAt", completed_at = g."completedAt", claims = 0, leased_by = null
from given g where r.id = g.id and r.id = any($2::uuid[])`,
)

const END_WAITS = statement(
  'end-waits',
  `
delete from automation_waits w using jsonb_to_recordset($1::jsonb) as g(id uuid, "teamId" uuid, "contactId" uuid, "left" jsonb)
where w.team_id = g."teamId" and w.contact_id = g."contactId" and w.run_id = g.id and (g."left" is null or g."left" ? w.step_key)
  and w.team_id = any($2::uuid[]) and w.contact_id = any($3::uuid[])`,
)

const BEGIN_WAITS = statement(
  'begin-waits',
  `
insert into automation_waits (team_id, contact_id, event_name, run_id, step_key)
select g."teamId", g."contactId", g."eventName", g.id, g."stepKey"
from jsonb_to_recordset($1::jsonb) as g(id uuid, "teamId" uuid, "contactId" uuid, "eventName" text, "stepKey" text) order by 1, 2, 3, 4, 5
on conflict do nothing`,
)
