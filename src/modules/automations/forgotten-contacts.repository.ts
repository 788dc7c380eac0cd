// What events and runs of automations knew of a contact that is gone, removed in batches; in SQL, because rows are found and changed a batch at a time.

import type { Database, Execute } from '../../db/database.ts'
import { addJob, FORGET_CONTACT } from '../../db/jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import { LOWEST_ID } from '../../lib/ids.ts'
import type { ForgetContacts } from '../audience/contacts/contacts.repository.ts'
import { forgetAddress, forgetSentEvents } from '../events/sent-events.repository.ts'

/** Rows of a batch. */
const ROWS_MAX = 500

/** The last run from which a contact was removed: all runs of the contact before it are done. */
type Position = { automationId: string; id: string }

const BEGINNING: Position = { automationId: LOWEST_ID, id: LOWEST_ID }

export const CONTACT_DELETED = 'The contact was deleted.'

export function forgottenContactRepository(
  { transaction, execute }: Pick<Database, 'transaction' | 'execute'>,
  { clock }: { clock: Clock },
) {
  return {
    /** A batch, after a position; null begins. Returns where the next one begins, null at the end. For workers. */
    forgetSome: (teamId: string, contactId: string, after: Position | null): Promise<Position | null> =>
      transaction((inside) => forgetSome(inside, teamId, { contactId, after: after ?? BEGINNING, now: clock.now() }), {
        plans: 'row by row',
      }),

    /** Finds what earlier runs have left: contacts that are gone but not forgotten. Their job may have been lost. */
    async findAcrossTeams(
      after: string,
      runsMax: number,
    ): Promise<{ contacts: { teamId: string; contactId: string }[]; last: string | null }> {
      const [row] = await execute<{ contacts: { teamId: string; contactId: string }[] | null; last: string | null }>(FIND, [after, runsMax])
      return { contacts: row?.contacts ?? [], last: row?.last ?? null }
    },

    enqueueForgetting: (teamId: string, contactId: string): Promise<void> => addForgetting(execute, teamId, contactId),
  }
}

/**
 * What fits into one batch is forgotten at once, and the rest by a job. So are events that were sent for the address before it was a contact: the next
 * contact with this address must not get them.
 */
export const forgetContacts: ForgetContacts = async (execute, teamId, { contacts, now }) => {
  const known = await execute<{ id: string; email: string }>(KNOWN, [
    teamId,
    contacts.map(({ id }) => id),
    contacts.map(({ email }) => email),
  ])
  for (const { id, email } of known) {
    await forgetAddress(execute, teamId, email)
    const rest = await forgetSome(execute, teamId, { contactId: id, after: BEGINNING, now })
    if (rest !== null) await addForgetting(execute, teamId, id)
  }
}

// Most of thousands did nothing. `offset 0` keeps each a probe of an index.
const KNOWN = `
select g.id, g.email from unnest($2::uuid[], $3::text[]) as g(id, email)
where exists (select from sent_events where team_id = $1 and contact_id = g.id offset 0)
  or exists (select from sent_events where team_id = $1 and email = g.email offset 0)
  or exists (select from automation_occurrences where contact_id = g.id offset 0)
  or exists (select from automation_occurrences where team_id = $1 and email = g.email offset 0)
  or exists (select from automation_waits where team_id = $1 and contact_id = g.id offset 0)
  or exists (select from automation_runs where contact_id = g.id offset 0)
order by g.id`

const addForgetting = (execute: Execute, teamId: string, contactId: string): Promise<void> =>
  addJob(execute, FORGET_CONTACT, { teamId, contactId }, null, `${FORGET_CONTACT}/${contactId}`)

async function forgetSome(
  execute: Execute,
  teamId: string,
  { contactId, after, now }: { contactId: string; after: Position; now: Date },
): Promise<Position | null> {
  if (await forgetSentEvents(execute, teamId, { contactId, rowsMax: ROWS_MAX })) return after
  if ((await execute(REMOVE_WAITS, [teamId, contactId, ROWS_MAX])).length === ROWS_MAX) return after
  const runs = await execute<Position>(RUNS, [contactId, after.automationId, after.id, ROWS_MAX])
  if (runs.length > 0) await execute(FORGET_RUNS, [runs.map(({ id }) => id), now, CONTACT_DELETED])
  return runs.length === ROWS_MAX ? (runs.at(-1) ?? null) : null
}

const REMOVE_WAITS = `
delete from automation_waits w using (
  select event_name, run_id, step_key from automation_waits where team_id = $1 and contact_id = $2::uuid order by event_name, run_id, step_key limit $3
) b where w.team_id = $1 and w.contact_id = $2::uuid and w.event_name = b.event_name and w.run_id = b.run_id and w.step_key = b.step_key returning 1 as one`

const RUNS = `
select automation_id as "automationId", id from automation_runs where contact_id = $1 and (automation_id, id) > ($2::uuid, $3::uuid)
order by automation_id, id limit $4`

// What its steps said may name the person; that they were gone through does not. Runs are locked in one order, as by the workers.
export const FORGET_RUNS = `
with run as materialized (
  select id from automation_runs where id = any($1::uuid[]) order by id for update
), facts as (
  delete from automation_facts f using run where f.run_id = run.id
), emails as (
  delete from automation_emails e using run where e.run_id = run.id
)
update automation_runs r set email = null, payload = '{}', wake_at = null, leased_by = null,
  status = case when r.status = 'running' then 'cancelled' else r.status end,
  reason = case when r.status = 'running' or r.reason = $3 then $3::text end,
  completed_at = coalesce(r.completed_at, $2),
  state = r.state || jsonb_build_object(
    'heard', '{}'::jsonb, 'at', null, 'status', case when r.status = 'running' then 'cancelled' else r.status end,
    'reason', case when r.status = 'running' or r.reason = $3 then $3::text end,
    'steps', (select coalesce(jsonb_object_agg(s.key, s.value || jsonb_build_object('output', null, 'error', null,
        'status', case when s.value ->> 'completedAt' is null then 'skipped' else s.value ->> 'status' end,
        'completedAt', coalesce(s.value ->> 'completedAt', to_char($2::timestamptz, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))), '{}')
      from jsonb_each(r.state -> 'steps') s))
from run where r.id = run.id and r.email is not null`

const FIND = `
with slice as materialized (
  select id, team_id, contact_id, email from automation_runs where id > $1::uuid order by id limit $2
)
select (select max(id::text) from slice having count(*) = $2) as last,
  (select jsonb_agg(distinct jsonb_build_object('teamId', team_id, 'contactId', contact_id)) from slice s
    where email is not null and not exists (select from contacts c where c.id = s.contact_id)) as contacts`
