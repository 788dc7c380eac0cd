import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { schemaDrift } from '../support/builders/schema.ts'
import { createTestDatabase, type TestDatabase } from '../support/servers/postgres.ts'

let database: TestDatabase

beforeEach(async () => {
  database = await createTestDatabase()
})

afterEach(() => database.drop())

it('finds no difference between the migrated database and the models', async () => {
  expect(await schemaDrift(database.url)).toBe('')
})

it('names a table, a column and an index that the models do not have', async () => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('create table stray (id int primary key); alter table emails add column stray_column int')
  await client.query('create index stray_index on emails (subject)')
  await client.end()
  const drift = await schemaDrift(database.url)
  expect(drift).toContain('DROP TABLE "stray"')
  expect(drift).toContain('DROP COLUMN "stray_column"')
  expect(drift).toContain('DROP INDEX "stray_index"')
})
