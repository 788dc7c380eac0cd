// How PostgreSQL executes the statements that hand out what happened and take runs further: what they read must depend on the batch, never on how many
// runs wait.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { createId, LOWEST_ID } from '../../../src/lib/ids.ts'
import { newState } from '../../../src/modules/automations/engine/run-state.ts'
import { occurrenceRepository } from '../../../src/modules/automations/pending-events/occurrences.repository.ts'
import { advanceRepository } from '../../../src/modules/automations/runs/advances.repository.ts'
import { type Claimed, dueRunRepository } from '../../../src/modules/automations/runs/due-runs.repository.ts'
import { copyTestDatabase, createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { keepStatistics, openExplaining, type Seen } from '../../support/servers/statements.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const WAITING = 20_000
const TOLD = 30
const ROWS_READ_MAX = 8 * TOLD
const TEAM = createId()

const RUNS = ['automation_runs_pkey', 'automation_runs_contact_id_automation_id_id_idx', 'automation_runs_automation_id_event_id_key']
/** All indexes by which the batch may be found. */
const INDEXES: Record<string, string[]> = {
  'next-occurrences': ['automation_occurrences_next_idx', 'automations_trigger_idx', 'automation_waits_pkey'],
  'lock-contacts': ['contacts_pkey', 'contacts_team_id_email_key'],
  'tell-runs': ['automation_occurrences_pkey', 'automation_waits_pkey', 'contacts_pkey', 'automation_runs_pkey', 'automation_facts_pkey'],
  'triggered-automations': ['automations_trigger_idx', 'automations_pkey', 'automations_team_id_id_idx'],
  'count-runs-of-contacts': [...RUNS, 'automation_runs_contact_running_idx'],
  'insert-runs': ['automation_occurrences_pkey', ...RUNS],
  'claim-runs': ['automation_runs_due_idx', 'automation_runs_pkey', 'automations_pkey', 'automations_team_id_id_idx', 'contacts_pkey'],
  'claim-runs-of-teams': [
    'automation_runs_team_due_idx',
    'automation_runs_pkey',
    'automations_pkey',
    'automations_team_id_id_idx',
    'contacts_pkey',
  ],
  'teams-with-due-runs': ['automation_runs_team_due_idx'],
  'teams-with-occurrences': ['automation_occurrences_team_next_idx'],
  'next-occurrences-of-teams': ['automation_occurrences_team_next_idx', 'automations_trigger_idx', 'automation_waits_pkey'],
  'facts-of-runs': ['automation_facts_pkey'],
  'facts-of-claimed-runs': ['automation_runs_leased_idx', 'automation_facts_pkey'],
  'properties-of-claimed-runs': ['automation_runs_leased_idx', 'contact_properties_team_id_id_idx', 'contact_properties_team_id_key_key'],
  'expecting-runs': ['automation_occurrences_contact_idx', 'automation_occurrences_email_idx', 'contacts_pkey'],
  'lock-contacts-of-runs': ['contacts_pkey', 'contacts_team_id_id_idx'],
  'lock-contacts-of-waits': ['contacts_pkey', 'contacts_team_id_id_idx'],
  'lock-runs': [
    'automation_runs_pkey',
    'automation_runs_leased_idx',
    'automations_pkey',
    'automations_team_id_id_idx',
    'contacts_pkey',
    'contacts_team_id_id_idx',
  ],
  'note-facts': ['automation_facts_pkey'],
  'store-runs': ['automation_runs_pkey', 'automation_facts_pkey', 'automation_emails_run_id_idx'],
  'end-waits': ['automation_waits_pkey'],
  'begin-waits': [],
}
/** The others find their rows as well by a plan from when the tables were empty. */
const PLANNED_ANEW = [
  'triggered-automations',
  'count-runs-of-contacts',
  'insert-runs',
  'claim-runs',
  'claim-runs-of-teams',
  'teams-with-due-runs',
  'facts-of-runs',
  'expecting-runs',
]
/** What an event that wakes a run needs. */
const KEPT = [
  'next-occurrences',
  'lock-contacts',
  'tell-runs',
  'facts-of-claimed-runs',
  'properties-of-claimed-runs',
  'lock-contacts-of-runs',
  'lock-contacts-of-waits',
  'lock-runs',
  'note-facts',
  'end-waits',
  'begin-waits',
  'store-runs',
]
const TABLES = ['automation_runs', 'automation_waits', 'automation_facts', 'automation_occurrences', 'automations', 'contacts']

/** Filled once, and copied for each test that begins with it. */
let filled: TestDatabase
let testDatabase: TestDatabase
let database: Database
let explaining: ReturnType<typeof openExplaining>

beforeAll(async () => {
  await openTables(await createTestDatabase())
  await fillWaiting()
  await closeTables()
  filled = testDatabase
})
afterAll(() => filled.drop())
beforeEach(async () => openTables(await copyTestDatabase(filled)))
afterEach(dropTables)

async function openTables(of: TestDatabase): Promise<void> {
  testDatabase = of
  database = openTestDatabase(of.url)
  await keepStatistics(database, /^(automation.*|contacts)$/)
  explaining = openExplaining(of.superuserUrl, { indexes: INDEXES, rowsReadMax: ROWS_READ_MAX, plannedAnew: PLANNED_ANEW })
}
async function closeTables(): Promise<void> {
  await explaining.database.close()
  await database.close()
}
async function dropTables(): Promise<void> {
  await closeTables()
  await testDatabase.drop()
}
async function beginEmpty(): Promise<void> {
  await dropTables()
  await openTables(await createTestDatabase())
}

const analyze = () => database.execute(`analyze ${TABLES.join(', ')}`)

describe('telling a batch of events, and taking the runs further that waited for them', () => {
  it('reads no more than the batch where no statistics were ever made', async () => {
    expect(await tellAndAdvance()).toMatchObject({ claimed: 2 * TOLD, problems: [] })
  })

  it('reads no more than the batch with plans and statistics of empty tables', async () => {
    await beginEmpty()
    await analyze()
    await tellAndAdvance()
    await fillWaiting()
    expect(await tellAndAdvance()).toMatchObject({ claimed: 2 * TOLD, problems: [] })
  })

  it('reads no more than the batch with plans of the first run, and statistics of empty tables', async () => {
    await beginEmpty()
    await analyze()
    await fillWaiting({ waiting: 1, told: 1 })
    const first = await tellAndAdvance()
    expect(first).toMatchObject({ claimed: 2 })
    expect(KEPT.filter((name) => !first.statements.includes(name))).toEqual([])
    await database.execute(`update automations set status = 'disabled'`)
    await fillWaiting()
    expect(await tellAndAdvance()).toMatchObject({ claimed: 2 * TOLD, problems: [] })
  })

  it('reads no more than the batch with statistics', async () => {
    await analyze()
    expect(await tellAndAdvance()).toMatchObject({ claimed: 2 * TOLD, problems: [] })
  })

  it.each([
    ['tell-runs', 'alter table automation_waits drop constraint automation_waits_pkey'],
    ['claim-runs', 'drop index automation_runs_due_idx, automation_runs_team_due_idx'],
  ])('is seen to go astray in %s after: %s', async (name, drop) => {
    await analyze()
    await database.execute(drop)
    expect((await tellAndAdvance()).problems.filter((problem) => problem.startsWith(`${name}: `))).not.toEqual([])
  })
})

describe('teams that take turns', () => {
  it.each(['where no statistics were ever made', 'with statistics'])('are found by a probe for each, %s', async (statistics) => {
    if (statistics === 'with statistics') await analyze()
    expect(await takeTurns()).toMatchObject({ claimed: TOLD, problems: [] })
  })

  it.each([
    ['claim-runs-of-teams', 'drop index automation_runs_team_due_idx'],
    ['teams-with-due-runs', 'drop index automation_runs_team_due_idx'],
    ['teams-with-occurrences', 'drop index automation_occurrences_team_next_idx'],
    ['next-occurrences-of-teams', 'drop index automation_occurrences_team_next_idx'],
  ])('are seen to go astray in %s after: %s', async (name, drop) => {
    await analyze()
    await database.execute(drop)
    expect((await takeTurns()).problems.filter((problem) => problem.startsWith(`${name}: `))).not.toEqual([])
  })
})

/** Many events of the team are queued, and many of its runs are due. */
async function takeTurns(): Promise<Seen & { claimed: number }> {
  const occurrences = occurrenceRepository(explaining.database, { clock: systemClock })
  const due = dueRunRepository(explaining.database)
  const now = new Date(Date.now() + 2 * 86_400_000)
  await database.execute(
    `insert into automation_occurrences (id, team_id, name, contact_id, payload, created_at)
     select gen_random_uuid(), $1, 'other', gen_random_uuid(), '{}', now() from generate_series(1, $2)`,
    [TEAM, WAITING],
  )
  let claimed = 0
  const seen = await explaining.see(async () => {
    const { teamIds } = await occurrences.teamsAcrossTeams(LOWEST_ID)
    const shares = teamIds.map((teamId) => ({ teamId, count: TOLD }))
    await occurrences.dispatchAcrossTeams({ hashAddress: (_teamId, email) => email }, { kind: 'shares', shares })
    expect(await due.teamsAcrossTeams(now, LOWEST_ID)).toEqual({ teamIds: [TEAM], lookOnAfter: null })
    claimed = (await due.claimByQuota(createId(), now, shares)).length
  })
  return { claimed, ...seen }
}

describe('starting a run for a contact who has had very many', () => {
  const HISTORY = 5_000

  async function fillHistory(): Promise<void> {
    await database.execute(
      `insert into automation_runs (id, team_id, automation_id, version_id, contact_id, event_id, event_name, payload, status, state, started_at, created_at)
       select uuidv7(interval '-2 hours'), a.team_id, a.id, a.version_id, o.contact_id, gen_random_uuid(), 'heard', '{}', 'completed', '{}', now(), now()
       from automations a, (select contact_id from automation_occurrences order by seq limit 1) o, generate_series(1, $1::int) where a.trigger_event = 'heard'`,
      [HISTORY],
    )
    await analyze()
  }

  it.each(['not_while_running', 'once', 'always'])('reads only what decides, with reentry %s', async (reentry) => {
    await database.execute(`update automations set reentry = $1, max_runs_per_contact = 50 where trigger_event = 'heard'`, [reentry])
    await fillHistory()
    const { problems, statements } = await tellAndAdvance()
    expect(statements).toContain('count-runs-of-contacts')
    expect(problems).toEqual([])
  })

  it('is seen to read the whole history without the index of running runs', async () => {
    await database.execute(
      `update automations set reentry = 'not_while_running', max_runs_per_contact = null where trigger_event = 'heard'; drop index automation_runs_contact_running_idx`,
    )
    await fillHistory()
    const { problems } = await tellAndAdvance()
    expect(problems.filter((problem) => problem.startsWith('count-runs-of-contacts: '))).not.toEqual([])
  })
})

/** Contacts with a run each that waits for an event, which happens to some; it starts another automation too. */
async function fillWaiting({ waiting: count = WAITING, told = TOLD } = {}): Promise<void> {
  const [waiting, started] = [createId(), createId()]
  await database.execute(
    `insert into automations (id, team_id, name, status, class, reentry, trigger_event, version_id, created_at, updated_at)
     select id, $1, 'A', 'enabled', 'transactional', 'always', event, $4, now(), now() from unnest($2::uuid[], $3::text[]) as a(id, event)`,
    [TEAM, [waiting, started], ['begun', 'heard'], createId()],
  )
  await database.execute(
    `with contact as (
       insert into contacts (id, team_id, email, address_hash, created_at, updated_at)
       select gen_random_uuid(), $1::uuid, 'p' || n || '@' || ($2::uuid)::text || '.test', md5(n::text), now(), now() from generate_series(1, $3::int) n returning id, team_id, email
     ), run as (
       insert into automation_runs (id, team_id, automation_id, version_id, contact_id, email, event_id, event_name, payload, status, state, wake_at, started_at, created_at)
       select uuidv7(), team_id, $2, $2, id, email, id, 'begun', '{}', 'running', $4::jsonb, now() + interval '1 day', now(), now() from contact returning id, team_id, contact_id
     )
     insert into automation_waits (team_id, contact_id, event_name, run_id, step_key) select team_id, contact_id, 'heard', id, 'wait' from run`,
    [TEAM, waiting, count, JSON.stringify(newState({ id: createId(), name: 'begun' }))],
  )
  await database.execute(
    `insert into automation_occurrences (id, team_id, name, contact_id, payload, created_at)
     select gen_random_uuid(), $1, 'heard', c.id, '{}', now() from (select contact_id as id from automation_runs where automation_id = $3 order by contact_id limit $2) c`,
    [TEAM, told, waiting],
  )
}

async function tellAndAdvance(): Promise<Seen & { claimed: number }> {
  const occurrences = occurrenceRepository(explaining.database, { clock: systemClock })
  const due = dueRunRepository(explaining.database)
  const advances = advanceRepository(explaining.database, { clock: systemClock })
  const workerId = createId()
  let claimed = 0
  const seen = await explaining.see(async () => {
    const besides: Claimed[] = []
    const claiming = { workerId, runsMax: TOLD, onClaimed: (some: Claimed) => void besides.push(some) }
    await occurrences.dispatchAcrossTeams({ hashAddress: (_teamId, email) => email, claiming }, { kind: 'first', occurrencesMax: 200 })
    const later = await due.claim(workerId, new Date(Date.now() + 1_000), 100)
    const runs = [...besides.flatMap((some) => some.runs), ...later]
    claimed = runs.length
    const { facts } = await due.readFacts(runs.map(({ id }) => id))
    expect(besides.flatMap(({ facts }) => facts.facts)).toEqual(
      facts.filter(({ runId }) => besides.some((some) => some.runs.some(({ id }) => id === runId))),
    )
    await due.expecting(runs.map(({ id, contactId }) => ({ runId: id, contactId, eventName: 'heard' })))
    await advances.store(
      workerId,
      runs.map(({ id, teamId, contactId, state }, index) => ({
        id,
        teamId,
        contactId,
        // Every second one waits again.
        state: { ...state, status: index % 2 === 0 ? ('completed' as const) : ('running' as const) },
        stateBefore: state,
        wakeAt: null,
        noted: facts.filter(({ runId }) => runId === id),
        waits: index % 2 === 0 ? [] : [{ stepKey: 'again', eventName: 'heard again' }],
        left: ['wait'],
        emails: [],
      })),
    )
  })
  return { claimed, ...seen }
}
