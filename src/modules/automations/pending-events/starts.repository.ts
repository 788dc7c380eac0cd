// Starts runs: for each automation that an event triggers, unless the contact may not start it (again); in SQL, because runs are counted by pairs.

import { type Execute, statement } from '../../../db/database.ts'
import { type Clock, HOUR_MS } from '../../../lib/clock.ts'
import { createId, idBound } from '../../../lib/ids.ts'
import { newState } from '../engine/run-state.ts'

/** An automation that a contact starts more often within an hour is probably part of a loop. */
export const STARTS_PER_HOUR_MAX = 100

/** An event of a contact, which is held. */
export type Start = { seq: string; id: string; teamId: string; name: string; contactId: string; email: string }

type Candidate = {
  automationId: string
  teamId: string
  name: string
  versionId: string
  stopSeen: Date | null
  reentry: 'always' | 'once' | 'not_while_running'
  runsMax: number | null
}

type Counts = { contactId: string; automationId: string; total: number; running: number; recent: number }

/** Starts runs in the order in which they happened. The caller holds the lock on dispatching, so that the counts are right. */
export async function startRuns(execute: Execute, starts: Start[], { clock }: { clock: Clock }): Promise<number> {
  if (starts.length === 0) return 0
  const candidates = await execute<Candidate>(CANDIDATES, [starts.map(({ teamId }) => teamId), starts.map(({ name }) => name)])
  if (candidates.length === 0) return 0
  const now = clock.now()
  const pairs = starts.flatMap((start) => matchingCandidates(candidates, start).map((candidate) => ({ start, candidate })))
  const counts = await countRuns(execute, pairs, now)
  const held = new Map<string, string>()
  const runs = pairs.flatMap(({ start, candidate }) => {
    const count = counts.get(`${start.contactId} ${candidate.automationId}`)
    const refusal = count && startRefusal(candidate, count)
    if (refusal === 'loop') held.set(candidate.automationId, start.contactId)
    if (!count || refusal !== null) return []
    count.total += 1
    count.running += 1
    count.recent += 1
    const { contactId, email, seq, teamId } = start
    const { automationId, versionId, stopSeen } = candidate
    const state = newState({ id: start.id, name: start.name })
    return [{ id: createId(clock), teamId, automationId, versionId, stopSeen, contactId, email, seq, state }]
  })
  if (runs.length > 0) await execute(INSERT, [JSON.stringify(runs), now])
  if (held.size > 0) await execute(HOLD, [[...held.keys()], [...held.values()], now])
  return runs.length
}

const matchingCandidates = (candidates: Candidate[], { teamId, name }: Start): Candidate[] =>
  candidates.filter((candidate) => candidate.teamId === teamId && candidate.name === name)

function startRefusal({ reentry, runsMax }: Candidate, { total, running, recent }: Counts): 'loop' | 'not again' | null {
  if (reentry === 'once' && total > 0) return 'not again'
  if (reentry === 'not_while_running' && running > 0) return 'not again'
  if (runsMax !== null && total >= runsMax) return 'not again'
  return recent >= STARTS_PER_HOUR_MAX ? 'loop' : null
}

async function countRuns(execute: Execute, pairs: { start: Start; candidate: Candidate }[], now: Date): Promise<Map<string, Counts>> {
  const rows = await execute<Counts>(COUNT, [
    pairs.map(({ start }) => start.contactId),
    pairs.map(({ candidate }) => candidate.automationId),
    pairs.map(({ candidate: { runsMax, reentry } }) => runsMax ?? (reentry === 'once' ? 1 : 0)),
    idBound(now.getTime() - HOUR_MS),
    pairs.map(({ candidate }) => candidate.reentry === 'not_while_running'),
    pairs.map(({ candidate }) => candidate.stopSeen),
  ])
  return new Map(rows.map((row) => [`${row.contactId} ${row.automationId}`, row]))
}

// Held, so that none is stopped before its runs are there. Who stops one finds them.
const CANDIDATES = statement(
  'triggered-automations',
  `
select a.id as "automationId", a.team_id as "teamId", a.trigger_event as name, a.version_id as "versionId", a.stopped_at as "stopSeen", a.reentry,
  a.max_runs_per_contact as "runsMax"
from automations a where a.status = 'enabled' and a.deleted_at is null and a.id in (
  select x.id from (select distinct * from unnest($1::uuid[], $2::text[]) as u(team_id, name)) g
  cross join lateral (
    select x.id from automations x where x.team_id = g.team_id and x.trigger_event = g.name and x.status = 'enabled' and x.deleted_at is null offset 0
  ) x
) order by a.id for key share`,
)

// Only what the automation asks for, and no more of it than decides: a contact may have had very many runs. One that began before the automation was
// stopped is as good as cancelled.
const COUNT = statement(
  'count-runs-of-contacts',
  `
select p.contact_id as "contactId", p.automation_id as "automationId", p.total, p.running, p.recent from (
  select g.contact_id, g.automation_id,
    (select count(*)::int from (select from automation_runs r where r.contact_id = g.contact_id and r.automation_id = g.automation_id limit g.runs_max) t) as total,
    (select count(*)::int from (select from automation_runs r where g.asks_running and r.contact_id = g.contact_id and r.automation_id = g.automation_id and r.status = 'running'
      and r.stop_seen is not distinct from g.stop_seen limit 1) t) as running,
    (select count(*)::int from (select from automation_runs r where r.contact_id = g.contact_id and r.automation_id = g.automation_id and r.id > $4 limit ${STARTS_PER_HOUR_MAX}) t) as recent
  from (
    select distinct * from unnest($1::uuid[], $2::uuid[], $3::int[], $5::boolean[], $6::timestamptz[])
      as u(contact_id, automation_id, runs_max, asks_running, stop_seen)
  ) g
) p`,
)

const INSERT = statement(
  'insert-runs',
  `
insert into automation_runs (id, team_id, automation_id, version_id, stop_seen, contact_id, email, event_id, event_name, payload, status, state, wake_at, started_at, created_at)
select g.id, g."teamId", g."automationId", g."versionId", g."stopSeen", g."contactId", g.email, o.id, o.name, o.payload, 'running', g.state, $2, $2, $2
from jsonb_to_recordset($1::jsonb) as g(id uuid, "teamId" uuid, "automationId" uuid, "versionId" uuid, "stopSeen" timestamptz, "contactId" uuid, email text,
  seq bigint, state jsonb) join automation_occurrences o on o.seq = g.seq order by g.id
on conflict (automation_id, event_id) do nothing`,
)

const HOLD = `
update automations a set held_at = $3, held_contact_id = g.contact_id from unnest($1::uuid[], $2::uuid[]) as g(id, contact_id) where a.id = g.id`
