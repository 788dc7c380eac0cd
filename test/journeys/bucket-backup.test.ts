// A backup of files in a bucket and its restore into another one, with kills while the files are copied.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { launch } from '../cli/run-command.ts'
import { sendEmail } from '../support/builders/engine.ts'
import { until } from '../support/clocks/until.ts'
import { useSharedCommands } from '../support/processes/shared-commands.ts'
import {
  ACCESS_KEY_ID,
  BUCKET,
  type ObjectRequest,
  SECRET_ACCESS_KEY,
  sha256,
  startObjectStorage,
} from '../support/servers/object-storage.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/servers/postgres.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: SECRET_ACCESS_KEY }
/** The last one is stored in parts. */
const FILES = [...Array.from({ length: 5 }, (_, index) => Buffer.from(`File ${index}`)), Buffer.alloc(9 * 1024 * 1024, 'large')]
/** How many files are through when the kill comes. */
const THROUGH = 2

let folder: string
let target: TestDatabase
beforeAll(() => {
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value)
})
afterAll(() => {
  vi.unstubAllEnvs()
})
const commands = useSharedCommands()
const storage = shared(() => startObjectStorage())
const service = shared(() => startTestService({ environment: { STORAGE_URL: urlOf('mail') } }))
beforeAll(async () => {
  for (const [index, file] of FILES.entries())
    await sendEmail(service, { attachments: [{ filename: `${index}.bin`, content: file.toString('base64') }] })
})

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-bucket-backup-'))
  target = await createEmptyDatabase()
})
afterEach(async () => {
  storage.fault = () => null
  await target.drop()
  rmSync(folder, { recursive: true, force: true })
})

const urlOf = (prefix: string) => `s3://${BUCKET}/${prefix}?endpoint=${storage.endpoint}`
const isFile = ({ key }: { key: string }) => /[0-9a-f-]{36}$/.test(key)
const backup = () => join(folder, 'backup')
const before = () => ({
  DATABASE_URL: service.config.databaseUrl ?? '',
  DATA_DIR: service.config.dataDir,
  STORAGE_URL: urlOf('mail'),
  ...CREDENTIALS,
})
const after = (prefix: string) => ({ DATABASE_URL: target.url, DATA_DIR: join(folder, 'data'), STORAGE_URL: urlOf(prefix), ...CREDENTIALS })
const digestsIn = (prefix: string) =>
  [...storage.objects].flatMap(([key, { content }]) => (key.startsWith(`${prefix}/`) && isFile({ key }) ? [sha256(content)] : [])).sort()

/** Kills the command when the store has answered for some files and is asked for one more. */
async function killAmongFiles(
  args: string[],
  environment: Record<string, string>,
  isMeant: (request: ObjectRequest) => boolean,
): Promise<void> {
  const asked = new Set<string>()
  storage.fault = (request) => {
    if (isMeant(request) && isFile(request)) asked.add(request.key)
    return asked.size > THROUGH && asked.has(request.key) ? 'unanswered' : null
  }
  const child = launch(args, { folder, environment })
  const ended = new Promise((done) => child.once('close', done))
  await until(() => expect(asked.size).toBeGreaterThan(THROUGH))
  child.kill('SIGKILL')
  await ended
  storage.fault = () => null
}

it('a backup that is killed among the files of a bucket is none, and the next one has all of them', async () => {
  await killAmongFiles(['backup', backup()], before(), ({ method, key }) => method === 'GET' && key.startsWith('mail/'))
  expect(existsSync(backup())).toBe(false)
  expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual(['backup.unfinished'])

  await until(async () => expect(await commands.run(['backup', backup()], { folder, environment: before() })).toMatchObject({ status: 0 }))
  expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual(['backup'])
  expect(await commands.run(['restore', backup()], { folder, environment: after('whole') })).toMatchObject({ status: 0 })
  expect(digestsIn('whole')).toEqual(FILES.map(sha256).sort())
})

it('a restore that is killed among the files of a bucket is run again, and they are those that were sent', async () => {
  expect(await commands.run(['backup', backup()], { folder, environment: before() })).toMatchObject({ status: 0 })
  await killAmongFiles(['restore', backup()], after('again'), ({ method, key }) => method !== 'GET' && key.startsWith('again/'))
  expect(digestsIn('again').length).toBeLessThan(FILES.length)
  expect(await commands.run(['queue', 'list'], { folder, environment: after('again') })).toMatchObject({ status: 1 })

  // PostgreSQL may notice a little later that the session of the killed one has ended.
  await until(async () =>
    expect(await commands.run(['restore', backup()], { folder, environment: after('again') })).toMatchObject({ status: 0 }),
  )
  expect(digestsIn('again')).toEqual(FILES.map(sha256).sort())
  expect(await commands.run(['queue', 'list'], { folder, environment: after('again') })).toMatchObject({ status: 0 })
})
