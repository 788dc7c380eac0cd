// A backup of files in a folder and its restore, with kills in the middle of one of them.
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { launch } from '../cli/run-command.ts'
import { rowsOf } from '../support/builders/backups.ts'
import { storedFilesIn } from '../support/builders/contact-imports.ts'
import { sendEmail } from '../support/builders/engine.ts'
import { until } from '../support/clocks/until.ts'
import { useSharedCommands } from '../support/processes/shared-commands.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/servers/postgres.ts'
import { shared, startTestService } from '../support/servers/service.ts'

/** More than are copied at once. */
const FILES = Array.from({ length: 12 }, (_, index) => Buffer.from(`File ${index}, of which half is copied.`))
const HALF = 12
const KEY = /^[0-9a-f-]{36}$/

let folder: string
let target: TestDatabase
const commands = useSharedCommands()
const service = shared(() => startTestService())
beforeAll(async () => {
  for (const [index, file] of FILES.entries())
    await sendEmail(service, { attachments: [{ filename: `${index}.txt`, content: file.toString('base64') }] })
})

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-files-backup-'))
  target = await createEmptyDatabase()
})
afterEach(async () => {
  await target.drop()
  rmSync(folder, { recursive: true, force: true })
})

const backup = () => join(folder, 'backup')
const unfinished = () => `${backup()}.unfinished`
const restoredFiles = () => join(folder, 'data/blobs')
const before = () => ({ DATABASE_URL: service.config.databaseUrl ?? '', DATA_DIR: service.config.dataDir })
const after = () => ({ DATABASE_URL: target.url, DATA_DIR: join(folder, 'data') })
const command = (environment: Record<string, string>, ...args: string[]) => commands.run(args, { folder, environment })

/** Names and contents, which are those of `FILES` in any order. */
async function contentsIn(blobFolder: string): Promise<Record<string, string>> {
  const files = await storedFilesIn(blobFolder)
  return Object.fromEntries(files.map(({ name, path }) => [name, readFileSync(path, 'utf8')]))
}
/** Kills the command when it has copied half of one file, which a pipe keeps it waiting in, and others as a whole. */
async function killInTheMiddle(
  args: string[],
  { environment, path, into, readsBefore }: { environment: Record<string, string>; path: string; into: string; readsBefore: RegExp | null },
): Promise<void> {
  const key = basename(path)
  const aside = join(folder, 'aside')
  const content = readFileSync(path)
  renameSync(path, aside)
  execFileSync('mkfifo', [path])
  const child = launch(args, { folder, environment })
  const ended = new Promise((done) => child.once('close', done))
  let said = ''
  child.stderr.on('data', (data) => {
    said += data
  })
  if (readsBefore !== null) {
    // The pipe takes nothing before someone reads.
    const whole = await until(() => openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
    writeSync(whole, content)
    closeSync(whole)
    await until(() => expect(said).toMatch(readsBefore))
  }
  const half = openSync(path, 'r+')
  writeSync(half, content, 0, HALF)
  await until(async () => {
    const copied = await storedFilesIn(into)
    // What is restored has a longer name until it is whole.
    expect(copied.filter(({ name }) => name.startsWith(key)).map(({ path }) => statSync(path).size)).toEqual([HALF])
    expect(copied.some(({ name }) => KEY.test(name) && name !== key)).toBe(true)
  })
  child.kill('SIGKILL')
  await ended
  closeSync(half)
  renameSync(aside, path)
}

it('a backup that is killed in the middle of a file is none, and the next ones have all of them', async () => {
  const { blobFolder } = service.config
  const ofService = await contentsIn(blobFolder)
  expect(Object.values(ofService).sort()).toEqual(FILES.map(String).sort())
  const [, , { path } = { path: '' }] = await storedFilesIn(blobFolder)
  await killInTheMiddle(['backup', backup()], { environment: before(), path, into: join(unfinished(), 'blobs'), readsBefore: null })

  expect(readdirSync(folder)).toEqual(['backup.unfinished'])
  for (const killed of [unfinished(), backup()])
    expect(await command(after(), 'restore', killed)).toMatchObject({
      status: 1,
      errors: `${killed} is no backup, or one that was not finished: it has no manifest.json.\n`,
    })
  expect([existsSync(join(folder, 'data')), await rowsOf(target.url)]).toEqual([false, {}])

  const elsewhere = join(folder, 'elsewhere')
  // PostgreSQL may notice a little later that the session has ended which keeps other backups away.
  await until(async () => expect(await command(before(), 'backup', elsewhere)).toMatchObject({ status: 0 }))
  expect(await command(before(), 'backup', backup())).toMatchObject({ status: 0 })
  expect(readdirSync(folder).sort()).toEqual(['backup', 'elsewhere'])
  for (const made of [elsewhere, backup()]) expect(await contentsIn(join(made, 'blobs'))).toEqual(ofService)
  expect(await contentsIn(blobFolder)).toEqual(ofService)
})

it('a restore that is killed in the middle of a file is run again, and leaves no half of it', async () => {
  expect(await command(before(), 'backup', backup())).toMatchObject({ status: 0 })
  const [, , { path } = { path: '' }] = await storedFilesIn(join(backup(), 'blobs'))
  await killInTheMiddle(['restore', backup()], { environment: after(), path, into: restoredFiles(), readsBefore: /^Checked: .*all as/m })

  const temporary = join(restoredFiles(), 'temporary')
  const left = readdirSync(temporary)
  expect(left.some((name) => name.startsWith(basename(path)))).toBe(true)
  expect(await command(after(), 'queue', 'list')).toMatchObject({
    status: 1,
    errors: expect.stringContaining('A restore into this database was not finished: run `restore` again with the same backup'),
  })
  // They could be written still, until they are older than any upload.
  for (const name of left) utimesSync(join(temporary, name), 0, 0)

  await until(async () =>
    expect(await command(after(), 'restore', backup())).toMatchObject({
      status: 0,
      errors: expect.stringContaining('An earlier restore of this backup was not finished. It is continued.'),
    }),
  )
  expect(await contentsIn(restoredFiles())).toEqual(await contentsIn(service.config.blobFolder))
  const [{ attachments }, rows] = await Promise.all([rowsOf(target.url), rowsOf(before().DATABASE_URL)])
  expect(attachments).toEqual(rows.attachments)
  expect(await command(after(), 'queue', 'list')).toMatchObject({ status: 0 })
})
