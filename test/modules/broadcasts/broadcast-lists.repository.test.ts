// What the lists of recipients read: as many rows as a page has, however many recipients a broadcast has and however far it is.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBoundedQueries } from '../../../src/db/bounded-queries.ts'
import type { Database } from '../../../src/db/database.ts'
import { schemaFolder } from '../../../src/db/migrations/migrate.ts'
import { createId, HIGHEST_ID, LOWEST_ID } from '../../../src/lib/ids.ts'
import { forgetEmails } from '../../../src/modules/broadcasts/forgotten-emails.repository.ts'
import { broadcastRecipientRepository } from '../../../src/modules/broadcasts/recipients/broadcast-recipients.repository.ts'
import type { RecipientType } from '../../../src/modules/broadcasts/recipients/broadcast-recipients.schema.ts'
import { retentionRepository } from '../../../src/modules/emails/retention.repository.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openExplaining } from '../../support/servers/statements.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const EMAILS = 20_000
const PAGE = 100
const A_DAY_MS = 24 * 60 * 60_000
/** Both parts of a list, with what is one too many. */
const ROWS_READ_MAX = 4 * PAGE
const TEAM = createId()
/** The state of the email at this place, in SQL: the first ones have begun in order, as they are sent. */
const STATES = {
  whole: `'delivered'`,
  half: `case when n <= ${EMAILS / 2} then 'delivered' else 'queued' end`,
  canceled: `case when n <= ${EMAILS / 2} then 'delivered' else 'canceled' end`,
  /** All that begin after some time fail. */
  failing: `case when n <= ${EMAILS / 4} then 'delivered' else 'failed' end`,
  waiting: `case when n <= ${EMAILS / 4} then 'delivered' else 'delivery_delayed' end`,
  /** A few here and there. */
  rare: `case when n % 6000 = 1 then 'delivered' when n % 6000 = 2 then 'canceled' else 'failed' end`,
}
type Name = keyof typeof STATES
const BROADCASTS = Object.fromEntries(Object.keys(STATES).map((name) => [name, createId()])) as Record<Name, string>
const STATEMENTS = [
  'recipients by state, newest first',
  'recipients by state, oldest first',
  'recipients by act, newest first',
  'links, most followed first',
  'links, least followed first',
  'links of recipients',
]
const INDEXES = [
  ...[
    'emails_broadcast_idx',
    'emails_pkey',
    'emails_team_id_id_idx',
    'broadcast_acts_pkey',
    'broadcast_marks_pkey',
    'broadcasts_pkey',
    'broadcasts_team_id_id_idx',
  ],
  ...['broadcast_links_pkey', 'broadcast_clicks_pkey', 'broadcast_clicks_email_id_idx'],
]
const MANY_LINKS = 10_000
const LINKS = ['https://shop.example.com/a', 'https://shop.example.com/b', 'https://shop.example.com/c']

let testDatabase: TestDatabase
let database: Database
let explaining: ReturnType<typeof openExplaining>

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  for (const [name, states] of Object.entries(STATES)) await fill(BROADCASTS[name as Name], states)
  await clickAll(BROADCASTS.whole)
  await fillOthers()
  await database.execute('analyze emails, broadcast_acts, broadcast_marks, broadcast_clicks, broadcast_links, broadcasts')
  explaining = openExplainingLists()
})
afterAll(async () => {
  await explaining.database.close()
  await database.close()
  await testDatabase.drop()
})

const openExplainingLists = () =>
  openExplaining(testDatabase.superuserUrl, {
    indexes: Object.fromEntries(STATEMENTS.map((name) => [name, INDEXES])),
    rowsReadMax: ROWS_READ_MAX,
  })

async function fill(id: string, states: string): Promise<void> {
  await database.execute(
    `insert into broadcasts (id, team_id, status, name, segment_id, "from", subject, created_at) values ($1, $2, 'queued', 'n', $2, 'a@example.com', 's', now())`,
    [id, TEAM],
  )
  await database.execute(
    `insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", cc, bcc, reply_to, subject, created_at, broadcast_id)
     select uuidv7_at(now(), n), $2, $2, case ${states} when 'canceled' then 'canceled' else 'queued' end, ${states}, 'example.com', 'a@example.com',
       array['b@example.com'], '{}', '{}', '{}', 's', now(), $1
     from generate_series(1, ${EMAILS}) n`,
    [id, TEAM],
  )
  for (const type of ['sent', 'delivered', 'canceled'] as const)
    await database.execute(
      `insert into notifications (id, team_id, type, subject_id, data, created_at)
       select uuidv7_at(now(), row_number() over ()), $2, $3, id, '{}', now() from emails where broadcast_id = $1 and last_event = any($4::text[])`,
      [id, TEAM, `email.${type}`, LAST_EVENTS[type]],
    )
}

/** With these, an email is in the list, as long as nothing else happens to it. */
const LAST_EVENTS = { sent: ['delivered', 'delivery_delayed'], delivered: ['delivered'], canceled: ['canceled'] }

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
    `insert into broadcast_marks (broadcast_id, type, email_id)
     select uuidv7_at(now(), n), t, uuidv7_at(now(), n) ${others}, unnest(array['sent', 'delivered']) t`,
  )
  await database.execute(
    `insert into broadcast_links (broadcast_id, url_hash, url, clicks, unique_clicks)
     select uuidv7_at(now(), n), gen_random_uuid(), 'https://shop.example.com/' || n, 1, 1 ${others}`,
  )
}

const idsOf = (broadcastId: string, lastEvents: string[] | null = null) =>
  database
    .execute<{ id: string }>(
      'select id from emails where broadcast_id = $1 and ($2::text[] is null or last_event = any($2::text[])) order by id',
      [broadcastId, lastEvents],
    )
    .then((rows) => rows.map(({ id }) => id))

async function read(broadcastId: string, type: RecipientType, place: { after?: string; before?: string }, looking = explaining) {
  let found: string[] = []
  const searches = createBoundedQueries(looking.database)
  const { list } = broadcastRecipientRepository(looking.database, { searches })
  const page = { limit: PAGE, after: place.after ?? null, before: place.before ?? null }
  const { statements, problems } = await looking.see(async () => {
    const { rows } = await list(TEAM, broadcastId, { type, email: null, bounceType: null }, page)
    found = rows.map(({ id }) => id)
  })
  return { found, problems, ran: statements.length > 0 }
}

describe('a page of the recipients', () => {
  const all = Object.keys(STATES).flatMap((name) =>
    (['sent', 'delivered', 'canceled'] as const).map((type) => [name as Name, type] as const),
  )
  it.each(all)('of the %s broadcast by %s reads no more rows than it has', async (name, type) => {
    const id = BROADCASTS[name]
    const listed = (await idsOf(id, LAST_EVENTS[type])).toReversed()
    expect(await read(id, type, {})).toEqual({ found: listed.slice(0, PAGE), problems: [], ran: true })
    const half = Math.floor(listed.length / 2)
    const after = listed[half - 1] ?? HIGHEST_ID
    expect(await read(id, type, { after })).toEqual({ found: listed.slice(half, half + PAGE), problems: [], ran: true })
    const before = listed[half] ?? LOWEST_ID
    expect(await read(id, type, { before })).toEqual({ found: listed.slice(Math.max(0, half - PAGE), half), problems: [], ran: true })
    const last = listed.at(-2) ?? HIGHEST_ID
    expect(await read(id, type, { after: last })).toEqual({ found: listed.slice(-1), problems: [], ran: true })
  })

  it('by who clicked reads no more than it has, with the links of each', async () => {
    const all = await idsOf(BROADCASTS.whole)
    expect(await read(BROADCASTS.whole, 'clicked', {})).toEqual({ found: all.slice(EMAILS - PAGE).toReversed(), problems: [], ran: true })
    const after = all[EMAILS / 2] ?? LOWEST_ID
    const further = all.slice(EMAILS / 2 - PAGE, EMAILS / 2).toReversed()
    expect(await read(BROADCASTS.whole, 'clicked', { after })).toEqual({ found: further, problems: [], ran: true })
  })

  it('by who clicked looks up each email by its id, however cheap another join seems', async () => {
    const looking = openExplainingLists()
    await looking.database.execute('set enable_nestloop = off')
    const all = await idsOf(BROADCASTS.whole)
    const newest = all.slice(EMAILS - PAGE).toReversed()
    expect(await read(BROADCASTS.whole, 'clicked', {}, looking)).toEqual({ found: newest, problems: [], ran: true })
    await looking.database.close()
  })

  it('by what did not happen reads none', async () => {
    for (const id of Object.values(BROADCASTS)) expect(await read(id, 'bounced', {})).toEqual({ found: [], problems: [], ran: true })
    const fresh = createId()
    await fill(fresh, `'queued'`)
    for (const type of ['sent', 'delivered', 'canceled'] as const)
      expect(await read(fresh, type, {})).toEqual({ found: [], problems: [], ran: true })
  })
})

it('lists the recipients of broadcasts that were sent before there were marks', async () => {
  const migration = readFileSync(join(schemaFolder, 'migrations/0079_marks_of_recipients/migration.sql'), 'utf8')
  const backfill = /^insert into broadcast_marks .*?;$/ms.exec(migration)?.[0] ?? ''
  await database.execute('truncate broadcast_marks')
  await database.execute(backfill)
  for (const name of ['canceled', 'rare', 'waiting'] as const)
    for (const type of ['sent', 'delivered', 'canceled'] as const) {
      const listed = (await idsOf(BROADCASTS[name], LAST_EVENTS[type])).toReversed()
      expect((await read(BROADCASTS[name], type, {})).found).toEqual(listed.slice(0, PAGE))
    }
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

  it('are found page by page among ten thousand, each once, by one look at each', async () => {
    const id = createId()
    await database.execute(
      `insert into broadcasts (id, team_id, status, name, segment_id, "from", subject, created_at) values ($1, $2, 'sent', 'n', $2, 'a@example.com', 's', now())`,
      [id, TEAM],
    )
    await database.execute(
      `insert into broadcast_links (broadcast_id, url_hash, url, clicks, unique_clicks)
       select $1, md5(n::text)::uuid, 'https://shop.example.com/' || n, n % 30, n % 30 from generate_series(1, ${MANY_LINKS}) n`,
      [id],
    )
    await database.execute('analyze broadcast_links')
    const looking = openExplaining(testDatabase.superuserUrl, {
      indexes: Object.fromEntries(STATEMENTS.map((name) => [name, INDEXES])),
      rowsReadMax: MANY_LINKS + 1,
    })
    const { clickedLinks } = broadcastRecipientRepository(looking.database, { searches: createBoundedQueries(looking.database) })
    const ranked = (
      await database.execute<{ id: string }>(
        'select url_hash as id from broadcast_links where broadcast_id = $1 order by clicks desc, url_hash',
        [id],
      )
    ).map((row) => row.id)
    const page = async (place: { after?: string | undefined; before?: string | undefined }) => {
      let found: string[] = []
      const { problems } = await looking.see(async () => {
        const { rows } = await clickedLinks(TEAM, id, { limit: PAGE, after: place.after ?? null, before: place.before ?? null })
        found = rows.map((row) => row.id)
      })
      return { found, problems }
    }
    expect(await page({})).toEqual({ found: ranked.slice(0, PAGE), problems: [] })
    const half = MANY_LINKS / 2
    expect(await page({ after: ranked[half - 1] })).toEqual({ found: ranked.slice(half, half + PAGE), problems: [] })
    expect(await page({ before: ranked[half] })).toEqual({ found: ranked.slice(half - PAGE, half), problems: [] })
    expect(await page({ after: ranked.at(-3) })).toEqual({ found: ranked.slice(-2), problems: [] })
    await looking.database.close()
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

    const { rows } = await retentionRepository(database, { forgetEmails }).removeEmailsAcrossTeams(new Date(Date.now() + A_DAY_MS))

    expect(rows).toBe(100)
    const [oldest] = await idsOf(BROADCASTS.whole)
    const marks = await database.execute<{ type: string }>('select type from broadcast_marks where broadcast_id = $1 and email_id < $2', [
      BROADCASTS.whole,
      oldest,
    ])
    // A stretch that has other emails keeps its marks.
    expect(marks.map(({ type }) => type).toSorted()).toEqual(['delivered', 'sent'])
    const left = EMAILS - 100
    expect(await links()).toEqual(
      LINKS.map((url, place) => {
        const followed = place === LINKS.length - 1 ? left / 10 : left
        return { url, clicks: followed, uniqueClicks: followed }
      }),
    )
  })
})
