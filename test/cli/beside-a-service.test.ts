import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../support/clocks/until.ts'
import { copyPreparedDatabase } from '../support/processes/places.ts'
import { end, launch, run, temporaryFolder } from './run-command.ts'
import { useCommands } from './use-commands.ts'

let folder: ReturnType<typeof temporaryFolder>
let running: ChildProcess[]

beforeEach(() => {
  folder = temporaryFolder()
  running = []
})
afterEach(async () => {
  await Promise.all(running.map(end))
  folder.remove()
})

/** What every command says first. */
const errorsWith = (lines = '') => `Database: embedded, in ${join(folder.path, 'data')}\n${lines}`
const command = (...args: string[]) => run(args, { folder: folder.path })

/** Runs `start` on the embedded database in the folder, and returns the API's address once it is printed, with the output until then. */
async function startService(): Promise<{ child: ChildProcess; url: string; out: string }> {
  const child = launch(['start'], { folder: folder.path, environment: { PORT: '0' } })
  running.push(child)
  let out = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  await until(() => expect(out).toContain('Posthaste is running.'))
  return { child, url: /API +(http\S+)/.exec(out)?.[1] ?? '', out }
}

const statusWith = async (url: string, token: string) =>
  (await fetch(`${url}/api-keys`, { headers: { authorization: `Bearer ${token}` } })).status

it('commands leave the embedded database of a running service running, and that of a stopped one stopped', async () => {
  await copyPreparedDatabase(join(folder.path, 'data'))
  const { child, url, out } = await startService()
  expect(out).not.toMatch(/re_\w{8}_/)

  const created = await command('keys', 'create')
  expect(created).toEqual({
    status: 0,
    out: expect.stringMatching(/^re_\w+\n$/),
    errors: expect.stringMatching(
      /^Database: embedded, in .+\nKey [\w-]{36} of team [\w-]{36}, with full_access\. It is shown only once:\n$/,
    ),
  })
  const token = created.out.trim()
  expect(await statusWith(url, token)).toBe(200)

  // Several at once do not disturb each other either.
  const [listed, migrated, queued] = await Promise.all([command('keys', 'list'), command('migrate'), command('queue', 'list')])
  expect(queued).toEqual({ status: 0, out: 'The queue is empty.\n', errors: errorsWith() })
  expect({ lines: listed.out.trim().split('\n').length, listed: listed.status, migrated: migrated.status }).toEqual({
    lines: 3,
    listed: 0,
    migrated: 0,
  })
  const id =
    listed.out
      .split('\n')
      .find((line) => line.endsWith('Command line'))
      ?.slice(0, 36) ?? ''

  expect(await command('keys', 'revoke', id)).toEqual({ status: 0, out: `${id} is revoked.\n`, errors: errorsWith() })
  await expect.poll(() => statusWith(url, token)).toBe(403)

  const first = readFileSync(join(folder.path, 'data/first-api-key'), 'utf8').trim()
  expect(await statusWith(url, first)).toBe(200)

  const second = await run(['start'], { folder: folder.path, environment: { PORT: '0' } })
  expect(second).toMatchObject({
    status: 1,
    errors: expect.stringMatching(new RegExp(`^\\S+ is in use by another Posthaste \\(process ${child.pid}\\): .+\\n$`)),
  })
  expect(child.exitCode).toBeNull()

  // Without the service, at the same time again.
  await end(child)
  const alone = await Promise.all([command('keys', 'create'), command('keys', 'create'), command('teams', 'list')])
  expect(alone.map(({ status }) => status)).toEqual([0, 0, 0])
  expect(existsSync(join(folder.path, 'data/postgres/postmaster.pid'))).toBe(false)
})

it('a command in the middle of the first start of a service waits for its database', async () => {
  const child = launch(['start'], { folder: folder.path, environment: { PORT: '0' } })
  running.push(child)
  // Written once the lock is held: a command that comes earlier finds no database, or takes the lock itself.
  await until(() => expect(existsSync(join(folder.path, 'data/postgres.owner'))).toBe(true))

  expect(await command('teams', 'list', '--json')).toMatchObject({ status: 0, errors: errorsWith() })
})

describe('without a database', () => {
  const { folder: emptyFolder, command: commandWithout } = useCommands()
  const refusal = (dataDir: string) => ({
    status: 1,
    out: '',
    errors: `There is no database in ${dataDir}, and only \`start\` makes one: start the service first, or set DATA_DIR or DATABASE_URL to what it uses.\n`,
  })

  it.each([['teams list'], ['keys create'], ['migrate'], ['data-keys list'], ['console link']])(
    '`%s` says so and makes none',
    async (line) => {
      expect(await commandWithout(...line.split(' '))).toEqual(refusal(join(emptyFolder(), 'data')))
      expect(readdirSync(emptyFolder())).toEqual([])
    },
  )

  it('a command says so of a folder in which a start was cut short, and leaves it as it is', async () => {
    const dataDir = join(folder.path, 'data')
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, 'postgres.lock'), '')

    expect(await command('teams', 'list')).toEqual(refusal(dataDir))
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  })
})
