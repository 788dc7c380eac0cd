import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../src/lib/ids.ts'
import { asRestored, changeManifest, fillEmptyTables, manifestOf, rowsOf, type StoredRows } from '../support/builders/backups.ts'
import { sendEmail } from '../support/builders/engine.ts'
import { startLoad } from '../support/builders/load.ts'
import { recordsOf } from '../support/records/records.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/servers/postgres.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, command, commandWith } = useCommandsBesideService()

let place: string
let target: TestDatabase
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'posthaste-test-backup-'))
  await recordsOf(service()).oneOfEach()
  // What is left to send, with a file.
  const attachment = { filename: 'a.txt', content: Buffer.from('A file of an email.').toString('base64') }
  await sendEmail(service(), { attachments: [attachment] })
  await service().database.execute('update deliveries set leased_by = $1 where id = any(array(select id from deliveries limit 1))', [
    WORKER,
  ])
  expect(await fillEmptyTables(service().config.databaseUrl ?? '')).toEqual([])
  await storeMissingFiles()
  expect(await backUp(original())).toMatchObject({ status: 0 })
})
afterAll(() => rmSync(place, { recursive: true, force: true }))
beforeEach(async () => {
  target = await createEmptyDatabase()
})
afterEach(async () => {
  await target.drop()
  rmSync(copy(), { recursive: true, force: true })
  rmSync(dataDir(), { recursive: true, force: true })
})

const WORKER = createId()
const original = () => join(place, 'original')
const copy = () => join(place, 'copy')
const dataDir = () => join(place, 'data')
const backUp = (folder: string) => commandWith({ DATA_DIR: service().config.dataDir }, 'backup', folder)
const restore = (folder: string, databaseUrl = target.url) =>
  commandWith({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir() }, 'restore', folder)
/** Tests write some rows without a file. */
async function storeMissingFiles(): Promise<void> {
  const { blobs } = service().service.context.gateways
  const keys = Object.values(await rowsOf(service().config.databaseUrl ?? '')).flatMap((rows) => rows.map(({ blob_key: key }) => key))
  for (const key of keys) if (typeof key === 'string' && (await blobs.size(key)) === null) await blobs.put(key, Buffer.from('A file.'))
}
/** A copy of the backup that a test may damage. */
const copied = () => {
  cpSync(original(), copy(), { recursive: true })
  return copy()
}
const ownerOf = async (databaseUrl: string) => String((await rowsOf(databaseUrl)).storage_owner?.[0]?.owner)
const blobsIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /[0-9a-f-]{36}$/.test(name))
    .sort()
const NOTHING_WRITTEN = 'Nothing was restored.'

/** Nothing was begun: the same database takes another backup. */
async function expectUntouched(): Promise<void> {
  expect(existsSync(dataDir())).toBe(false)
  expect(Object.keys(await rowsOf(target.url))).toEqual([])
}

describe('backup and restore', () => {
  it('bring back every row of every kind of record, every file and the secret key', async () => {
    const before = await rowsOf(service().config.databaseUrl ?? '')

    const { status, out, errors } = await restore(original())

    expect({ status, errors: errors.includes('all as the backup wrote it') }, errors).toEqual({ status: 0, errors: true })
    expect(out).toContain('Nothing is sent yet.')
    const after = await rowsOf(target.url)
    expect(asRestored(after)).toEqual(asRestored(before))
    expect(after.queue_pauses?.filter(({ team_id: teamId }) => teamId === null)).toEqual([
      expect.objectContaining({
        class: null,
        team_id: null,
        destination: null,
        backup_at: expect.stringContaining(manifestOf(original()).made_at.slice(0, 10)),
      }),
    ])
    const signedIn = ['sessions', 'sign_in_links', 'operator_sessions', 'operator_links']
    expect(signedIn.map((name) => [name, before[name]?.length === 0, after[name]])).toEqual(signedIn.map((name) => [name, false, []]))
    const mark = readFileSync(join(dataDir(), 'blobs/owner'), 'utf8').trim()
    expect(after.storage_owner).toEqual([{ id: 1, owner: mark, is_marked: true }])
    expect(before.storage_owner).not.toEqual(after.storage_owner)
    // The backup was recorded after its rows were copied.
    expect([before.last_backup?.length, after.last_backup?.length]).toEqual([1, 1])
    expect(before.last_backup).not.toEqual(after.last_backup)
    const leases = (rows: StoredRows) => (rows.deliveries ?? []).map(({ leased_by: workerId }) => workerId).filter(Boolean)
    expect([leases(before), leases(after), after.worker_leases]).toEqual([[WORKER], [expect.not.stringContaining(WORKER)], []])
    const empty = Object.entries(before).flatMap(([table, rows]) => (rows.length === 0 ? table : []))
    expect(empty).toEqual([])
    expect(Object.keys(before).length).toBeGreaterThan(60)
    const { blobFolder, dataDir: dataDirBefore } = service().config
    const blobs = blobsIn(join(dataDir(), 'blobs'))
    expect(blobs.length).toBe(manifestOf(original()).blobs.count)
    expect(blobs.length).toBeGreaterThan(2)
    for (const name of blobs) expect(readFileSync(join(dataDir(), 'blobs', name))).toEqual(readFileSync(join(blobFolder, name)))
    expect(readFileSync(join(dataDir(), 'secret-key'), 'utf8')).toBe(readFileSync(join(dataDirBefore, 'secret-key'), 'utf8'))
  })

  it('write files for their owner only, with digests that sha256sum finds right', () => {
    const files = readdirSync(original(), { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(original(), name)).isFile())
    expect(files.filter((name) => (statSync(join(original(), name)).mode & 0o077) !== 0)).toEqual([])
    const LISTS = ['manifest.json.sha256', 'files.sha256', 'blobs.sha256']
    const checked = execFileSync('sha256sum', ['--check', '--strict', ...LISTS], { cwd: original(), encoding: 'utf8' })
    expect([...checked.matchAll(/^(.+): OK$/gm)].map(([, name]) => name).sort()).toEqual(
      files.filter((name) => name !== 'manifest.json.sha256' && name !== 'files.sha256').sort(),
    )
    expect(files.filter((name) => name.endsWith('unfinished') || name.startsWith('blob-keys'))).toEqual([])
  })

  it('number what comes after a restore further than what was before', async () => {
    await restore(original())
    const { sequences } = manifestOf(original())
    expect(sequences.map(({ table, column }) => `${table}.${column}`)).toEqual(
      expect.arrayContaining(['contact_properties.number', 'email_count_changes.id', 'webhook_deliveries.seq', '_private_jobs.id']),
    )
    const after = await createBackupOf(target.url)
    expect(after.sequences).toEqual(sequences)
  })

  async function createBackupOf(databaseUrl: string) {
    const { status, errors } = await commandWith({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir() }, 'backup', copy())
    expect(status, errors).toBe(0)
    return manifestOf(copy())
  }

  it('have everything that was accepted before the backup began, and nothing by halves, while more is accepted', async () => {
    const load = startLoad({ url: () => service().url, token: service().token, count: 100_000, clients: 8 })
    await expect.poll(() => load.accepted.filter(Boolean).length).toBeGreaterThan(50)
    const before = load.accepted.filter(Boolean)
    const { status } = await backUp(copy())
    const acceptedMeanwhile = load.accepted.filter(Boolean).length - before.length
    load.stop()
    await load.done
    expect(status).toBe(0)
    expect(acceptedMeanwhile).toBeGreaterThan(0)

    expect(await restore(copy())).toMatchObject({ status: 0 })
    const { emails = [], recipients = [], deliveries = [] } = await rowsOf(target.url)
    const ids = new Set(emails.map(({ id }) => id))
    expect(before.filter((id) => !ids.has(id))).toEqual([])
    const sent = new Set(before)
    const ofLoad = recipients.filter(({ email_id: id }) => sent.has(String(id)))
    expect(ofLoad).toHaveLength(before.length)
    expect(recipients.filter(({ email_id: id }) => !ids.has(id))).toEqual([])
    expect(deliveries.filter(({ email_id: id }) => !ids.has(id))).toEqual([])
    const receiving = new Set(recipients.map(({ email_id: id }) => id))
    expect(emails.filter(({ id }) => !receiving.has(id))).toEqual([])
  })
})

describe('a backup', () => {
  it('is not made in a folder that has something in it', async () => {
    mkdirSync(copy())
    writeFileSync(join(copy(), 'mine'), '')
    expect(await backUp(copy())).toMatchObject({
      status: 1,
      errors: expect.stringContaining(`${copy()} is not empty: name a folder that does not exist yet.`),
    })
    expect(readdirSync(copy())).toEqual(['mine'])
    expect(existsSync(`${copy()}.unfinished`)).toBe(false)
  })

  it('is made in an empty folder, and takes the place of what a killed one left', async () => {
    mkdirSync(copy())
    mkdirSync(`${copy()}.unfinished`)
    writeFileSync(join(`${copy()}.unfinished`, 'this-backup-is-not-finished'), await ownerOf(service().config.databaseUrl ?? ''))
    writeFileSync(join(`${copy()}.unfinished`, 'half'), '')
    expect(await backUp(copy())).toMatchObject({ status: 0 })
    expect(readdirSync(copy()).sort()).toEqual([
      'blobs',
      'blobs.sha256',
      'database',
      'files.sha256',
      'manifest.json',
      'manifest.json.sha256',
      'secrets',
    ])
    expect(existsSync(`${copy()}.unfinished`)).toBe(false)
  })

  it('leaves a folder alone that only has the name of an unfinished one', async () => {
    mkdirSync(`${copy()}.unfinished`)
    writeFileSync(join(`${copy()}.unfinished`, 'mine'), '')
    expect(await backUp(copy())).toMatchObject({ status: 1, errors: expect.stringContaining('is in the way') })
    expect(readdirSync(`${copy()}.unfinished`)).toEqual(['mine'])
    rmSync(`${copy()}.unfinished`, { recursive: true })
  })

  it('leaves alone what another database has begun at the same place, and what a link leads to', async () => {
    const unfinished = `${copy()}.unfinished`
    mkdirSync(unfinished)
    writeFileSync(join(unfinished, 'this-backup-is-not-finished'), createId())
    expect(await backUp(copy())).toMatchObject({
      status: 1,
      errors: expect.stringContaining('is in the way, and is a backup that another database has begun: move it elsewhere.'),
    })
    renameSync(unfinished, join(place, 'elsewhere'))
    symlinkSync(join(place, 'elsewhere'), unfinished)
    expect(await backUp(copy())).toMatchObject({ status: 1, errors: expect.stringContaining('is in the way: move it elsewhere.') })
    expect(readdirSync(join(place, 'elsewhere'))).toEqual(['this-backup-is-not-finished'])
    rmSync(unfinished)
  })

  it('takes the place of one that was killed before it had said whose it is', async () => {
    const unfinished = `${copy()}.unfinished`
    mkdirSync(unfinished)
    writeFileSync(join(unfinished, 'this-backup-is-not-finished'), '')
    expect(await backUp(copy())).toMatchObject({ status: 0 })
    expect(existsSync(unfinished)).toBe(false)
    rmSync(copy(), { recursive: true })
  })

  it('is not made without the secret key that opens the keys in the database', async () => {
    const empty = join(place, 'empty')
    expect(await commandWith({ DATA_DIR: empty }, 'backup', copy())).toMatchObject({
      status: 1,
      errors: expect.stringContaining(`${join(empty, 'secret-key')} is missing, and the keys in the database are opened by nothing else`),
    })
    const wrong = { DATA_DIR: service().config.dataDir, SECRET_KEY: 'another secret key of 32 characters' }
    expect(await commandWith(wrong, 'backup', copy())).toMatchObject({
      status: 1,
      errors: expect.stringContaining('SECRET_KEY does not open the keys in the database'),
    })
    expect([existsSync(copy()), existsSync(`${copy()}.unfinished`)]).toEqual([false, false])
  })

  it('says that SECRET_KEY is not in it, and is restored with that only', async () => {
    const key = readFileSync(join(service().config.dataDir, 'secret-key'), 'utf8').trim()
    const made = await commandWith({ DATA_DIR: service().config.dataDir, SECRET_KEY: key }, 'backup', copy())
    expect(made).toMatchObject({ status: 0, errors: expect.stringContaining('SECRET_KEY is not in it') })
    expect(existsSync(join(copy(), 'secrets'))).toBe(false)
    expect(await restore(copy())).toMatchObject({ status: 1, errors: expect.stringContaining('set SECRET_KEY to what it was then') })
    const restoreWith = (secret: string) =>
      commandWith({ DATABASE_URL: target.url, DATA_DIR: dataDir(), SECRET_KEY: secret }, 'restore', copy())
    expect(await restoreWith('another secret key of 32 characters')).toMatchObject({
      status: 1,
      errors: expect.stringContaining('SECRET_KEY does not open the keys of the backup'),
    })
    await expectUntouched()
    expect(await restoreWith(key)).toMatchObject({ status: 0 })
  })

  it('continues when a file is missing already, and ends with status 1', async () => {
    const [name = ''] = blobsIn(service().config.blobFolder)
    const path = join(service().config.blobFolder, name)
    const content = readFileSync(path)
    rmSync(path)
    const made = await backUp(copy())
    writeFileSync(path, content)
    expect(made).toMatchObject({
      status: 1,
      errors: expect.stringMatching(/1 file is missing from .+ already, so the command ends with status 1: its row is in the backup/),
    })
    expect(manifestOf(copy()).blobs.missing).toBe(1)
    expect(await restore(copy())).toMatchObject({ status: 0 })
  })
})

describe('a restore refuses', () => {
  it.each([
    ['a file of the database of which a bit has changed', 'database/emails.copy', (path: string) => flip(path), 'is missing or damaged'],
    ['a file of the database that is missing', 'database/recipients.copy', (path: string) => rmSync(path), 'is missing or cannot be read'],
    ['a file of the database that has lost its end', 'database/notifications.copy', (path: string) => cut(path), 'is missing or damaged'],
    ['a changed list of files', 'blobs.sha256', (path: string) => cut(path), 'is missing or damaged'],
    ['a changed secret key', 'secrets/secret-key', (path: string) => flip(path), 'is missing or damaged'],
    ['a changed manifest', 'manifest.json', (path: string) => flip(path), 'its digest is not that in manifest.json.sha256'],
    ['a manifest without its digest', 'manifest.json.sha256', (path: string) => rmSync(path), 'manifest.json.sha256 is missing'],
  ])('%s', async (_what, name, damage, sentence) => {
    damage(join(copied(), name))
    const { status, errors } = await restore(copy())
    expect(status).toBe(1)
    expect(errors).toContain(sentence)
    expect(errors).toContain(NOTHING_WRITTEN)
    await expectUntouched()
  })

  it.each([
    ['is damaged', (path: string) => flip(path)],
    ['is missing', (path: string) => rmSync(path)],
  ])('when a stored file %s', async (_what, damage) => {
    const [name = ''] = blobsIn(join(copied(), 'blobs'))
    damage(join(copy(), 'blobs', name))
    expect(await restore(copy())).toMatchObject({ status: 1, errors: expect.stringContaining(`blobs/${name} is missing or damaged`) })
    await expectUntouched()
  })

  it('names that lead out of the folder, in the manifest and in the list of files', async () => {
    changeManifest(copied(), (manifest) => ({
      ...manifest,
      tables: manifest.tables.map((table) => ({ ...table, name: `../../${table.name}` })),
    }))
    expect(await restore(copy())).toMatchObject({ status: 1, errors: expect.stringContaining('/tables/0/name must match pattern') })

    rmSync(copy(), { recursive: true })
    const list = join(copied(), 'blobs.sha256')
    writeFileSync(list, readFileSync(list, 'utf8').replace(/blobs\/../, 'blobs/../..'))
    const { bytes, sha256 } = fileOf(list)
    changeManifest(copy(), (manifest) => ({ ...manifest, blobs: { ...manifest.blobs, bytes, sha256 } }))
    expect(await restore(copy())).toMatchObject({ status: 1, errors: expect.stringContaining('names no stored file') })
    await expectUntouched()
  })

  it('a backup of a newer version', async () => {
    changeManifest(copied(), (manifest) => ({
      ...manifest,
      posthaste: '99.0.0',
      migrations: [...manifest.migrations, { name: '9999_later', sha256: '0'.repeat(64) }],
    }))
    expect(await restore(copy())).toMatchObject({
      status: 1,
      errors: expect.stringMatching(
        /was made by a newer Posthaste \(99\.0\.0; this is .+\): its tables have 9999_later, .+ Install that version or a later one\./,
      ),
    })
    changeManifest(copy(), (manifest) => ({ ...manifest, format: 2, tables: 'in another form' }))
    expect(await restore(copy())).toMatchObject({
      status: 1,
      errors: expect.stringContaining('was made by a newer Posthaste, in a form that'),
    })
    await expectUntouched()
  })

  it('a folder without a backup', async () => {
    expect(await restore(place)).toMatchObject({ status: 1, errors: expect.stringContaining('is no backup, or one that was not finished') })
    await expectUntouched()
  })

  it('a database, a folder of files and a secret key that are in use', async () => {
    const used = await createTestDatabase()
    expect(await restore(original(), used.url)).toMatchObject({ status: 1, errors: expect.stringContaining('The database is not empty') })
    await used.drop()

    mkdirSync(join(dataDir(), 'blobs/00'), { recursive: true })
    expect(await restore(original())).toMatchObject({
      status: 1,
      errors: expect.stringContaining(`${join(dataDir(), 'blobs')} is not empty`),
    })

    writeFileSync(join(dataDir(), 'secret-key'), 'another secret key of 32 characters\n')
    expect(await restore(original())).toMatchObject({
      status: 1,
      errors: expect.stringContaining('is another key than that of the backup'),
    })
    expect(await command('restore', original())).toMatchObject({ status: 1 })
    expect(Object.keys(await rowsOf(target.url))).toEqual([])
  })
})

function flip(path: string): void {
  const content = readFileSync(path)
  const at = Math.floor(content.length / 2)
  content[at] = (content[at] ?? 0) ^ 1
  writeFileSync(path, content)
}

const cut = (path: string): void => writeFileSync(path, readFileSync(path).subarray(0, -1))

function fileOf(path: string): { bytes: number; sha256: string } {
  const [sha256 = ''] = execFileSync('sha256sum', [path], { encoding: 'utf8' }).split(' ')
  return { bytes: statSync(path).size, sha256 }
}
