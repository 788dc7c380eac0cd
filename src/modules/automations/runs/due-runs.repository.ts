// Runs for which there is something to do: claimed for one worker, with all that is needed to decide; in SQL, because rows that another worker holds are
// skipped. Crosses teams: for workers.
import { oneOf } from '../../../db/columns.ts'
import { type Database, type Execute, PLAN_ANEW, PLAN_ONCE, statement } from '../../../db/database.ts'
import { IS_NOT_HELD } from '../../../db/held.ts'
import type { HeldWork } from '../../../db/leases/worker-leases.repository.ts'
import { CLAIMS_BEFORE_SUSPICION } from '../../../lib/limits/claims.ts'
import { isOfStoppedTeam } from '../../accounts/teams/team-states.sql.ts'
import type { PropertyRow } from '../../audience/properties/properties.repository.ts'
import { PROPERTY_TYPES } from '../../audience/properties/properties.schema.ts'
import type { RunState } from '../engine/run-state.ts'
import type { Fields } from '../graph/references.ts'

// Which teams have something to do; in SQL, because one probe of an index finds that for each, however much it has. Crosses teams: for workers.

/** What a team gets of a batch. */
export type TeamQuota = { teamId: string; count: number }

/** Teams in order. `lookOnAfter`: the last one that was looked at; null at the end. */
export type TeamsWithWork = { teamIds: string[]; lookOnAfter: string | null }

/** Teams that one look goes through. The next one continues after the last. */
const TEAMS_MAX = 500

/**
 * SQL for a loose index scan, from one team straight to the next. $1: the team after which it begins.
 *
 * @param rows of the table, all that the index has
 * @param first what the first row of a team must be, so that the team has work
 */
export const teamsStatement = (table: string, { rows, order, first }: { rows: string; order: string; first: string }): string => `
with recursive team as (
  (select team_id, 1 as place from ${table} where ${rows} and team_id > $1 order by team_id limit 1)
  union all
  select next.team_id, team.place + 1 from team cross join lateral (
    select t.team_id from ${table} t where ${rows} and t.team_id > team.team_id order by t.team_id limit 1
  ) next where team.place < ${TEAMS_MAX}
)
select team.team_id as "teamId", f.has_work as "hasWork" from team cross join lateral (
  select ${first} as has_work from ${table} t where ${rows} and ${isOfTeam('t', 'team.team_id')} order by t.team_id, ${order} limit 1
) f order by team.team_id`

/**
 * A range instead of an equality, and then the order begins with the team: only the index of teams has that order. Where one team has nearly all rows,
 * the index of all rows looks as good, and is read through for a team that has few.
 */
export const isOfTeam = (row: string, teamId: string): string => `${row}.team_id >= ${teamId} and ${row}.team_id <= ${teamId}`

export type LookedAt = { teamId: string; hasWork: boolean }

export const toTeamsWithWork = (rows: LookedAt[]): TeamsWithWork => ({
  teamIds: rows.filter(({ hasWork }) => hasWork).map(({ teamId }) => teamId),
  lookOnAfter: rows.length === TEAMS_MAX ? (rows.at(-1)?.teamId ?? null) : null,
})

/** The limit for runs that are claimed together: their states and payloads. A larger run is claimed alone. */
export const CLAIMED_BYTES_MAX = 8 * 1024 * 1024
/** That one run takes note of at a time. */
export const FACTS_PER_RUN_MAX = 50
/** The limit for the payloads of facts that are read together. */
export const FACTS_BYTES_MAX = 8 * 1024 * 1024

export type ClaimedRun = {
  id: string
  teamId: string
  automationId: string
  versionId: string
  contactId: string
  payload: Fields
  state: RunState
  claims: number
  /** Null if the automation was deleted. */
  automation: { class: 'transactional' | 'bulk'; isStopped: boolean } | null
  /** Null if it was deleted. */
  contact: ContactOfRun | null
}

export type ContactOfRun = {
  email: string
  addressHash: string
  firstName: string | null
  lastName: string | null
  unsubscribed: boolean
  /** Keyed by the number of the property. */
  properties: Record<string, string | number>
}

export type RunFact = { runId: string; seq: string; stepKey: string; eventId: string; eventName: string; payload: Fields }

/** `unread`: runs that were told more than was read. */
export type FactsOfRuns = { facts: RunFact[]; unread: ReadonlySet<string> }

/**
 * Few runs are due, and they must not be looked for among all, so each statement probes. If a claim is undone, the worker that made it stores nothing.
 */
export function dueRunRepository({ execute, probe }: Pick<Database, 'execute' | 'probe'>) {
  return {
    /** The longest due first. */
    claim: (workerId: string, now: Date, runsMax: number): Promise<ClaimedRun[]> => claimDue(probe, { workerId, runsMax }, now),

    /** Teams after this one, and which of them have runs that are due. Suspects do not count. */
    async teamsAcrossTeams(now: Date, after: string): Promise<TeamsWithWork> {
      return toTeamsWithWork(await probe<LookedAt>(TEAMS, [after, now]))
    },

    /** Claims the runs of each team that have been due longest, as many as its share. */
    async claimByQuota(workerId: string, now: Date, shares: TeamQuota[]): Promise<ClaimedRun[]> {
      if (shares.length === 0) return []
      return probe<ClaimedRun>(CLAIM_SHARES, [workerId, now, shares.map(({ teamId }) => teamId), shares.map(({ count }) => count)])
    },

    /** One that may be what kills its workers, or what failed with others. */
    async claimSuspect(workerId: string, now: Date): Promise<ClaimedRun[]> {
      return probe<ClaimedRun>(CLAIM_SUSPECT, [workerId, now, 1])
    },

    /** What the runs were told and have not taken note of, in order: the first of it, as much as may be read. */
    async readFacts(runIds: string[]): Promise<FactsOfRuns> {
      return toFacts(await probe<FactRow>(FACTS, [runIds, FACTS_BYTES_MAX]))
    },

    /** Returns the waits whose run has not yet been told that the event has come. */
    async expecting(waits: { runId: string; contactId: string; eventName: string }[]): Promise<Set<string>> {
      const rows = await probe<{ runId: string }>(EXPECTING, [
        waits.map(({ runId }) => runId),
        waits.map(({ contactId }) => contactId),
        waits.map(({ eventName }) => eventName),
      ])
      return new Set(rows.map(({ runId }) => runId))
    },

    /** What this worker still holds, after a fault. `counts`: the claim may have been the reason. */
    async release(workerId: string, { runIds, at, counts }: { runIds: string[] | null; at: Date | null; counts: boolean }): Promise<void> {
      await execute(RELEASE, [workerId, runIds, at, counts])
    },

    /** What this worker still holds of runs that failed together: each is claimed alone from now on, until it was stored. */
    async suspect(workerId: string, runIds: string[]): Promise<void> {
      await execute(SUSPECT, [workerId, runIds])
    },
  }
}

export type Claiming = { workerId: string; runsMax: number }

/** Claimed runs, with what else decides: what they were told, and the properties of their teams. */
export type Claimed = { runs: ClaimedRun[]; facts: FactsOfRuns; properties: ReadonlyMap<string, PropertyRow[]> }

const claimDue = (execute: Execute, { workerId, runsMax }: Claiming, now: Date): Promise<ClaimedRun[]> =>
  execute<ClaimedRun>(CLAIM, [workerId, now, runsMax], { isLast: true })

/**
 * In a transaction that is planned row by row, as its last statements. They are sent together. Only the claim is planned anew: it joins what a plan from
 * when there were no runs would read through.
 */
export async function claimKnown(execute: Execute, { workerId, runsMax }: Claiming, now: Date): Promise<Claimed> {
  const [, runs, , facts, properties] = await Promise.all([
    execute(PLAN_ANEW),
    execute<ClaimedRun>(CLAIM, [workerId, now, runsMax]),
    execute(PLAN_ONCE),
    execute<FactRow>(FACTS_OF_CLAIMED, [workerId, FACTS_BYTES_MAX]),
    execute<PropertyOfTeam>(PROPERTIES_OF_CLAIMED, [workerId], { isLast: true }),
  ])
  return { runs, facts: toFacts(facts), properties: toProperties(properties) }
}

type PropertyOfTeam = Omit<PropertyRow, 'type'> & { teamId: string; type: string }

const toProperties = (rows: PropertyOfTeam[]): Map<string, PropertyRow[]> =>
  Map.groupBy(
    rows.map((row) => ({ ...row, type: oneOf(PROPERTY_TYPES, row.type) })),
    ({ teamId }) => teamId,
  )

type FactRow = Omit<RunFact, 'payload'> & { payload: Fields | null }

const toFacts = (rows: FactRow[]): FactsOfRuns => ({
  facts: rows.flatMap(({ payload, ...fact }) => (payload === null ? [] : [{ ...fact, payload }])),
  unread: new Set(rows.flatMap(({ runId, payload }) => (payload === null ? [runId] : []))),
})

/** `due`: rows of `id` and `bytes` with their `place`, the first of which is claimed whatever it has. */
const claim = (due: string): string => `
with due as materialized (
  ${due}
), batch as (
  select id from (select id, bytes, sum(bytes) over (order by place, id rows unbounded preceding) as total from due) d
  where total <= ${CLAIMED_BYTES_MAX} or total = bytes
), claimed as (
  update automation_runs r set leased_by = $1, claims = r.claims + 1 from batch where r.id = batch.id
  returning r.id, r.team_id, r.automation_id, r.version_id, r.contact_id, r.payload, r.state, r.claims, r.stop_seen
)
select r.id, r.team_id as "teamId", r.automation_id as "automationId", r.version_id as "versionId", r.contact_id as "contactId", r.payload, r.state, r.claims,
  case when a.id is not null then jsonb_build_object('class', a.class, 'isStopped', a.stopped_at is distinct from r.stop_seen) end as automation,
  case when c.id is not null then jsonb_build_object('email', c.email, 'addressHash', c.address_hash, 'firstName', c.first_name, 'lastName', c.last_name,
    'unsubscribed', c.unsubscribed, 'properties', c.properties) end as contact
from claimed r
left join lateral (select * from automations a where a.id = r.automation_id offset 0) a on a.deleted_at is null
left join lateral (select * from contacts c where c.id = r.contact_id offset 0) c on c.team_id = r.team_id`

const WAITING = `leased_by is null and wake_at is not null and claims < ${CLAIMS_BEFORE_SUSPICION}`
const SUSPECTS = `leased_by is null and wake_at is not null and claims >= ${CLAIMS_BEFORE_SUSPICION}`

const longestDue = (which: string, { order = 'wake_at', runsMax = '$3' } = {}): string =>
  `select id, wake_at as place, octet_length(state::text) + octet_length(payload::text) as bytes
   from automation_runs where ${which} and wake_at <= $2 and ${IS_NOT_HELD} and not ${isOfStoppedTeam('automation_runs.team_id')} order by ${order} limit ${runsMax} for update skip locked`

const CLAIM = statement('claim-runs', claim(longestDue(WAITING)))
const CLAIM_SUSPECT = statement('claim-suspect-run', claim(longestDue(SUSPECTS)))
const CLAIM_SHARES = statement(
  'claim-runs-of-teams',
  // The first of each team before the second of any: a batch that is cut has some of all of them.
  claim(`select d.id, row_number() over (partition by g.of_team order by d.place) as place, d.bytes
    from unnest($3::uuid[], $4::int[]) as g(of_team, share) cross join lateral (
    ${longestDue(`${WAITING} and ${isOfTeam('automation_runs', 'g.of_team')}`, { order: 'team_id, wake_at', runsMax: 'g.share' })}
  ) d`),
)

const TEAMS = statement(
  'teams-with-due-runs',
  teamsStatement('automation_runs', {
    rows: WAITING,
    order: 't.wake_at',
    first: `t.wake_at <= $2 and ${IS_NOT_HELD} and not ${isOfStoppedTeam('t.team_id')}`,
  }),
)

const factsOf = (runs: string): string => `
select run_id as "runId", seq::text as seq, step_key as "stepKey", event_id as "eventId", event_name as "eventName",
  case when place <= ${FACTS_PER_RUN_MAX} and (total <= $2 or total = bytes) then payload end as payload
from (
  select f.*, sum(f.bytes) over (order by f.run_id, f.seq, f.step_key rows unbounded preceding) as total
  from ${runs} r(id) cross join lateral (
    select *, octet_length(payload::text) as bytes, row_number() over (order by seq, step_key) as place
    from (select * from automation_facts where run_id = r.id order by seq, step_key limit ${FACTS_PER_RUN_MAX + 1}) f
  ) f
) f order by run_id, f.seq, step_key`

/** Runs that this worker holds and that were not suspect. */
const CLAIMED = `leased_by = $1 and claims <= ${CLAIMS_BEFORE_SUSPICION}`

const FACTS = statement('facts-of-runs', factsOf('unnest($1::uuid[])'))
const FACTS_OF_CLAIMED = statement('facts-of-claimed-runs', factsOf(`(select id from automation_runs where ${CLAIMED})`))

const PROPERTIES_OF_CLAIMED = statement(
  'properties-of-claimed-runs',
  `
select p.* from (select distinct team_id from automation_runs where ${CLAIMED}) t cross join lateral (
  select p.team_id as "teamId", p.id, p.number, p.key, p.type, p.fallback_value as "fallbackValue", p.created_at as "createdAt"
  from contact_properties p where p.team_id = t.team_id offset 0
) p order by p.id`,
)

const EXPECTING = statement(
  'expecting-runs',
  `
select w.run_id as "runId" from unnest($1::uuid[], $2::uuid[], $3::text[]) as w(run_id, contact_id, event_name)
where exists (
  select from automation_occurrences o where o.contact_id = w.contact_id and o.name = w.event_name and o.failures = 0 and (o.run_id is null or o.run_id = w.run_id)
) or exists (
  select from contacts c join automation_occurrences o on o.team_id = c.team_id and o.email = c.email
  where c.id = w.contact_id and o.contact_id is null and o.name = w.event_name and o.failures = 0 and o.run_id is null
)`,
)

const RELEASE = `
update automation_runs r set leased_by = null, wake_at = coalesce($3, wake_at), claims = case when $4 then r.claims else greatest(r.claims - 1, 0) end
from (select id from automation_runs where leased_by = $1 and ($2::uuid[] is null or id = any($2::uuid[])) order by id for update) held where r.id = held.id`

const SUSPECT = `
update automation_runs r set leased_by = null, claims = greatest(r.claims, ${CLAIMS_BEFORE_SUSPICION})
from (select id from automation_runs where leased_by = $1 and id = any($2::uuid[]) order by id for update) held where r.id = held.id`

// A claim counts only if the worker has ended: the run may have been the reason.
const FREE = `
update automation_runs r set leased_by = null, claims = case when $2 then r.claims else greatest(r.claims - 1, 0) end
from (select id from automation_runs where leased_by = $1 order by id for update) held where r.id = held.id`

/** The runs that a worker holds. */
export const heldRuns: HeldWork = {
  table: 'automation_runs',
  free: (inside, workerId, { hasEnded }) => inside(FREE, [workerId, hasEnded]),
}
