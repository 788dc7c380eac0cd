// Migrations are forward only: databases have them, so what was published stays as it is, and what is new comes after it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { schemaFolder } from '../../src/db/migrations/migrate.ts'
import { readMigrations } from '../../src/db/migrations/migration-history.ts'

const folder = join(schemaFolder, 'migrations')

/** A release adds its lines, in the folder: `sha256sum NNNN_name/migration.sql >> SHA256SUMS`. */
const published = new Map(
  readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, digest = '', name = ''] = /^(\w{64}) {2}(\w+)\/migration\.sql$/.exec(line) ?? []
      return [name, digest]
    }),
)

it('the published migrations are as they were published', () => {
  const found = readMigrations(folder).filter(({ name }) => published.has(name))
  expect(published.size).toBeGreaterThan(60)
  expect(found.map(({ name, checksum }) => [name, checksum])).toEqual([...published])
})

it('new migrations come after the published ones', () => {
  const last = [...published.keys()].at(-1) ?? ''
  const earlier = readMigrations(folder).filter(({ name }) => !published.has(name) && name < last)
  expect(earlier.map(({ name }) => name)).toEqual([])
})
