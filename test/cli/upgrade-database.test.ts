// What `upgrade-database` refuses before it starts a server. test/journeys/upgrade-database.test.ts has what it does.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lockDataFolder } from '../../src/db/embedded/data-folder-lock.ts'
import { useCommands } from './use-commands.ts'

const { commandWith } = useCommands()

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'posthaste-test-upgrade-'))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

const dataDir = () => join(place, 'data')
const programs = () => join(place, 'bin')
const upgrade = (environment: Record<string, string> = {}) =>
  commandWith({ DATA_DIR: dataDir(), ...environment }, 'upgrade-database', '--programs', programs())
const refused = (...sentences: string[]) => ({
  status: 1,
  out: '',
  errors: expect.stringMatching(new RegExp(`^${sentences.map(RegExp.escape).join('.*')}.*\\n$`)),
})

/** A data folder that says to be of this version, and a program of that version. */
function makeFormer(version: string, programVersion = version): void {
  mkdirSync(join(dataDir(), 'postgres'), { recursive: true })
  writeFileSync(join(dataDir(), 'postgres/PG_VERSION'), `${version}\n`)
  mkdirSync(programs())
  writeFileSync(join(programs(), 'postgres'), `#!/bin/sh\necho 'postgres (PostgreSQL) ${programVersion}.4'\n`)
  chmodSync(join(programs(), 'postgres'), 0o755)
}

it('refuses a database on a server, and leaves no trace where there is none', async () => {
  expect(await upgrade({ DATABASE_URL: 'postgresql://127.0.0.1/x' })).toEqual(
    refused('DATABASE_URL is set, so there is no embedded database to upgrade: upgrade your server with `pg_upgrade`'),
  )
  expect(await upgrade()).toEqual(refused(`There is no database in ${dataDir()}`))
  expect(existsSync(dataDir())).toBe(false)
})

it.each([
  ['18', 'is of PostgreSQL 18 already: there is nothing to upgrade.'],
  ['19', 'was made by PostgreSQL 19, and this Posthaste includes PostgreSQL 18: install the Posthaste that made it, or a later one.'],
])('refuses a database of PostgreSQL %s', async (version, sentence) => {
  makeFormer(version)
  expect(await upgrade()).toEqual(refused(`${join(dataDir(), 'postgres')} ${sentence}`))
})

it('refuses a folder without the programs, and programs of another version', async () => {
  makeFormer('16', '15')
  expect(await upgrade()).toEqual(
    refused(
      `${join(programs(), 'postgres')} is of PostgreSQL 15, and the database was made by PostgreSQL 16: name with --programs`,
      'such as /usr/lib/postgresql/16/bin',
    ),
  )
  rmSync(join(programs(), 'postgres'))
  expect(await upgrade()).toEqual(refused(`${join(programs(), 'postgres')} cannot be run (`, 'ENOENT): name with --programs the folder'))
})

it('refuses while a service runs, and where a former database is kept already', async () => {
  makeFormer('16')
  const lock = lockDataFolder(dataDir())
  expect(await upgrade()).toEqual(refused(`${dataDir()} is in use by another Posthaste (process ${process.pid}): stop that one`))
  lock.release()
  mkdirSync(join(dataDir(), 'postgres-16'))
  expect(await upgrade()).toEqual(refused(`${join(dataDir(), 'postgres-16')} is in the way, which is where the former database is kept`))
})

it('leaves the former database alone, and nothing else, when the new one cannot be made', async () => {
  makeFormer('16')
  writeFileSync(join(dataDir(), 'postgres-password'), 'a password')
  for (const name of ['postgres.filling', 'postgres.upgraded', 'postgres.rows']) mkdirSync(join(dataDir(), name))
  // Answers its version, and starts nothing.
  expect(await upgrade()).toEqual(refused(`The embedded PostgreSQL in ${join(dataDir(), 'postgres')} did not start`))
  expect(readdirSync(dataDir()).filter((name) => name.startsWith('postgres'))).toEqual([
    'postgres',
    'postgres-password',
    'postgres.lock',
    'postgres.owner',
  ])
})

it('does the last rename of an upgrade that was killed before it', async () => {
  makeFormer('18')
  renameSync(join(dataDir(), 'postgres'), join(dataDir(), 'postgres.upgraded'))
  // Left from an upgrade before the last: that database was moved away since, and this one is not taken for it.
  expect(await upgrade()).toMatchObject({ status: 1, errors: expect.stringContaining('There is no database in') })
  mkdirSync(join(dataDir(), 'postgres-17'))
  expect(await upgrade()).toEqual({
    status: 0,
    out: 'An earlier upgrade had one step to do, which is done: start the service.\n',
    errors: '',
  })
  expect(readFileSync(join(dataDir(), 'postgres/PG_VERSION'), 'utf8')).toBe('18\n')
  expect(existsSync(join(dataDir(), 'postgres.upgraded'))).toBe(false)
})
