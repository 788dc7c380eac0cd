// Stores how far runs have got, and what they have done, in one transaction: all of it or nothing; in SQL, because many runs are stored at once.
import { type RunState, stepStateOf, withWaitsBegun } from '../../lib/automations/engine/run-state.ts'
import type { Clock } from '../../lib/clock.ts'
import { type ContactChange, changeContact, type HashOf } from '../contacts/change-contact.ts'
import { appendContactNotification } from '../contacts/contact-notifications.ts'
import { type ContactRow, lockContact } from '../contacts/contact-rows.ts'
import { lockOptOutsShared } from '../contacts/opt-outs.ts'
import { removeContact } from '../contacts/removed-contacts.ts'
import { type Database, type Execute, type RecordTransaction, statement } from '../database.ts'
import { againAfterDeadlock } from '../deadlocks.ts'
import { type Acceptance, acceptTogether } from '../emails/accept-emails.ts'
import { addMember, lockMember, type MembershipProblem } from '../segments/contact-segments.ts'

/** How far a run has got. */
export type Advance = {
  id: string
  teamId: string
  contactId: string
  state: RunState
  /** When there is something to do again; null if an event decides that, and at the end. */
  wakeAt: Date | null
  /** The facts that it has taken note of. They need not come in the order of their numbers. */
  noted: { seq: string; stepKey: string }[]
  /** Waits that have begun. */
  waits: { stepKey: string; eventName: string }[]
  /** Keys of waits for which no event needs to be told any longer. */
  left: string[]
  /** An email that is accepted with it. `isFollowed`: the run asks what becomes of its emails. */
  email: { id: string; acceptance: Acceptance; isFollowed: boolean } | null
}

/** What a step does to its contact. */
export type ContactAct =
  | { kind: 'update'; change: ContactChange; hashOf: HashOf }
  | { kind: 'delete' }
  | { kind: 'add to segment'; segmentId: string; membershipsMax: number }

export type ActResult = 'done' | MembershipProblem

export function advanceRepository({ transaction, records }: Pick<Database, 'transaction' | 'records'>, { clock }: { clock: Clock }) {
  return {
    /** Stores those that this worker still holds, with their emails. A run that was cancelled meanwhile does nothing. */
    store(workerId: string, advances: Advance[]): Promise<void> {
      return againAfterDeadlock(() =>
        transaction(
          async (inside) => {
            await holdContacts(inside, advances)
            await storeHeld(inside, workerId, advances, clock)
          },
          { plans: 'row by row' },
        ),
      )
    },

    /** The same for one run that changes its contact. `advanceAfter` says how far the run has got then, with the contact as it is by then. */
    async act(
      workerId: string,
      { teamId, contactId, act }: { teamId: string; contactId: string; act: ContactAct },
      advanceAfter: (result: ActResult, contact: ContactRow | null) => Advance,
    ): Promise<void> {
      const attempt = () =>
        records(async (record) => {
          const contact = await lockFor(record, teamId, { contactId, act })
          const now = clock.now()
          const done = typeof contact === 'string' ? contact : await perform(record, teamId, { contact, act, now })
          const advance = typeof done === 'string' ? advanceAfter(done, null) : advanceAfter('done', done)
          const stored = await storeHeld(record.execute, workerId, [advance], clock)
          if (stored === 0) throw new RunGone()
          if (act.kind === 'delete' && typeof contact !== 'string') await removeContact(record.execute, teamId, { contact, now })
        })
      await againAfterDeadlock(attempt).catch((error: unknown) => {
        if (!(error instanceof RunGone)) throw error
      })
    },
  }
}

/** Undoes the act of a run that was cancelled meanwhile. */
class RunGone extends Error {}

async function lockFor(
  { execute }: RecordTransaction,
  teamId: string,
  { contactId, act }: { contactId: string; act: ContactAct },
): Promise<ContactRow | Exclude<MembershipProblem, 'full'>> {
  if (act.kind === 'add to segment') return lockMember(execute, teamId, { id: contactId }, act.segmentId)
  if (act.kind === 'update') await lockOptOutsShared(execute, teamId)
  return (await lockContact(execute, teamId, { id: contactId })) ?? 'unknown contact'
}

/** The contact as it is then. */
async function perform(
  record: RecordTransaction,
  teamId: string,
  { contact, act, now }: { contact: ContactRow; act: ContactAct; now: Date },
): Promise<ContactRow | 'full'> {
  if (act.kind === 'delete') return contact
  if (act.kind === 'add to segment') {
    const added = await addMember(record, teamId, { contact, ...act, now })
    return added === 'full' ? added : contact
  }
  const { change, hashOf } = act
  const changed = await changeContact(record, teamId, { contact, change, hashOf, now })
  await appendContactNotification(record.execute, 'contact.updated', { teamId, contact: changed, now })
  return changed
}

/** None is deleted. Events are told to the others meanwhile, also if one of the runs takes long. */
async function holdContacts(inside: Execute, advances: Advance[]): Promise<void> {
  const [waiting, others] = [advances.filter(({ waits }) => waits.length > 0), advances.filter(({ waits }) => waits.length === 0)]
  if (others.length > 0) await inside(HOLD_CONTACTS, [others.map(({ contactId }) => contactId)])
  if (waiting.length > 0) await inside(HOLD_WAITING, [waiting.map(({ contactId }) => contactId)])
}

/** Contacts are held before runs, as everywhere. Returns how many were stored. */
async function storeHeld(inside: Execute, workerId: string, advances: Advance[], clock: Clock): Promise<number> {
  const held = await inside<{ id: string; hasContact: boolean }>(HOLD_RUNS, [workerId, advances.map(({ id }) => id)])
  const contactOf = new Map(held.map(({ id, hasContact }) => [id, hasContact]))
  // Without its contact, a run can only be cancelled.
  const mine = advances.filter(({ id, state }) => contactOf.get(id) || (contactOf.has(id) && state.status === 'cancelled'))
  if (mine.length === 0) return 0
  const emails = mine.flatMap(({ email }) => email ?? [])
  if (emails.length > 0) {
    await acceptTogether(
      { execute: inside, transaction: (work) => work(inside) },
      emails.map(({ acceptance }) => acceptance),
    )
  }
  const noted = mine.flatMap(({ id, noted: facts }) => facts.map((fact) => ({ ...fact, runId: id })))
  const others = await inside<{ runId: string }>(NOTE_FACTS, [mine.map(({ id }) => id), JSON.stringify(noted)])
  const toldMore = new Set(others.map(({ runId }) => runId))
  await storeWaits(inside, mine)
  // What was committed before a wait began is older than it, also by the clock: the time is read after the statement that looked.
  const now = clock.now()
  const rows = mine.map((advance) => {
    const { id, state, wakeAt } = begunAt(advance, now)
    // An event was told after the run was looked at.
    const hasMore = toldMore.has(id)
    const isOver = state.status !== 'running'
    const { status, reason } = state
    return { id, state, status, reason, wakeAt: isOver ? null : hasMore ? now : wakeAt, completedAt: isOver ? now : null }
  })
  await inside(STORE, [JSON.stringify(rows)])
  const followed = mine.flatMap(({ id, email }) => (email?.isFollowed ? [{ runId: id, emailId: email.id }] : []))
  if (followed.length > 0)
    await inside('insert into automation_emails (email_id, run_id) select * from unnest($1::uuid[], $2::uuid[]) on conflict do nothing', [
      followed.map(({ emailId }) => emailId),
      followed.map(({ runId }) => runId),
    ])
  return mine.length
}

function begunAt({ id, state: decided, wakeAt, waits }: Advance, at: Date): Pick<Advance, 'id' | 'state' | 'wakeAt'> {
  const keys = waits.map(({ stepKey }) => stepKey)
  const state = withWaitsBegun(decided, keys, at)
  if (state.at === null || !keys.includes(state.at)) return { id, state, wakeAt }
  const until = stepStateOf(state.steps, state.at)?.until ?? null
  return { id, state, wakeAt: until === null ? null : new Date(until) }
}

async function storeWaits(inside: Execute, advances: Advance[]): Promise<void> {
  const over = advances.filter(({ state, left }) => left.length > 0 || state.status !== 'running')
  if (over.length > 0)
    await inside(END_WAITS, [
      JSON.stringify(
        over.map(({ id, teamId, contactId, state, left }) => ({ id, teamId, contactId, left: state.status === 'running' ? left : null })),
      ),
    ])
  const begun = advances.flatMap(({ id, teamId, contactId, waits }) => waits.map((wait) => ({ id, teamId, contactId, ...wait })))
  if (begun.length > 0) await inside(BEGIN_WAITS, [JSON.stringify(begun)])
}

const HOLD_CONTACTS = statement('hold-contacts-of-runs', 'select from contacts where id = any($1::uuid[]) order by email, id for key share')

// Against telling: an event of these contacts is told before their waits begin, or once these are stored.
const HOLD_WAITING = statement('hold-contacts-of-waits', 'select from contacts where id = any($1::uuid[]) order by email, id for share')

const HOLD_RUNS = statement(
  'hold-runs',
  `
select id, exists (select from contacts c where c.id = contact_id) as "hasContact" from automation_runs
where id = any($2::uuid[]) and leased_by = $1 and coalesce(status) = 'running' order by id for update`,
)

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

const STORE = statement(
  'store-runs',
  `
with given as materialized (
  select * from jsonb_to_recordset($1::jsonb) as g(id uuid, state jsonb, status text, reason text, "wakeAt" timestamptz, "completedAt" timestamptz)
), told as (
  delete from automation_facts f using given g where f.run_id = g.id and g.status <> 'running'
), unfollowed as (
  delete from automation_emails e using given g where e.run_id = g.id and g.status <> 'running'
)
update automation_runs r set state = g.state, status = g.status, reason = g.reason, wake_at = g."wakeAt", completed_at = g."completedAt", claims = 0, leased_by = null
from given g where r.id = g.id`,
)

const END_WAITS = statement(
  'end-waits',
  `
delete from automation_waits w using jsonb_to_recordset($1::jsonb) as g(id uuid, "teamId" uuid, "contactId" uuid, "left" jsonb)
where w.team_id = g."teamId" and w.contact_id = g."contactId" and w.run_id = g.id and (g."left" is null or g."left" ? w.step_key)`,
)

const BEGIN_WAITS = statement(
  'begin-waits',
  `
insert into automation_waits (team_id, contact_id, event_name, run_id, step_key)
select g."teamId", g."contactId", g."eventName", g.id, g."stepKey"
from jsonb_to_recordset($1::jsonb) as g(id uuid, "teamId" uuid, "contactId" uuid, "eventName" text, "stepKey" text) order by 1, 2, 3, 4, 5
on conflict do nothing`,
)
