import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { failStuckImports } from '../../../../src/modules/audience/imports/imports.worker.ts'
import type { Worker } from '../../../../src/server/worker.ts'
import {
  importFile,
  readImport,
  readReport,
  sendImport,
  startImporting,
  storedFiles,
  tryImport,
} from '../../../support/builders/contact-imports.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let worker: Worker | null

const service = shared(() => startTestService())
beforeAll(() => {
  worker = startImporting(service)
})
afterAll(() => worker?.stop())
beforeEach(() =>
  service.database.execute('truncate contacts, contact_segments, contact_topics, opt_outs, topic_opt_outs, contact_properties'),
)

const contactOf = async (email: string) => (await service.call('GET', `/contacts/${email}`)).body as Record<string, unknown>
const idOf = async (method: string, path: string, body: unknown) => ((await service.call(method, path, { body })).body as { id: string }).id
const counts = (given: Partial<Record<'total' | 'created' | 'updated' | 'skipped' | 'failed', number>>) => ({
  total: 0,
  created: 0,
  updated: 0,
  skipped: 0,
  failed: 0,
  ...given,
})

describe('the rows of an import', () => {
  it('become contacts, merged into those that exist, with what the file says of them', async () => {
    await service.call('POST', '/contacts', { body: { email: 'old@example.com', first_name: 'Old', last_name: 'Hand' } })
    const ended = await importFile(service, {
      file: 'email,first_name,last_name,unsubscribed\nADA@Example.com,Ada,Lovelace,no\nold@example.com,Older,,\nout@example.com,,,Yes\n',
    })
    expect(ended).toMatchObject({
      status: 'completed',
      counts: counts({ total: 3, created: 2, updated: 1 }),
      reason: null,
      report_url: null,
      file_name: null,
    })
    expect(ended.completed_at).not.toBeNull()
    expect(await contactOf('ada@example.com')).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace', unsubscribed: false })
    expect(await contactOf('old@example.com')).toMatchObject({ first_name: 'Older', last_name: 'Hand', unsubscribed: false })
    expect(await contactOf('out@example.com')).toMatchObject({ first_name: null, unsubscribed: true })
    expect(await storedFiles(service)).toEqual([])
  })

  describe('with a limit of contacts', () => {
    const ROOM = 3_500
    const limit = (contacts: number | null) => service.service.context.repositories.teamLimits.setAcrossTeams(service.teamId, { contacts })
    /** Long enough that they are several batches. */
    const rows = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${name}${index}@example.com,${'x'.repeat(80)}\n`).join('')
    beforeEach(() => limit(ROOM))
    afterEach(() => limit(null))

    it('end where there is no room for more: those of the batches before stay, and those that exist can be changed', async () => {
      const ended = await importFile(service, { file: `email,first_name\n${rows('a', 6_000)}` })
      expect(ended).toMatchObject({
        status: 'failed',
        reason:
          'Your team may have at most 3,500 contacts. Delete some first, or ask your operator for more. The rows that are counted were imported.',
      })
      const { created } = ended.counts
      expect(created).toBeGreaterThan(1_000)
      expect(await service.database.execute('select from contacts')).toHaveLength(created)
      const rest = ROOM - created
      expect(await importFile(service, { file: `email,first_name\na1@example.com,Ada\n${rows('b', rest)}` })).toMatchObject({
        status: 'completed',
        counts: counts({ total: rest + 1, created: rest, updated: 1 }),
      })
      expect(await importFile(service, { file: 'email\nnone-more@example.com\n' })).toMatchObject({ status: 'failed', counts: counts({}) })
      expect(await importFile(service, { file: 'email,first_name\na2@example.com,Grace\n' })).toMatchObject({ status: 'completed' })
      expect(await storedFiles(service)).toEqual([])
    })
  })

  it('leave contacts that exist as they are when told to', async () => {
    await service.call('POST', '/contacts', { body: { email: 'old@example.com', first_name: 'Old' } })
    const segment = await idOf('POST', '/segments', { name: 'Imported' })
    const ended = await importFile(service, {
      file: 'email,first_name\nold@example.com,New\nada@example.com,Ada\nada@example.com,Again\n',
      on_conflict: 'skip',
      segments: [{ id: segment }],
    })
    expect(ended.counts).toEqual(counts({ total: 3, created: 1, skipped: 2 }))
    expect(await contactOf('old@example.com')).toMatchObject({ first_name: 'Old' })
    expect(await contactOf('ada@example.com')).toMatchObject({ first_name: 'Ada' })
    expect(await service.database.execute('select from contact_segments')).toHaveLength(1)
  })

  it('are heard about opting out, also where they are left out otherwise', async () => {
    const topic = await idOf('POST', '/topics', { name: 'News', default_subscription: 'opt_in' })
    await service.call('POST', '/contacts', { body: { email: 'old@example.com', first_name: 'Old' } })
    const ended = await importFile(service, {
      file: 'email,first_name,unsubscribed\nold@example.com,New,true\nada@example.com,Ada,no\nada@example.com,Again,true\n',
      on_conflict: 'skip',
      topics: [{ id: topic, subscription: 'opt_out' }],
    })
    expect(ended.counts).toEqual(counts({ total: 3, created: 1, skipped: 2 }))
    expect(await contactOf('old@example.com')).toMatchObject({ first_name: 'Old', unsubscribed: true })
    expect(await contactOf('ada@example.com')).toMatchObject({ first_name: 'Ada', unsubscribed: true })
    for (const email of ['old@example.com', 'ada@example.com'])
      expect((await service.call('GET', `/contacts/${email}/topics`)).body).toMatchObject({
        data: [{ id: topic, subscription: 'opt_out' }],
      })
  })

  it('of one address are merged in their order, within a batch and across batches', async () => {
    const filler = Array.from({ length: 5_000 }, (_, index) => `filler${index}@example.com,,,\n`).join('')
    const ended = await importFile(service, {
      file: `email,first_name,last_name,unsubscribed\na@example.com,First,Kept,yes\nA@EXAMPLE.com,Second,,no\n${filler}a@example.com,Third,,\n`,
    })
    expect(ended.counts).toEqual(counts({ total: 5_003, created: 5_001, updated: 2 }))
    expect(await contactOf('a@example.com')).toMatchObject({ first_name: 'Third', last_name: 'Kept', unsubscribed: true })
  })

  it('never subscribe again anyone who opted out, of all or of a topic, although the contact was deleted', async () => {
    const topic = await idOf('POST', '/topics', { name: 'News', default_subscription: 'opt_in' })
    for (const email of ['all@example.com', 'topic@example.com']) await service.call('POST', '/contacts', { body: { email } })
    await service.call('PATCH', '/contacts/all@example.com', { body: { unsubscribed: true } })
    await service.call('PATCH', '/contacts/topic@example.com/topics', { body: [{ id: topic, subscription: 'opt_out' }] })
    for (const email of ['all@example.com', 'topic@example.com']) await service.call('DELETE', `/contacts/${email}`)

    await importFile(service, {
      file: 'email,unsubscribed\nall@example.com,false\ntopic@example.com,false\nnew@example.com,false\n',
      topics: [{ id: topic, subscription: 'opt_in' }],
    })
    expect(await contactOf('all@example.com')).toMatchObject({ unsubscribed: true })
    const chosen = await service.database.execute(
      'select c.email, t.subscription from contact_topics t join contacts c on c.id = t.contact_id order by 1',
    )
    expect(chosen).toEqual([
      { email: 'all@example.com', subscription: 'opt_in' },
      { email: 'new@example.com', subscription: 'opt_in' },
      { email: 'topic@example.com', subscription: 'opt_out' },
    ])
  })

  it('write no notification', async () => {
    await importFile(service, { file: 'email\nquiet@example.com\n' })
    expect(await service.database.execute(`select from notifications where data::text like '%quiet@example.com%'`)).toEqual([])
  })

  it('bring properties: those of the map are created, and those of the team are read from the columns of their names', async () => {
    await service.call('POST', '/contact-properties', { body: { key: 'score', type: 'number' } })
    const ended = await importFile(service, {
      file: 'email,Company,score,VIP,other\na@example.com,Engines,12.5,yes,x\nb@example.com,,,no,x\n',
      column_map: { properties: { company: { column: 'company' }, vip: { column: 'VIP', type: 'boolean' } } },
    })
    expect(ended.counts).toEqual(counts({ total: 2, created: 2 }))
    expect((await contactOf('a@example.com')).properties).toEqual({
      company: { value: 'Engines', type: 'string' },
      score: { value: 12.5, type: 'number' },
      vip: { value: 'true', type: 'string' },
    })
    expect((await contactOf('b@example.com')).properties).toEqual({ vip: { value: 'false', type: 'string' } })
  })

  it('are refused one by one, with the line and a reason that says nothing of the person', async () => {
    await service.call('POST', '/contact-properties', { body: { key: 'age', type: 'number' } })
    await service.call('POST', '/contact-properties', { body: { key: 'note', type: 'string' } })
    const rows = [
      'good@example.com,Ada,no,1,x',
      'two@example.com',
      'three@example.com,a,b,c,d,e',
      'secret,Ada,,,',
      ',Ada,,,',
      `long@example.com,${'x'.repeat(257)},,,`,
      'maybe@example.com,Ada,perhaps,,',
      'age@example.com,Ada,,old,',
      `note@example.com,Ada,,,${'x'.repeat(1_001)}`,
      '"quote@example.com,Ada" x,,,',
      '"Ada <named@example.com>",Ada,,,',
      `"${'y'.repeat(1024 * 1024 + 5)}",,,,`,
      'last@example.com,"Ada\nLovelace",,,',
    ]
    const ended = await importFile(service, { file: `email,first_name,unsubscribed,age,note\n${rows.join('\n')}\n` })
    expect(ended).toMatchObject({ status: 'completed', counts: counts({ total: 13, created: 2, failed: 11 }) })
    expect(await readReport(service, ended)).toEqual([
      '3,"The row has 1 column, and the header has 5."',
      '4,"The row has 6 columns, and the header has 5."',
      '5,The column `email` must be an address such as `name@example.com`.',
      '6,The column `email` is empty.',
      '7,The column `first_name` may not be longer than 256 characters.',
      '8,"The column `unsubscribed` takes true, yes, y, t, 1, on, x, unsubscribed, opted_out or opt_out for contacts who want no more mail, and false, no, n, f, 0, off, subscribed, opted_in, opt_in or empty for others."',
      '9,The column `age` must be a number such as 1234.5.',
      '10,"The column `note` may not be longer than 1,000 characters."',
      '11,The row has text after a closing double quote.',
      '12,"The column `email` must be an address alone, such as `name@example.com`: names have fields of their own."',
      '13,"The row is longer than 1,048,576 characters."',
    ])
    expect(await contactOf('last@example.com')).toMatchObject({ first_name: 'Ada\nLovelace' })
  })

  it('of 10 MB are refused without being held', async () => {
    const long = `long@example.com,${'x'.repeat(10 * 1024 * 1024)}\n`
    const ended = await importFile(service, { file: `email,first_name\n${long}after@example.com,Ada\n` })
    expect(ended.counts).toEqual(counts({ total: 2, created: 1, failed: 1 }))
  })
})

describe('an import', () => {
  afterEach(() => vi.restoreAllMocks())

  const queued = async (form: Parameters<typeof sendImport>[1]) => {
    await worker?.stop()
    worker = null
    return ((await sendImport(service, form)).body as { id: string }).id
  }
  const rowsOf = (count: number) => `email\n${Array.from({ length: count }, (_, index) => `r${index}@example.com`).join('\n')}\n`
  /** Everything except the end of a file. */
  async function* brokenOff(whole: Readable) {
    yield Buffer.concat(await whole.toArray()).subarray(0, -10)
    throw new Error('The disk is gone')
  }

  it('continues after the rows that are committed, with the counts exact, however often it ends', async () => {
    const importId = await queued({ file: `${rowsOf(9_000)}nobody\n` })
    const { importBatches } = service.service.context.repositories
    const commit = importBatches.commit
    for (let tries = 0; tries < 4; tries++) {
      let commits = 0
      const spy = vi.spyOn(importBatches, 'commit').mockImplementation(async (...args) => {
        if (++commits > 1) throw new Error('The process is gone')
        return commit(...args)
      })
      await tryImport(service, importId, { attempt: tries + 1 }).catch(() => {})
      spy.mockRestore()
    }
    const { counts: midway } = await readImport(service, importId)
    expect(midway.total).toBeGreaterThan(0)
    expect(midway.total).toBeLessThan(9_001)
    expect(midway.created).toBe(midway.total)
    await tryImport(service, importId)
    expect(await readImport(service, importId)).toMatchObject({
      status: 'completed',
      counts: counts({ total: 9_001, created: 9_000, failed: 1 }),
    })
    expect(await service.database.execute('select from contacts')).toHaveLength(9_000)
  })

  it('that two workers hold is counted once', async () => {
    const importId = await queued({ file: rowsOf(9_000) })
    await Promise.all([tryImport(service, importId), tryImport(service, importId)])
    expect(await readImport(service, importId)).toMatchObject({ status: 'completed', counts: counts({ total: 9_000, created: 9_000 }) })
  })

  it('that hears of a stop gives itself back, and is tried as often as before', async () => {
    const importId = await queued({ file: rowsOf(3_000) })
    await tryImport(service, importId, { signal: AbortSignal.abort(), attempt: 5, isLastTry: true })
    expect(await readImport(service, importId)).toMatchObject({ status: 'in_progress', counts: counts({}) })
    const jobs = await service.database.execute(
      `select attempts from graphile_worker._private_jobs where payload->>'importId' = $1 and attempts < max_attempts`,
      [importId],
    )
    expect(jobs).toEqual([{ attempts: 0 }])
  })

  it('gets all its tries again when it has come further', async () => {
    const importId = await queued({ file: rowsOf(3_000) })
    const key = `import-contacts/${importId}`
    await service.database.execute(
      `update graphile_worker._private_jobs set attempts = 4, locked_at = now(), locked_by = 'x' where key = $1`,
      [key],
    )
    const { contactImports, importBatches } = service.service.context.repositories
    const found = await contactImports.begin(service.teamId, importId)
    if (!found) throw new Error('There is no such import')
    const nothing = { total: 1, contacts: [], repeated: 0, refusals: [{ line: 2, reason: 'x', cells: null }], optOuts: [] }
    await importBatches.commit(service.teamId, found, nothing, { totalBefore: 0, renewsJob: true, refusalsKeptMax: 1 })
    const jobs = await service.database.execute(
      `select attempts, key from graphile_worker._private_jobs where payload->>'importId' = $1 order by attempts`,
      [importId],
    )
    expect(jobs).toEqual([
      { attempts: 0, key },
      { attempts: 5, key: null },
    ])
  })

  it('is not given up on its last try when it has come further in that', async () => {
    const importId = await queued({ file: rowsOf(5_000) })
    const { importBatches } = service.service.context.repositories
    const { commit } = importBatches
    vi.spyOn(importBatches, 'commit').mockImplementationOnce(commit).mockRejectedValueOnce(new Error('The line broke'))
    await expect(tryImport(service, importId, { attempt: 5, isLastTry: true })).rejects.toThrow('The line broke')
    const { status, counts: midway } = await readImport(service, importId)
    expect(status).toBe('in_progress')
    expect(midway.created).toBeGreaterThan(0)
    await tryImport(service, importId)
    expect(await readImport(service, importId)).toMatchObject({ status: 'completed', counts: counts({ total: 5_000, created: 5_000 }) })
  })

  it('is not given up on its last try while that still commits what is new', async () => {
    // One batch is full when the file ends early.
    const importId = await queued({ file: rowsOf(3_000) })
    const { repositories, gateways } = service.service.context
    const { commit } = repositories.importBatches
    const whole = await gateways.blobs.open((await storedFiles(service))[0] ?? '')
    const broken = Readable.from(brokenOff(whole))
    const breaking = new Promise((done) => broken.once('close', done))
    vi.spyOn(repositories.importBatches, 'commit').mockImplementationOnce(async (...args) => {
      await breaking
      return commit(...args)
    })
    vi.spyOn(gateways.blobs, 'open').mockResolvedValueOnce(broken)
    await expect(tryImport(service, importId, { attempt: 5, isLastTry: true })).rejects.toThrow('The disk is gone')
    const { status, counts: midway } = await readImport(service, importId)
    expect(status).toBe('in_progress')
    expect(midway.created).toBeGreaterThan(0)
    await tryImport(service, importId)
    expect(await readImport(service, importId)).toMatchObject({ status: 'completed', counts: counts({ total: 3_000, created: 3_000 }) })
  })

  it('has ended once, and well, although its file cannot be removed', async () => {
    const importId = await queued({ file: rowsOf(1) })
    const { gateways, log } = service.service.context
    vi.spyOn(gateways.blobs, 'remove').mockRejectedValueOnce(new Error('The disk is gone'))
    const told = [vi.spyOn(log, 'info'), vi.spyOn(log, 'error')]
    await tryImport(service, importId, { attempt: 5, isLastTry: true })
    expect(told.flatMap(({ mock }) => mock.calls)).toEqual([[{ importId, teamId: service.teamId, outcome: 'completed' }, 'import ended']])
    expect(await readImport(service, importId)).toMatchObject({ status: 'completed', counts: counts({ total: 1, created: 1 }) })
    for (const blob of await storedFiles(service)) await gateways.blobs.remove(blob)
  })

  it('that another worker has ended is not reported as ended again', async () => {
    const importId = await queued({ file: rowsOf(1) })
    const { repositories, log } = service.service.context
    const { commit } = repositories.importBatches
    vi.spyOn(repositories.importBatches, 'commit').mockImplementationOnce(async (...args) => {
      const problem = await commit(...args)
      await repositories.contactImports.end(service.teamId, importId, { status: 'failed', reason: 'Given up' })
      return problem
    })
    const told = vi.spyOn(log, 'info')
    await tryImport(service, importId)
    expect(told).not.toHaveBeenCalled()
    expect(await readImport(service, importId)).toMatchObject({ status: 'failed', reason: 'Given up' })
    for (const blob of await storedFiles(service)) await service.service.context.gateways.blobs.remove(blob)
  })

  const givenUp = (where: string) =>
    `The file could not be read to its end after several attempts. The rows that are counted were imported; rows ${where} were not read, and opt-outs in them were not recorded. Import those rows in a new file.`

  it('says when it fails after which line of the file rows were not read', async () => {
    const [header, ...rows] = rowsOf(5_000).trim().split('\n')
    const importId = await queued({
      file: ['sep=,', `${header},first_name`, 'a@example.com,"Ada\nLovelace"', ...rows.map((row) => `${row},`)].join('\n'),
    })
    const { importBatches } = service.service.context.repositories
    const { commit } = importBatches
    vi.spyOn(importBatches, 'commit').mockImplementationOnce(commit).mockRejectedValueOnce(new Error('The line broke'))
    await tryImport(service, importId, { attempt: 1, isLastTry: true })
    const { status, reason, counts: ended } = await readImport(service, importId)
    expect(ended.total).toBeGreaterThan(0)
    expect(ended.total).toBeLessThan(5_001)
    // After two lines before the rows, and two of the first row.
    expect({ status, reason }).toEqual({ status: 'failed', reason: givenUp(`after line ${ended.total + 3}`) })
  })

  it('fails when its last try does, and when no try is left, with what was committed', async () => {
    const importId = await queued({ file: rowsOf(1) })
    for (const blob of await storedFiles(service)) await service.service.context.gateways.blobs.remove(blob)
    await expect(tryImport(service, importId)).rejects.toThrow('File not found')
    await tryImport(service, importId, { isLastTry: true })
    expect(await readImport(service, importId)).toMatchObject({ status: 'failed', reason: givenUp('after the first 0') })

    const stuckId = await queued({ file: rowsOf(1) })
    await failStuckImports(service.service.context)
    expect(await readImport(service, stuckId)).toMatchObject({ status: 'queued' })
    await service.database.execute(`update graphile_worker._private_jobs set attempts = max_attempts where payload->>'importId' = $1`, [
      stuckId,
    ])
    await failStuckImports(service.service.context)
    expect(await readImport(service, stuckId)).toMatchObject({ status: 'failed', reason: givenUp('after line 1') })
    expect(await storedFiles(service)).toEqual([])
  })
})
