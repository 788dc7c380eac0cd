// Finding any record reads a bounded number of rows, however many the team has, also where the database sorts texts as people do.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createRecordSearches } from '../../../../src/db/bounded-queries.ts'
import { migrate } from '../../../../src/db/migrations/migrate.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { FOUND_TYPES } from '../../../../src/modules/console/search/found-types.ts'
import { recordSearchRepository } from '../../../../src/modules/console/search/record-searches.repository.ts'
import { silentLog } from '../../../support/processes/processes.ts'
import { openReading } from '../../../support/servers/statements.ts'

const DATABASE = `test_${createId().replaceAll('-', '')}`
const TEAM = createId()
const CONTACTS = 100_000
const NAMED = 20_000
/** The records of one kind that a search reads. */
const SEARCHED_MAX = 10_000
/** The newest contacts, whose names are compared. */
const NAMES_SEARCHED_MAX = 5_000
/** Whether there are more. */
const COUNTED_MAX = NAMES_SEARCHED_MAX + 1

const urlOf = (url: string): string => Object.assign(new URL(url), { pathname: DATABASE }).href
const onServer = async (sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: inject('superuserUrl') })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

let reading: ReturnType<typeof openReading>
const find = async (words: string) => {
  const searches = createRecordSearches(reading.database, { msMax: 20_000 })
  return (await recordSearchRepository({ searches }).byName(TEAM, { words, address: words, messageId: `<${words}>` }, FOUND_TYPES)).rows
}

beforeAll(async () => {
  const role = new URL(inject('databaseUrl')).username
  await onServer(`create database ${DATABASE} template template0 locale_provider icu icu_locale 'en-US' owner ${role}`)
  await migrate({ databaseUrl: urlOf(inject('databaseUrl')), log: silentLog })
  reading = openReading(urlOf(inject('superuserUrl')))
  const { execute } = reading.database
  await execute(
    `insert into contacts (id, team_id, email, address_hash, created_at, updated_at)
     select uuidv7_at('2001-02-03Z'::timestamptz + n * interval '1 second', n), $1, 'person-' || n || '@example.com', n::text, now(), now() from generate_series(1, ${CONTACTS}) n`,
    [TEAM],
  )
  for (const email of ['ada~@example.com', 'adaz@example.com', 'ada_@example.com', 'ADA@example.com', 'adb@example.com'])
    await execute('insert into contacts (id, team_id, email, address_hash, created_at, updated_at) values ($1, $2, $3, $3, now(), now())', [
      createId(),
      TEAM,
      email,
    ])
  await execute(
    `insert into broadcasts (id, team_id, status, name, segment_id, "from", subject, created_at)
     select uuidv7_at('2001-02-03Z'::timestamptz + n * interval '1 second', n), $1, 'sent', 'News ' || n, $1, 'a@example.com', 'x', now() from generate_series(1, ${NAMED}) n`,
    [TEAM],
  )
})
afterAll(async () => {
  await reading.database.close()
  await onServer(`drop database ${DATABASE} with (force)`)
})

describe.each(['without', 'with'])('%s statistics', (what) => {
  beforeAll(() => reading.database.execute(what === 'with' ? 'analyze' : 'select'))

  it('a search for words reads so many of each kind, and contacts where their addresses begin with them, and the newest by name', async () => {
    const { rows, whole } = await reading.see(() => find('person-77'))
    const { contacts = 0, broadcasts = 0 } = rows
    expect({ contacts, areFew: broadcasts <= SEARCHED_MAX }).toEqual({ contacts: NAMES_SEARCHED_MAX + COUNTED_MAX + 6, areFew: true })
    expect(whole.filter((table) => ['contacts', 'broadcasts'].includes(table))).toEqual([])
  })

  it('a search for an id reads that row', async () => {
    const records = recordSearchRepository({ searches: createRecordSearches(reading.database) })
    const [contact] = await find('person-77@example.com')
    const { rows } = await reading.see(() => records.byId(TEAM, contact?.id ?? '', FOUND_TYPES))
    expect({ contacts: rows.contacts, broadcasts: rows.broadcasts }).toEqual({ contacts: 1, broadcasts: 0 })
  })
})

it('finds addresses by their beginning in the order of their characters', async () => {
  expect((await find('ada')).map(({ title }) => title)).toEqual(['ada_@example.com', 'adaz@example.com', 'ada~@example.com'])
  expect((await find('person-100000')).map(({ title }) => title)).toEqual(['person-100000@example.com'])
  expect(await find('ada@')).toEqual([])
})
