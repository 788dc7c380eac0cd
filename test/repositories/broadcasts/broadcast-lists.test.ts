// What the lists of recipients read: as many rows as a page has, however many recipients a broadcast has and however far it is.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createId, HIGHEST_ID, LOWEST_ID } from '../../../src/lib/ids.ts'
import { createBoundedQueries } from '../../../src/repositories/bounded-queries.ts'
import { broadcastRecipientRepository } from '../../../src/repositories/broadcasts/broadcast-recipients.ts'
import { type Database, openDatabase } from '../../../src/repositories/database.ts'
import { retentionRepository } from '../../../src/repositories/retention.ts'
import type { RecipientType } from '../../../src/schemas/broadcast-recipients.ts'
import { openExplaining } from '../../support/servers/explaining.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'

const EMAILS = 20_000
const PAGE = 100
const A_DAY_MS = 24 * 60 * 60_000
/** Both parts of a list, with what is one too many. */
const ROWS_READ_MAX = 4 * PAGE
const TEAM = createId()
const BROADCASTS = { whole: createId(), half: createId(), canceled: createId() }
const STATEMENTS = [
  'recipients by state, newest first',
  'recipients by state, oldest first',
  'recipients by act, newest first',
  'begun emails',
  'links, most followed first',
  'links of recipients',
]
const INDEXES = [
  ...['emails_broadcast_idx', 'emails_pkey', 'broadcast_acts_pkey', 'broadcasts_pkey', 'broadcasts_team_id_id_idx'],
  ...['broadcast_links_pkey', 'broadcast_clicks_pkey', 'broadcast_clicks_email_id_idx'],
]
const LINKS = ['https://shop.example.com/a', 'https://shop.example.com/b', 'https://shop.example.com/c']

let testDatabase: TestDatabase
let database: Database
let explaining: ReturnType<typeof openExplaining>

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ databaseUrl: testDatabase.url, onError: () => {} })
  await fill(BROADCASTS.whole, { status: 'sent', states: `'delivered'`, begun: EMAILS })
  await fill(BROADCASTS.half, { status: 'queued', states: `'queued'`, begun: EMAILS / 2 })
  await fill(BROADCASTS.canceled, { status: 'canceled', states: `'canceled'`, begun: EMAILS / 2 })
  await clickAll(BROADCASTS.whole)
  await fillOthers()
  await database.execute('analyze emails, broadcast_acts, broadcast_clicks, broadcast_links, broadcasts')
  explaining = openExplaining(testDatabase.superuserUrl, {
    indexes: Object.fromEntries(STATEMENTS.map((name) => [name, INDEXES])),
    rowsReadMax: ROWS_READ_MAX,
    arePlannedAnew: false,
  })
})
afterAll(async () => {
  await explaining.database.close()
  await database.close()
  await testDatabase.drop()
})

/** The first emails of a broadcast have begun, in order, as they are sent; the others have this state. */
async function fill(id: string, { status, states, begun }: { status: string; states: string; begun: number }): Promise<void> {
  await database.execute(
    `insert into broadcasts (id, team_id, status, name, segment_id, "from", subject, created_at) values ($1, $2, $3, 'n', $2, 'a@example.com', 's', now())`,
    [id, TEAM, status],
  )
  await database.execute(
    `insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", cc, bcc, reply_to, subject, created_at, broadcast_id)
     select uuidv7_at(now(), n), $2, $2, case when n > $3 and ${states} = 'canceled' then 'canceled' else 'queued' end,
       case when n > $3 then ${states} else 'delivered' end, 'example.com', 'a@example.com', array['b@example.com'], '{}', '{}', '{}', 's', now(), $1
     from generate_series(1, ${EMAILS}) n`,
    [id, TEAM, begun],
  )
  if (status === 'sent') return
  await database.execute(
    `insert into notifications (id, team_id, type, subject_id, data, created_at)
     select uuidv7_at(now(), row_number() over ()), $2, 'email.sent', id, '{}', now() from emails where broadcast_id = $1 and last_event = 'delivered'`,
    [id, TEAM],
  )
}

/** Each recipient follows all links but the last, and every tenth that one too. */
async function clickAll(id: string): Promise<void> {
  await database.execute(
    `insert into notifications (id, team_id, type, subject_id, data, created_at)
     select uuidv7_at(now(), row_number() over ()), $2, 'email.clicked', e.id,
       jsonb_build_object('detail', jsonb_build_object('click', jsonb_build_object('link', link))), now()
     from (select id, row_number() over (order by id) as n from emails where broadcast_id = $1) e, unnest($3::text[]) with ordinality as l(link, place)
     where place < $4 or n % 10 = 0`,
    [id, TEAM, LINKS, LINKS.length],
  )
}

/** Adds rows of other teams, so that tables are as large as they are where it matters. */
async function fillOthers(): Promise<void> {
  const others = `from generate_series(1, 5000) n`
  await database.execute(
    `insert into broadcasts (id, team_id, status, name, segment_id, "from", subject, created_at)
     select uuidv7_at(now(), n), $1, 'sent', 'n', $1, 'a@example.com', 's', now() ${others}`,
    [createId()],
  )
  await database.execute(
    `insert into broadcast_acts (broadcast_id, type, email_id, count)
     select uuidv7_at(now(), n), t, uuidv7_at(now(), n), 1 ${others}, unnest(array['opened', 'begun', 'bounced', 'sent', 'delivered']) t`,
  )
  await database.execute(
    `insert into broadcast_links (broadcast_id, url_hash, url, clicks, unique_clicks)
     select uuidv7_at(now(), n), gen_random_uuid(), 'https://shop.example.com/' || n, 1, 1 ${others}`,
  )
}

const idsOf = (broadcastId: string) =>
  database
    .execute<{ id: string }>('select id from emails where broadcast_id = $1 order by id', [broadcastId])
    .then((rows) => rows.map(({ id }) => id))

async function read(broadcastId: string, type: RecipientType, place: { after?: string; before?: string }) {
  let found: string[] = []
  const searches = createBoundedQueries(explaining.database)
  const { list } = broadcastRecipientRepository(explaining.database, { searches })
  const page = { limit: PAGE, after: place.after ?? null, before: place.before ?? null }
  const { statements, problems } = await explaining.see(async () => {
    const { rows } = await list(TEAM, broadcastId, { type, email: null, bounceType: null }, page)
    found = rows.map(({ id }) => id)
  })
  return { found, problems, ran: statements.length > 0 }
}

describe('a page of the recipients', () => {
  it.each([
    ['whole', 'sent', EMAILS],
    ['whole', 'delivered', EMAILS],
    ['half', 'sent', EMAILS / 2],
    ['half', 'delivered', EMAILS / 2],
    ['canceled', 'sent', EMAILS / 2],
    ['canceled', 'canceled', EMAILS],
  ] as const)('of a %s broadcast by %s reads no more rows than it has', async (which, type, end) => {
    const all = await idsOf(BROADCASTS[which])
    const first = await read(BROADCASTS[which], type, {})
    expect(first).toEqual({ found: all.slice(end - PAGE, end).toReversed(), problems: [], ran: true })
    const after = all[end - EMAILS / 4] ?? LOWEST_ID
    const further = all.slice(end - EMAILS / 4 - PAGE, end - EMAILS / 4).toReversed()
    expect(await read(BROADCASTS[which], type, { after })).toEqual({ found: further, problems: [], ran: true })
    const before = all[end - EMAILS / 4 - 1] ?? HIGHEST_ID
    const back = all.slice(end - EMAILS / 4, end - EMAILS / 4 + PAGE).toReversed()
    expect(await read(BROADCASTS[which], type, { before })).toEqual({ found: back, problems: [], ran: true })
  })

  it('by who clicked reads no more than it has, with the links of each', async () => {
    const all = await idsOf(BROADCASTS.whole)
    expect(await read(BROADCASTS.whole, 'clicked', {})).toEqual({ found: all.slice(EMAILS - PAGE).toReversed(), problems: [], ran: true })
    const after = all[EMAILS / 2] ?? LOWEST_ID
    const further = all.slice(EMAILS / 2 - PAGE, EMAILS / 2).toReversed()
    expect(await read(BROADCASTS.whole, 'clicked', { after })).toEqual({ found: further, problems: [], ran: true })
  })

  it('by what did not happen reads none', async () => {
    for (const id of Object.values(BROADCASTS)) expect(await read(id, 'bounced', {})).toEqual({ found: [], problems: [], ran: true })
    const fresh = createId()
    await fill(fresh, { status: 'paused', states: `'queued'`, begun: 0 })
    expect(await read(fresh, 'sent', {})).toEqual({ found: [], problems: [], ran: true })
  })
})

describe('the links of a broadcast', () => {
  it('are read without the clicks, however many there are', async () => {
    const { clickedLinks } = broadcastRecipientRepository(explaining.database, { searches: createBoundedQueries(explaining.database) })
    let links: { url: string; clicks: number; uniqueClicks: number }[] = []
    const { statements, problems } = await explaining.see(async () => {
      const { rows } = await clickedLinks(TEAM, BROADCASTS.whole, { limit: PAGE, after: null, before: null })
      links = rows.map(({ url, clicks, uniqueClicks }) => ({ url, clicks, uniqueClicks }))
    })
    expect({ statements, problems }).toEqual({ statements: ['links, most followed first'], problems: [] })
    expect(links.toSorted((a, b) => a.url.localeCompare(b.url))).toEqual(
      LINKS.map((url, place) => {
        const followed = place === LINKS.length - 1 ? EMAILS / 10 : EMAILS
        return { url, clicks: followed, uniqueClicks: followed }
      }),
    )
  })

  it('lose what was removed with its emails, and disappear with the last click', async () => {
    const links = () =>
      database.execute('select url, clicks, unique_clicks as "uniqueClicks" from broadcast_links where broadcast_id = $1 order by url', [
        BROADCASTS.whole,
      ])
    const [first] = await idsOf(BROADCASTS.whole)
    await database.execute(
      `insert into notifications (id, team_id, type, subject_id, data, created_at)
       select uuidv7(), $1, 'email.clicked', $2, jsonb_build_object('detail', jsonb_build_object('click', jsonb_build_object('link', link))), now()
       from unnest(array['https://shop.example.com/a', 'https://shop.example.com/only']) link, generate_series(1, 2)`,
      [TEAM, first],
    )
    expect(await links()).toMatchObject([{ clicks: EMAILS + 2, uniqueClicks: EMAILS }, {}, {}, { clicks: 2, uniqueClicks: 1 }])
    await database.execute(
      `update emails set final_at = created_at where id in (select id from emails where broadcast_id = $1 order by id limit 100)`,
      [BROADCASTS.whole],
    )

    const { emails } = await retentionRepository(database).removeEmailsAcrossTeams(new Date(Date.now() + A_DAY_MS))

    expect(emails).toBe(100)
    const left = EMAILS - 100
    expect(await links()).toEqual(
      LINKS.map((url, place) => {
        const followed = place === LINKS.length - 1 ? left / 10 : left
        return { url, clicks: followed, uniqueClicks: followed }
      }),
    )
  })
})
