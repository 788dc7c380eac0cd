import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { compose } from '../src/compose.ts'
import { readConfig } from '../src/config/config.ts'
import { createLog } from '../src/io/log.ts'
import { createTestDatabase, type TestDatabase } from './support/servers/postgres.ts'
import { openTestDatabase } from './support/servers/test-databases.ts'

let testDatabase: TestDatabase
let dataDir: string
beforeEach(async () => {
  testDatabase = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'posthaste-test-secret-'))
})
afterEach(async () => {
  await testDatabase.drop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Starts and stops a service, to see what a start does with the key. */
async function startAndStop(environment: Record<string, string> = {}): Promise<void> {
  const config = readConfig({ DATABASE_URL: testDatabase.url, DATA_DIR: dataDir, ROLES: 'api', LOG_LEVEL: 'silent', ...environment })
  const database = openTestDatabase(testDatabase.url)
  const opened = { database, databaseUrl: testDatabase.url, close: () => database.close() }
  const service = await compose(config, opened, createLog(config), { publicUrl: 'http://localhost:3000' }).catch(async (error) => {
    await database.close()
    throw error
  })
  await service.close()
}

const file = () => join(dataDir, 'secret-key')

it('a start whose secret-key was lost names the file and makes no new one, and continues when it is restored', async () => {
  await startAndStop()
  const kept = await readFile(file(), 'utf8')
  await rm(file())

  await expect(startAndStop()).rejects.toMatchObject({
    name: 'StartupProblem',
    message: `${file()} is missing, and the keys in the database are opened by nothing else: restore that file from a backup, or set SECRET_KEY to what it held.`,
  })
  expect(await readdir(dataDir)).not.toContain('secret-key')

  await startAndStop({ SECRET_KEY: kept.trim() })
  expect(await readdir(dataDir)).not.toContain('secret-key')
  await writeFile(file(), kept)
  await startAndStop()
})

it.each([
  [
    'with keys in the database',
    true,
    'has been cut short, and the keys in the database are opened by nothing else: restore that file from a backup, or set SECRET_KEY to what it held.',
  ],
  ['of a new installation', false, 'holds no key of 32 characters: remove that file for a new one, or set SECRET_KEY.'],
])('an empty secret-key %s protects nothing and ends the start', async (_what, isUsed, words) => {
  if (isUsed) await startAndStop()
  await writeFile(file(), '\n')
  await expect(startAndStop()).rejects.toMatchObject({ name: 'StartupProblem', message: `${file()} ${words}` })
  expect(await readFile(file(), 'utf8')).toBe('\n')
})
