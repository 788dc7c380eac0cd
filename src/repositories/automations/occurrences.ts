// Hands what happened to the runs that wait for it, and to the automations that it starts, in bounded batches; in SQL, because contacts are held meanwhile.
// Crosses teams: for workers.
import { NotTold } from '../../lib/automations/not-told.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import { appendContactNotifications } from '../contacts/contact-notifications.ts'
import { readContacts } from '../contacts/contact-rows.ts'
import { mergeContacts } from '../contacts/merge-contacts.ts'
import { COMMIT_AS_USUAL, type Database, type Execute, PLAN_ANEW, statement } from '../database.ts'
import { lockTelling } from '../locks.ts'
import { type Claimed, type Claiming, claimKnown } from './due-runs.ts'
import { type Start, startRuns } from './starts.ts'
import { isOfTeam, type LookedAt, type TeamShare, type TeamsWithWork, teamsOf, toTeamsWithWork } from './team-shares.ts'
import { RUNS_TOLD_MAX, tellRuns } from './told-runs.ts'

/** Runs that one batch starts or wakes, beyond those of its first occurrence. */
const RUNS_MAX = 1_000

/** The queue is empty most of the time, and tables of waits and runs are large. Few are told at a time. What was told and is undone is queued again. */
const ROW_BY_ROW = { plans: 'row by row, kept', mayBeLost: true } as const

type Occurrence = {
  seq: string
  id: string
  teamId: string
  name: string
  contactId: string | null
  email: string | null
  starts: number
  waits: number
}

export type Telling = {
  /** Hashes the address of a contact that is made because a run starts for it. */
  hashAddress: (teamId: string, email: string) => string
  /** Runs are claimed with the last statements, as those that are told are due by then. `onClaimed` is called if something was told. */
  claiming?: Claiming & { onClaimed: (claimed: Claimed) => void }
}

/** Which are told: the first of all, in their order; the first of each team; one; or one that was set aside and whose time has come. */
export type Wanted =
  | { kind: 'first'; occurrencesMax: number }
  | { kind: 'shares'; shares: TeamShare[] }
  | { kind: 'one'; seq: string }
  | { kind: 'set aside'; exceptTeams: string[] }

/** `some`: there may be more of those that were wanted. */
export type Told = 'all' | 'some' | 'another worker tells'

/** How long a statement may take for one that is told alone, so that it does not hold up all others for as long as any statement may take. */
const ALONE_MS_MAX = 10_000
/** From this failure on, an event is told again only if it is asked for, or a worker starts. */
const FAILURES_MAX = 5
/** Events that are told again by one statement. */
const RETOLD_MAX = 1_000
const SET_ASIDE_COUNTED_MAX = 10_000

export function occurrenceRepository({ transaction, execute }: Pick<Database, 'transaction' | 'execute'>, { clock }: { clock: Clock }) {
  const rowByRow = <Result>(work: (inside: Execute) => Promise<Result>): Promise<Result> => transaction(work, ROW_BY_ROW)

  return {
    /** Teams after this one that have events which were not set aside. */
    async teamsAcrossTeams(after: string): Promise<TeamsWithWork> {
      return toTeamsWithWork(await rowByRow((inside) => inside<LookedAt>(TEAMS, [after])))
    },

    /** One process does it at a time. @throws NotTold */
    async tellAcrossTeams(telling: Telling, wanted: Wanted): Promise<Told> {
      const { told, claimed } = await rowByRow(async (inside): Promise<{ told: Told; claimed?: Claimed | null }> => {
        const isAlone = wanted.kind === 'one' || wanted.kind === 'set aside'
        const [isLocked, , found] = await Promise.all([
          lockTelling(inside),
          isAlone ? inside(`set local statement_timeout = ${ALONE_MS_MAX}`) : [],
          find(inside, wanted, clock.now()),
        ])
        if (!isLocked) return { told: 'another worker tells' }
        const batch = batchOf(found)
        if (batch.length === 0) return { told: 'all' }
        const { unfinished, claimed } = await tell(inside, batch, { ...telling, clock }).catch((error: unknown) => {
          throw new NotTold(
            batch.map(({ seq, teamId }) => ({ seq, teamId })),
            error,
          )
        })
        const isCut = unfinished > 0 || batch.length < found.length
        const isFull = wanted.kind === 'set aside' || (wanted.kind === 'first' && found.length === wanted.occurrencesMax)
        return { told: isCut || isFull ? 'some' : 'all', claimed }
      })
      if (claimed) telling.claiming?.onClaimed(claimed)
      return told
    },

    /** One that could not be told alone, for longer each time. Returns when it is told again; null if only when that is asked for. */
    async setAsideAcrossTeams(seq: string): Promise<Date | null> {
      const [row] = await execute<{ until: Date | null }>(SET_ONE_ASIDE, [seq, clock.now()])
      return row?.until ?? null
    },

    /** Counts occurrences that are told again only on request, up to SET_ASIDE_COUNTED_MAX. */
    async countSetAsideAcrossTeams(): Promise<number> {
      const [row] = await execute<{ count: number }>(
        `select count(*)::int as count from (
           select from automation_occurrences where set_aside_until = 'infinity' limit ${SET_ASIDE_COUNTED_MAX}
         ) o`,
      )
      return row?.count ?? 0
    },

    /** Tells events again that are no longer told by themselves: of this team, or of all. Returns how many. */
    async tellAgainAcrossTeams(teamId: string | null): Promise<number> {
      let count = 0
      for (let some = RETOLD_MAX; some === RETOLD_MAX; count += some)
        some = (await execute(TELL_AGAIN, [teamId, clock.now(), RETOLD_MAX])).length
      return count
    },
  }
}

function find(inside: Execute, wanted: Wanted, now: Date): Promise<Occurrence[]> {
  if (wanted.kind === 'first') return inside<Occurrence>(NEXT, [wanted.occurrencesMax])
  if (wanted.kind === 'one') return inside<Occurrence>(ONE, [wanted.seq])
  if (wanted.kind === 'set aside') return inside<Occurrence>(SET_ASIDE, [now, wanted.exceptTeams])
  const { shares } = wanted
  return inside<Occurrence>(NEXT_OF_TEAMS, [shares.map(({ teamId }) => teamId), shares.map(({ count }) => count)])
}

/** `unfinished`: how many of them more runs wait for. */
async function tell(
  inside: Execute,
  batch: Occurrence[],
  { clock, hashAddress, claiming }: Telling & { clock: Clock },
): Promise<{ unfinished: number; claimed: Claimed | null }> {
  const now = clock.now()
  await makeContacts(inside, batch, { hashAddress, clock, now })
  const starting = batch.filter(({ starts }) => starts > 0)
  const seqsOf = (occurrences: Occurrence[]) => occurrences.map(({ seq }) => seq)
  const claim = async () => (claiming ? claimKnown(inside, claiming, clock.now()) : null)
  const [isEndedByClaim, startsNothing] = [claiming !== undefined, starting.length === 0]
  const [contacts, unfinished, claimedAtOnce] = await Promise.all([
    lockContacts(inside, batch),
    tellRuns(inside, { seqs: seqsOf(batch), starting: seqsOf(starting) }, { now, isLast: startsNothing && !isEndedByClaim }),
    startsNothing ? claim() : null,
  ])
  if (startsNothing) return { unfinished: unfinished.size, claimed: claimedAtOnce }
  // An occurrence that more runs wait for starts nothing yet, and keeps its place.
  const finished = starting.filter(({ seq }) => !unfinished.has(seq))
  const starts = finished.flatMap(({ starts: _count, ...occurrence }): Start[] => {
    const contact = contacts.get(keyOf(occurrence))
    return contact ? [{ ...occurrence, contactId: contact.id, email: contact.email }] : []
  })
  // A plan from when an automation had few runs would count all that it has by now.
  if (starts.length > 0) await Promise.all([inside(PLAN_ANEW), startRuns(inside, starts, { clock })])
  const [, claimed] = await Promise.all([inside(REMOVE_TOLD, [seqsOf(finished)], { isLast: !isEndedByClaim }), claim()])
  return { unfinished: unfinished.size, claimed }
}

/** As many as make a bounded number of runs move; at least one. */
function batchOf(found: Occurrence[]): Occurrence[] {
  let runs = 0
  const end = found.findIndex(({ starts, waits }, index) => {
    runs += starts + waits
    return index > 0 && runs > RUNS_MAX
  })
  return end === -1 ? found : found.slice(0, end)
}

type Held = { id: string; email: string }

const keyOf = ({ teamId, contactId, email }: Pick<Occurrence, 'teamId' | 'contactId' | 'email'>): string =>
  `${teamId} ${contactId ?? email}`

/** Addresses for which a run starts become contacts. Before any contact is held, because opt-outs come before contacts. */
async function makeContacts(
  execute: Execute,
  batch: Occurrence[],
  { hashAddress, clock, now }: Telling & { clock: Clock; now: Date },
): Promise<void> {
  const addressed = batch.flatMap(({ teamId, email, starts }) => (email !== null && starts > 0 ? [{ teamId, email }] : []))
  if (addressed.length === 0) return
  const missing = await execute<{ teamId: string; email: string }>(MISSING, [
    addressed.map(({ teamId }) => teamId),
    addressed.map(({ email }) => email),
  ])
  for (const [teamId, ofTeam] of Map.groupBy(missing, (each) => each.teamId)) {
    const contacts = ofTeam.map(({ email }) => ({
      id: createId(clock),
      email,
      addressHash: hashAddress(teamId, email),
      firstName: null,
      lastName: null,
      unsubscribed: false,
      properties: {},
    }))
    // Others see these contacts, and are told of them: they must outlive a fault. No plan for the statements that follow is one to keep.
    await execute(`${COMMIT_AS_USUAL}; ${PLAN_ANEW}`)
    const made = await mergeContacts(execute, contacts, { teamId, onConflict: 'skip', segmentIds: [], topics: [], now })
    const created = await readContacts(
      execute,
      teamId,
      made.map(({ id }) => id),
    )
    await appendContactNotifications(execute, 'contact.created', {
      teamId,
      contacts: created.map((contact) => ({ contact, segmentIds: [] })),
      now,
    })
  }
}

/** None of them is deleted, and no run of them begins a wait, before the transaction ends. By the key of the occurrence. */
async function lockContacts(execute: Execute, batch: Occurrence[]): Promise<Map<string, Held>> {
  const rows = await execute<Held & { teamId: string }>(LOCK, [
    batch.flatMap(({ contactId }) => contactId ?? []),
    batch.flatMap(({ email, teamId }) => (email === null ? [] : teamId)),
    batch.flatMap(({ email }) => email ?? []),
  ])
  return new Map(
    rows.flatMap(({ teamId, id, email }) => [
      [`${teamId} ${id}`, { id, email }],
      [`${teamId} ${email}`, { id, email }],
    ]),
  )
}

const queued = (from: string): string => `
select o.seq::text as seq, o.id, o.team_id as "teamId", o.name, o.contact_id as "contactId", o.email,
  case when o.run_id is not null then 0
    else (select count(*)::int from automations a where a.team_id = o.team_id and a.trigger_event = o.name and a.status = 'enabled' and a.deleted_at is null)
  end as starts,
  (select count(*)::int from (
    select from automation_waits w where w.team_id = o.team_id and w.event_name = o.name and w.contact_id = coalesce(o.contact_id,
      (select c.id from contacts c where c.team_id = o.team_id and c.email = o.email)) limit ${RUNS_TOLD_MAX}
  ) w) as waits
from ${from}`

const queuedIf = (which: string): string => queued(`(select * from automation_occurrences where ${which}) o order by o.seq`)

const NEXT = statement('next-occurrences', queuedIf('set_aside_until is null order by seq limit $1'))
const ONE = statement('one-occurrence', queuedIf('seq = $1 and set_aside_until is null'))
const SET_ASIDE = statement(
  'set-aside-occurrence',
  queuedIf('set_aside_until <= $1 and team_id <> all($2::uuid[]) order by set_aside_until limit 1'),
)
// The first of each team before the second of any: a batch that ends early does so for all of them.
const NEXT_OF_TEAMS = statement(
  'next-occurrences-of-teams',
  queued(`unnest($1::uuid[], $2::int[]) as g(of_team, share) cross join lateral (
    select *, row_number() over (order by seq) as place from (
      select * from automation_occurrences a where set_aside_until is null and ${isOfTeam('a', 'g.of_team')} order by team_id, seq limit g.share
    ) first
  ) o order by o.place, o.seq`),
)

const TEAMS = statement(
  'teams-with-occurrences',
  teamsOf('automation_occurrences', { rows: 'set_aside_until is null', order: 't.seq', first: 'true' }),
)

const SET_ONE_ASIDE = `
update automation_occurrences set failures = failures + 1,
  set_aside_until = case when failures + 1 < ${FAILURES_MAX} then $2::timestamptz + interval '1 minute' * 2 ^ failures else 'infinity' end
where seq = $1 returning nullif(set_aside_until, 'infinity') as until`

const TELL_AGAIN = `
update automation_occurrences o set set_aside_until = $2
from (select seq from automation_occurrences where set_aside_until = 'infinity' and ($1::uuid is null or team_id = $1) order by seq limit $3 for update skip locked) a
where o.seq = a.seq returning o.seq`

const REMOVE_TOLD = 'delete from automation_occurrences where seq = any($1::bigint[])'

const MISSING = `
select distinct g.team_id as "teamId", g.email from unnest($1::uuid[], $2::text[]) as g(team_id, email)
where not exists (select from contacts c where c.team_id = g.team_id and c.email = g.email)`

const LOCK = statement(
  'lock-contacts',
  `
select c.id, c.team_id as "teamId", c.email from contacts c
where c.id in (
  select id from contacts where id = any($1::uuid[])
  union select a.id from unnest($2::uuid[], $3::text[]) as g(team_id, email) join contacts a on a.team_id = g.team_id and a.email = g.email
) order by c.email, c.id for no key update`,
)
