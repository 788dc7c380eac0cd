import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { end, launch, run, temporaryFolder } from './run-command.ts'

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

const command = (...args: string[]) => run(args, { folder: folder.path })

/** `start` on the embedded database in the folder; answers the API's address once it is said, and the output until then. */
async function startService(): Promise<{ child: ChildProcess; url: string; out: string }> {
  const child = launch(['start'], { folder: folder.path, environment: { PORT: '0' } })
  running.push(child)
  let out = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  await vi.waitFor(() => expect(out).toContain('Posthaste is running.'), { timeout: 60_000, interval: 50 })
  return { child, url: /API +(http\S+)/.exec(out)?.[1] ?? '', out }
}

const statusWith = async (url: string, token: string) =>
  (await fetch(`${url}/api-keys`, { headers: { authorization: `Bearer ${token}` } })).status

it('commands work on the embedded database of a service while it runs, and leave it running', { timeout: 120_000 }, async () => {
  const { child, url, out } = await startService()
  expect(out).not.toMatch(/re_\w{8}_/)

  const created = await command('keys', 'create')
  expect(created).toEqual({ status: 0, out: expect.stringMatching(/^re_\w+\n$/), errors: '' })
  const token = created.out.trim()
  expect(await statusWith(url, token)).toBe(200)

  // Several at once do not disturb each other either.
  const [listed, migrated, queued] = await Promise.all([command('keys', 'list'), command('migrate'), command('queue', 'list')])
  expect(queued).toEqual({ status: 0, out: 'The queue is empty.\n', errors: '' })
  expect({ lines: listed.out.trim().split('\n').length, listed: listed.status, migrated: migrated.status }).toEqual({
    lines: 2,
    listed: 0,
    migrated: 0,
  })
  const id =
    listed.out
      .split('\n')
      .find((line) => line.endsWith('Command line'))
      ?.slice(0, 36) ?? ''

  expect(await command('keys', 'revoke', id)).toEqual({ status: 0, out: `${id} is revoked.\n`, errors: '' })
  await expect.poll(() => statusWith(url, token), { timeout: 5_000 }).toBe(403)

  const first = readFileSync(join(folder.path, 'data/first-api-key'), 'utf8').trim()
  expect(await statusWith(url, first)).toBe(200)

  const second = await run(['start'], { folder: folder.path, environment: { PORT: '0' } })
  expect(second).toMatchObject({
    status: 1,
    errors: expect.stringMatching(new RegExp(`^\\S+ is in use by another Posthaste \\(process ${child.pid}\\): .+\\n$`)),
  })
  expect(child.exitCode).toBeNull()
})

it('commands at the same time without a service all work, and leave no database running', { timeout: 120_000 }, async () => {
  expect((await command('teams', 'create', 'Acme')).status).toBe(0)

  const ended = await Promise.all([command('keys', 'create'), command('keys', 'create'), command('teams', 'list')])

  expect(ended.map(({ status, errors }) => ({ status, errors }))).toEqual(Array(3).fill({ status: 0, errors: '' }))
  expect(existsSync(join(folder.path, 'data/postgres/postmaster.pid'))).toBe(false)
})
