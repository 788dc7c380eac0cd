import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { end, launch, run, temporaryFolder } from './run-command.ts'

let folder: ReturnType<typeof temporaryFolder>
let other: Server
let takenPort: string

beforeEach(async () => {
  folder = temporaryFolder()
  other = createServer()
  takenPort = await new Promise((resolve) =>
    other.listen(0, '127.0.0.1', () => {
      const address = other.address()
      resolve(typeof address === 'object' ? String(address?.port) : '')
    }),
  )
})
afterEach(() => {
  other.close()
  folder.remove()
})

it('a start on a port that is taken says so, leaves nothing running, and does not lose the first key', { timeout: 120_000 }, async () => {
  const failed = await run(['start'], { folder: folder.path, environment: { PORT: takenPort, LOG_LEVEL: 'error' } })

  expect(failed).toEqual({
    status: 1,
    out: expect.stringMatching(/^ +API key +in \S+first-api-key \(full access; delete the file when you have it\)\n$/),
    errors: `Port ${takenPort} of 127.0.0.1 is taken: stop what uses it, or set PORT.\n`,
  })
  expect(existsSync(join(folder.path, 'data/postgres/postmaster.pid'))).toBe(false)

  const token = readFileSync(join(folder.path, 'data/first-api-key'), 'utf8').trim()
  const child = launch(['start'], { folder: folder.path, environment: { PORT: '0', LOG_LEVEL: 'error' } })
  let out = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  try {
    await vi.waitFor(() => expect(out).toContain('Posthaste is running.'), { timeout: 60_000, interval: 50 })
    const url = /API +(http\S+)/.exec(out)?.[1]
    const answer = await fetch(`${url}/api-keys`, { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(200)
  } finally {
    await end(child)
  }
})

it.each([
  ['an address of another machine', '192.0.2.1', 'EADDRNOTAVAIL'],
  ['a name that leads nowhere', 'nohost.invalid', '(ENOTFOUND|EAI_AGAIN)'],
])('a start on %s says so in one line before it begins anything', { timeout: 60_000 }, async (_what, host, code) => {
  const failed = await run(['start'], { folder: folder.path, environment: { HOST: host, PORT: '0' } })

  expect(failed).toEqual({
    status: 1,
    out: '',
    errors: expect.stringMatching(
      new RegExp(
        `^HOST must be an address of this machine, for example 127\\.0\\.0\\.1, or 0\\.0\\.0\\.0 for all of them; it is "${host}" \\(${code}\\)\\.\n$`,
      ),
    ),
  })
  expect(existsSync(join(folder.path, 'data'))).toBe(false)
})

it('a start of an installation that has no key says how to make one', { timeout: 120_000 }, async () => {
  const made = await run(['teams', 'create', 'A team'], { folder: folder.path })
  expect(made.status).toBe(0)
  const child = launch(['start'], { folder: folder.path, environment: { PORT: '0', LOG_LEVEL: 'error' } })
  let out = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  try {
    await vi.waitFor(() => expect(out).toMatch(/\n\n$/), { timeout: 60_000, interval: 50 })
    expect(out).toContain('  API key    none yet; make one: npm run posthaste -- keys create\n')
  } finally {
    await end(child)
  }
})
