// A column of a closed set has one list of its words: the sources read and write by it, the models name it, and the database refuses every other word.
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listedColumns, sourceFiles, wordChecks } from '../support/builders/schema.ts'
import { createTestDatabase, type TestDatabase } from '../support/servers/postgres.ts'

let database: TestDatabase
let session: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  session = new pg.Client({ connectionString: database.url })
  await session.connect()
})
afterAll(async () => {
  await session.end()
  await database.drop()
})

const asLines = (columns: { table: string; column: string; words: readonly string[] }[]): string[] =>
  columns.map(({ table, column, words }) => `${table}.${column}: ${words.toSorted().join(' ')}`).sort()

it('the words that the database takes are those of the lists', async () => {
  const listed = await listedColumns()
  expect(listed.length).toBeGreaterThan(40)
  expect(asLines(await wordChecks(session))).toEqual(asLines(listed))
})

it('every check of words holds for all rows', async () => {
  const { rows } = await session.query(
    `select conrelid::regclass::text || '.' || conname as name from pg_constraint where not convalidated`,
  )
  expect(rows).toEqual([])
})

it('a list by which a row is read is that of a column', async () => {
  const named = new Set((await listedColumns()).map(({ list }) => list))
  const read = sourceFiles().flatMap((file) =>
    file.endsWith('.repository.ts') ? [...readFileSync(file, 'utf8').matchAll(/\boneOf\((\w+), /g)].map(([, list = '']) => list) : [],
  )
  expect(read.length).toBeGreaterThan(20)
  expect(read.filter((list) => !named.has(list))).toEqual([])
})
