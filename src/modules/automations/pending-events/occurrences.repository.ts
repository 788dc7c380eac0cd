// Hands what happened to the runs that wait for it, and to the automations that it starts, in bounded batches; in SQL, because contacts are held meanwhile.
// Crosses teams: for workers.

import { COMMIT_AS_USUAL, type Database, type Execute, PLAN_ANEW, statement } from '../../../db/database.ts'
import { lockDispatching } from '../../../db/transactions.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createId } from '../../../lib/ids.ts'
import { appendContactNotifications, readContacts } from '../../audience/contacts/contact-rows.repository.ts'
import { countContactsUpTo, mergeContacts } from '../../audience/contacts/merge-contacts.repository.ts'
import { roomLeft } from '../../limits/limits.repository.ts'
import {
  type Claimed,
  type Claiming,
  claimKnown,
  isOfTeam,
  type LookedAt,
  type TeamQuota,
  type TeamsWithWork,
  teamsStatement,
  toTeamsWithWork,
} from '../runs/due-runs.repository.ts'
import { NotDispatched, notifyRuns, RUNS_NOTIFIED_MAX } from './notified-runs.repository.ts'
import { type Start, startRuns } from './starts.repository.ts'

/** Runs that one batch starts or wakes, beyond those of its first occurrence. */
const RUNS_MAX = 1_000

/** The queue is empty most of the time, and tables of waits and runs are large. Few are dispatched at a time. What was dispatched and is undone is queued again. */
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

export type DispatchOptions = {
  /** Hashes the address of a contact that is made because a run starts for it. */
  hashAddress: (teamId: string, email: string) => string
  /** Runs are claimed with the last statements, as those that are dispatched are due by then. `onClaimed` is called if something was dispatched. */
  claiming?: Claiming & { onClaimed: (claimed: Claimed) => void }
}

/** Which are dispatched: the first of all, in their order; the first of each team; one; or one that was set aside and whose time has come. */
export type Wanted =
  | { kind: 'first'; occurrencesMax: number }
  | { kind: 'shares'; shares: TeamQuota[] }
  | { kind: 'one'; seq: string }
  | { kind: 'set aside'; exceptTeams: string[] }

/** `some`: there may be more of those that were wanted. */
export type DispatchOutcome = 'all' | 'some' | 'another worker dispatches'

/** How long a statement may take for one that is dispatched alone, so that it does not hold up all others for as long as any statement may take. */
const ALONE_MS_MAX = 10_000
/** From this failure on, an event is dispatched again only if it is asked for, or a worker starts. */
const FAILURES_MAX = 5
/** Events that are dispatched again by one statement. */
const REDISPATCHED_MAX = 1_000
const SET_ASIDE_COUNTED_MAX = 10_000

export function occurrenceRepository({ transaction, execute }: Pick<Database, 'transaction' | 'execute'>, { clock }: { clock: Clock }) {
  const rowByRow = <Result>(work: (inside: Execute) => Promise<Result>): Promise<Result> => transaction(work, ROW_BY_ROW)

  return {
    /** Teams after this one that have events which were not set aside. */
    async teamsAcrossTeams(after: string): Promise<TeamsWithWork> {
      return toTeamsWithWork(await rowByRow((inside) => inside<LookedAt>(TEAMS, [after])))
    },

    /** One process does it at a time. @throws NotDispatched */
    async dispatchAcrossTeams(options: DispatchOptions, wanted: Wanted): Promise<DispatchOutcome> {
      const { result, claimed } = await rowByRow(async (inside): Promise<{ result: DispatchOutcome; claimed?: Claimed | null }> => {
        const isAlone = wanted.kind === 'one' || wanted.kind === 'set aside'
        const [isLocked, , found] = await Promise.all([
          lockDispatching(inside),
          isAlone ? inside(`set local statement_timeout = ${ALONE_MS_MAX}`) : [],
          find(inside, wanted, clock.now()),
        ])
        if (!isLocked) return { result: 'another worker dispatches' }
        const batch = chooseBatch(found)
        if (batch.length === 0) return { result: 'all' }
        const { unfinished, claimed } = await dispatch(inside, batch, { ...options, clock }).catch((error: unknown) => {
          throw new NotDispatched(
            batch.map(({ seq, teamId }) => ({ seq, teamId })),
            error,
          )
        })
        const isCut = unfinished > 0 || batch.length < found.length
        const isFull = wanted.kind === 'set aside' || (wanted.kind === 'first' && found.length === wanted.occurrencesMax)
        return { result: isCut || isFull ? 'some' : 'all', claimed }
      })
      if (claimed) options.claiming?.onClaimed(claimed)
      return result
    },

    /** One that could not be dispatched alone, for longer each time. Returns when it is dispatched again; null if only when that is asked for. */
    async setAsideAcrossTeams(seq: string): Promise<Date | null> {
      const [row] = await execute<{ until: Date | null }>(SET_ONE_ASIDE, [seq, clock.now()])
      return row?.until ?? null
    },

    /** Counts occurrences that are dispatched again only on request, up to SET_ASIDE_COUNTED_MAX. */
    async countSetAsideAcrossTeams(): Promise<number> {
      const [row] = await execute<{ count: number }>(
        `select count(*)::int as count from (
           select from automation_occurrences where set_aside_until = 'infinity' limit ${SET_ASIDE_COUNTED_MAX}
         ) o`,
      )
      return row?.count ?? 0
    },

    /** Tells events again that are no longer dispatched by themselves: of this team, or of all. Returns how many. */
    async dispatchAgainAcrossTeams(teamId: string | null): Promise<number> {
      let count = 0
      for (let some = REDISPATCHED_MAX; some === REDISPATCHED_MAX; count += some)
        some = (await execute(DISPATCH_AGAIN, [teamId, clock.now(), REDISPATCHED_MAX])).length
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
async function dispatch(
  inside: Execute,
  batch: Occurrence[],
  { clock, hashAddress, claiming }: DispatchOptions & { clock: Clock },
): Promise<{ unfinished: number; claimed: Claimed | null }> {
  const now = clock.now()
  await makeContacts(inside, batch, { hashAddress, clock, now })
  const starting = batch.filter(({ starts }) => starts > 0)
  const seqsOf = (occurrences: Occurrence[]) => occurrences.map(({ seq }) => seq)
  const claim = async () => (claiming ? claimKnown(inside, claiming, clock.now()) : null)
  const [isEndedByClaim, startsNothing] = [claiming !== undefined, starting.length === 0]
  const [contacts, unfinished, claimedAtOnce] = await Promise.all([
    lockContacts(inside, batch),
    notifyRuns(inside, { seqs: seqsOf(batch), starting: seqsOf(starting) }, { now, isLast: startsNothing && !isEndedByClaim }),
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
function chooseBatch(found: Occurrence[]): Occurrence[] {
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
  { hashAddress, clock, now }: DispatchOptions & { clock: Clock; now: Date },
): Promise<void> {
  const addressed = batch.flatMap(({ teamId, email, starts }) => (email !== null && starts > 0 ? [{ teamId, email }] : []))
  if (addressed.length === 0) return
  const missing = await execute<{ teamId: string; email: string }>(MISSING, [
    addressed.map(({ teamId }) => teamId),
    addressed.map(({ email }) => email),
  ])
  for (const [teamId, ofTeam] of Map.groupBy(missing, (each) => each.teamId)) {
    const room = await roomLeft(execute, teamId, { name: 'contacts', count: (max) => countContactsUpTo(execute, teamId, max) })
    const contacts = ofTeam.slice(0, Math.max(0, room?.left ?? ofTeam.length)).map(({ email }) => ({
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
      (select c.id from contacts c where c.team_id = o.team_id and c.email = o.email)) limit ${RUNS_NOTIFIED_MAX}
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
  teamsStatement('automation_occurrences', { rows: 'set_aside_until is null', order: 't.seq', first: 'true' }),
)

const SET_ONE_ASIDE = `
update automation_occurrences set failures = failures + 1,
  set_aside_until = case when failures + 1 < ${FAILURES_MAX} then $2::timestamptz + interval '1 minute' * 2 ^ failures else 'infinity' end
where seq = $1 returning nullif(set_aside_until, 'infinity') as until`

const DISPATCH_AGAIN = `
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
