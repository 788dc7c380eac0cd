import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

/** Has executables called `openssl` and `caddy`, and an `initdb` of PostgreSQL 15, so that this machine need not have them. */
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthaste-test-programs-'))
  for (const name of ['openssl', 'caddy']) await symlink(process.execPath, join(folder, name))
  await mkdir(join(folder, '15/bin'), { recursive: true })
  await symlink(process.execPath, join(folder, '15/bin/initdb'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Asks Vitest which files it would run. */
async function listFiles(environment: Record<string, string>): Promise<{ status: number; files: string[]; errors: string }> {
  const { HOME = '' } = process.env
  const child = spawn(process.execPath, [VITEST, 'list', '--filesOnly'], {
    env: { PATH: folder, HOME, POSTGRESQL_VERSIONS: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status, files: out.match(/test\/\S+\.test\.ts/g) ?? [], errors }
}

const CHROMIUM = 'Chromium is missing, so test/browser/**/*.test.ts'
const REMEDY = 'To have it: apt-get install chromium, or set CHROMIUM to the path of a Chromium or Chrome.'
const OPENSSL = 'openssl is missing, so test/{io/smtp/client/direct-tls,modules/deliverability/https-probe.client}.test.ts'
const CADDY = 'Caddy is missing, so test/journeys/rolling-restart.test.ts'

describe('tests on a machine that lacks a program', () => {
  it('are left out without Chromium, which is said in one line', async () => {
    const { status, files, errors } = await listFiles({ CHROMIUM: '/nonexistent' })
    expect({ status, errors }).toEqual({ status: 0, errors: `${CHROMIUM} is left out. ${REMEDY}\n` })
    expect(files.filter((file) => file.startsWith('test/browser/'))).toEqual([])
    expect(files).toContain('test/house/missing-programs.test.ts')
  })

  it('are left out without openssl and Caddy as well', async () => {
    const { status, files, errors } = await listFiles({ PATH: '/nonexistent', CHROMIUM: process.execPath })
    expect({ status, errors }).toEqual({
      status: 0,
      errors: `${OPENSSL} is left out. To have it: apt-get install openssl.\n${CADDY} is left out. To have it: apt-get install caddy.\n`,
    })
    expect(files).not.toContain('test/journeys/rolling-restart.test.ts')
    expect(files).not.toContain('test/io/smtp/client/direct-tls.test.ts')
    expect(files).not.toContain('test/modules/deliverability/https-probe.client.test.ts')
    expect(files).toContain('test/io/smtp/client/direct-delivery.test.ts')
  })

  it('are left out without a former PostgreSQL as well', async () => {
    const { status, files, errors } = await listFiles({ POSTGRESQL_VERSIONS: '/nonexistent', CHROMIUM: process.execPath })
    expect({ status, errors }).toEqual({
      status: 0,
      errors:
        'A former PostgreSQL is missing, so test/journeys/{other-postgres,upgrade-database}.test.ts is left out. To have it: apt-get install postgresql.\n',
    })
    expect(files.filter((file) => /(other-postgres|upgrade-database)\.test/.test(file))).toEqual(['test/cli/upgrade-database.test.ts'])
    expect(files).toContain('test/journeys/restore.test.ts')
  })

  it('are never left out where CI is set: nothing is run', async () => {
    expect(await listFiles({ CI: 'true', CHROMIUM: '/nonexistent' })).toEqual({
      status: 1,
      files: [],
      errors: `${CHROMIUM} cannot run, and with CI set nothing is left out. ${REMEDY}\n`,
    })
  })
})
