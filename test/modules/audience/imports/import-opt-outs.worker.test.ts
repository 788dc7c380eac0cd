import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { mergeContacts } from '../../../../src/modules/audience/contacts/merge-contacts.repository.ts'
import { type ImportForm, importAtOnce, readImport, readReport, sendImport, tryImport } from '../../../support/builders/contact-imports.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'
import { WAITS_FOR_LOCK } from '../../../support/servers/statements.ts'

const service = shared(() => startTestService())
beforeEach(() =>
  service.database.execute(
    'truncate contacts, contact_segments, contact_topics, opt_outs, topic_opt_outs, contact_properties, segments, topics',
  ),
)
afterEach(() => vi.restoreAllMocks())

const create = async (path: string, body: unknown) => ((await service.call('POST', path, { body })).body as { id: string }).id
const contactOf = async (email: string) => (await service.call('GET', `/contacts/${email}`)).body as Record<string, unknown>
const queued = async (form: ImportForm) => ((await sendImport(service, form)).body as { id: string }).id
const imported = (form: ImportForm) => importAtOnce(service, form)
const HEARD = 'Its opt-out was recorded anyway.'

describe('a person who opts out in a refused row', () => {
  beforeEach(() => create('/contact-properties', { key: 'age', type: 'number' }))
  const header = 'email,first_name,unsubscribed,age'

  it.each([
    ['a number that is none', 'who@example.com,Ada,true,n/a', 'The column `age` must be a number such as 1234.5.'],
    [
      'a name that is too long',
      `who@example.com,${'x'.repeat(5_000)},yes,`,
      'The column `first_name` may not be longer than 256 characters.',
    ],
    ['a cell too many at its end', 'who@example.com,Ada,x,1,2', 'The row has 5 columns, and the header has 4.'],
    ['a comma too many', 'WHO@example.com,Lovelace, Ada,true,1', 'The row has 5 columns, and the header has 4.'],
    ['too few cells', 'who@example.com,,opted out', 'The row has 3 columns, and the header has 4.'],
    [
      'a name beside the address',
      '"""Ada"" <who@example.com>",,1,',
      'The column `email` must be an address alone, such as `name@example.com`: names have fields of their own.',
    ],
  ])('is heard beside %s, whether the address is a contact or not', async (_what, row, reason) => {
    const ended = await imported({ file: `${header}\n${row}\n` })
    expect(ended).toMatchObject({ status: 'completed', counts: { total: 1, created: 0, failed: 1 } })
    const [line] = await readReport(service, ended)
    expect(line?.replaceAll('"', '')).toBe(`2,${reason} ${HEARD}`)
    expect(await service.database.execute('select from contacts')).toEqual([])
    await create('/contacts', { email: 'who@example.com' })
    expect(await contactOf('who@example.com')).toMatchObject({ unsubscribed: true })

    await service.call('PATCH', '/contacts/who@example.com', { body: { unsubscribed: false, first_name: 'Kept' } })
    await imported({ file: `${header}\n${row}\n` })
    expect(await contactOf('who@example.com')).toMatchObject({ unsubscribed: true, first_name: 'Kept' })
  })

  it.each([
    'stays@example.com,Ada,false,n/a',
    'stays@example.com,Ada,perhaps,1',
    // The extra cells are empty, and nothing has moved: the value true is in the column age.
    'stays@example.com,Ada,,true,',
    // With too few cells, nothing has moved either.
    'stays@example.com,x,perhaps',
  ])('does not include a person who does not say so: %s', async (row) => {
    const ended = await imported({ file: `${header}\n${row}\n` })
    expect(ended.counts).toMatchObject({ total: 1, failed: 1 })
    expect((await readReport(service, ended)).join()).not.toContain(HEARD)
    expect(await service.database.execute('select from opt_outs')).toEqual([])
  })

  it('is heard although the same address has a good row, before it or after it', async () => {
    const rows = ['a@example.com,A,no,1', 'a@example.com,A,yes,n/a', 'b@example.com,B,yes,n/a', 'b@example.com,B,,2']
    for (const on_conflict of ['upsert', 'skip']) {
      const ended = await imported({ file: `${header}\n${rows.join('\n')}\n`, on_conflict })
      expect(ended.counts).toMatchObject({ total: 4, failed: 2 })
      for (const email of ['a@example.com', 'b@example.com']) {
        expect(await contactOf(email)).toMatchObject({ unsubscribed: true })
        await service.call('DELETE', `/contacts/${email}`)
      }
    }
  })

  it('is heard about the topics of the import as well, and about those alone that are opt_out', async () => {
    const [left, joined] = [
      await create('/topics', { name: 'Left', default_subscription: 'opt_in' }),
      await create('/topics', { name: 'Joined', default_subscription: 'opt_out' }),
    ]
    await create('/contacts', { email: 'old@example.com', topics: [{ id: left, subscription: 'opt_in' }] })
    const ended = await imported({
      file: `${header}\nold@example.com,,,n/a\nnew@example.com,,,n/a\n`,
      topics: [
        { id: left, subscription: 'opt_out' },
        { id: joined, subscription: 'opt_in' },
      ],
    })
    expect(ended.counts).toMatchObject({ total: 2, created: 0, updated: 0, failed: 2 })
    expect(await readReport(service, ended)).toEqual(
      [2, 3].map((line) => `${line},The column \`age\` must be a number such as 1234.5. ${HEARD}`),
    )
    await create('/contacts', { email: 'new@example.com' })
    for (const email of ['old@example.com', 'new@example.com']) {
      expect(await contactOf(email)).toMatchObject({ unsubscribed: false })
      const { body } = await service.call('GET', `/contacts/${email}/topics`)
      const { data } = body as { data: { id: string; subscription: string }[] }
      expect(new Map(data.map(({ id, subscription }) => [id, subscription]))).toEqual(
        new Map([
          [joined, 'opt_out'],
          [left, 'opt_out'],
        ]),
      )
    }
  })

  it('is heard although the address becomes a contact at the same moment', async () => {
    const { context } = service.service
    const { teamId } = service
    const importId = await queued({ file: `${header}\nwho@example.com,,true,n/a\n` })
    let running: Promise<void> = Promise.resolve()
    await service.database.transaction(async (inside) => {
      const contact = {
        id: createId(),
        email: 'who@example.com',
        addressHash: context.hashAddress(teamId, 'who@example.com'),
        firstName: null,
        lastName: null,
        unsubscribed: false,
        properties: {},
      }
      await mergeContacts(inside, [contact], { teamId, onConflict: 'upsert', segmentIds: [], topics: [], now: context.clock.now() })
      running = tryImport(service, importId)
      await untilWaiting(1)
    })
    await running
    expect(await contactOf('who@example.com')).toMatchObject({ unsubscribed: true })
  })

  it('keeps no two imports waiting for each other', async () => {
    const importIds = [
      await queued({ file: `${header}\na@example.com,,,1\nb@example.com,,true,n/a\n` }),
      await queued({ file: `${header}\nc@example.com,,,1\nd@example.com,,true,n/a\n` }),
    ]
    let running: Promise<unknown> = Promise.resolve()
    await service.database.transaction(async (inside) => {
      await inside('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [`opt-outs ${service.teamId}`])
      running = Promise.all(importIds.map((importId) => tryImport(service, importId)))
      running.catch(() => {})
      await untilWaiting(2)
    })
    await running
    for (const importId of importIds) expect(await readImport(service, importId)).toMatchObject({ status: 'completed' })
  })
})

const untilWaiting = (count: number) =>
  until(async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and ${WAITS_FOR_LOCK}`
    expect(await service.database.execute(waiting)).toHaveLength(count)
  })

describe('an import whose segment, topic or property is deleted while it is read', () => {
  const ROWS = 5_000
  const rows = Array.from({ length: ROWS }, (_, index) => `r${index}@example.com,Rome,${index >= ROWS - 2}`)
  const file = `email,City,unsubscribed\n${rows.join('\n')}\n`
  const column_map = { properties: { city: { column: 'City' } } }

  /** Once the first batch is committed. */
  function afterFirstCommit(act: () => Promise<unknown>): void {
    const { importBatches } = service.service.context.repositories
    const { commit } = importBatches
    vi.spyOn(importBatches, 'commit').mockImplementationOnce(async (...args) => {
      const committed = await commit(...args)
      await act()
      return committed
    })
  }

  const optedOut = async () =>
    (await service.database.execute<{ email: string }>('select email from contacts where unsubscribed order by email')).map(
      ({ email }) => email,
    )
  const WHOLE = { status: 'completed', reason: null, counts: { total: ROWS, created: ROWS, updated: 0, skipped: 0, failed: 0 } }

  it('continues without it, and applies opt-outs at the end of the file', async () => {
    const [gone, kept] = [await create('/segments', { name: 'Gone' }), await create('/segments', { name: 'Kept' })]
    const [left, stays] = [
      await create('/topics', { name: 'Left', default_subscription: 'opt_in' }),
      await create('/topics', { name: 'Stays', default_subscription: 'opt_in' }),
    ]
    const importId = await queued({
      file,
      column_map: { properties: { ...column_map.properties, town: { column: 'City' } } },
      segments: [{ id: gone }, { id: kept }],
      topics: [
        { id: left, subscription: 'opt_out' },
        { id: stays, subscription: 'opt_in' },
      ],
    })
    const [city] = await service.database.execute<{ id: string; number: number }>(
      `select id, number from contact_properties where key = 'city'`,
    )
    afterFirstCommit(async () => {
      for (const path of [`/segments/${gone}`, `/topics/${left}`, `/contact-properties/${city?.id}`])
        expect(await service.call('DELETE', path)).toMatchObject({ status: 200 })
    })
    await tryImport(service, importId)

    expect(await readImport(service, importId)).toMatchObject(WHOLE)
    expect(await optedOut()).toEqual([`r${ROWS - 2}@example.com`, `r${ROWS - 1}@example.com`])
    const [counts] = await service.database.execute(
      `select (select count(*)::int from contact_segments where segment_id = $1) as kept,
         (select count(*)::int from contact_segments where segment_id = $2) as gone,
         (select count(*)::int from contact_topics where topic_id = $3) as stays,
         (select count(*)::int from topic_opt_outs where topic_id = $4) as left,
         (select count(*)::int from contacts where properties ? $5) as city,
         (select count(*)::int from contacts) as all`,
      [kept, gone, stays, left, String(city?.number)],
    )
    const first = (counts as { gone: number }).gone
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThan(ROWS)
    expect(counts).toEqual({ kept: ROWS, gone: first, stays: ROWS, left: first, city: first, all: ROWS })
    expect((await contactOf(`r${ROWS - 1}@example.com`)).properties).toEqual({ town: { value: 'Rome', type: 'string' } })
  })

  it('has exact counts also when it is begun again after the deletion', async () => {
    const segment = await create('/segments', { name: 'Gone' })
    const importId = await queued({ file, column_map, segments: [segment] })
    afterFirstCommit(async () => {
      await service.call('DELETE', `/segments/${segment}`)
      throw new Error('The process is gone')
    })
    await expect(tryImport(service, importId)).rejects.toThrow('The process is gone')
    const midway = await readImport(service, importId)
    expect(midway.counts.total).toBeGreaterThan(0)
    expect(midway.counts.created).toBe(midway.counts.total)
    await tryImport(service, importId)
    expect(await readImport(service, importId)).toMatchObject(WHOLE)
    expect(await optedOut()).toHaveLength(2)
  })

  it.each(['segment', 'topic', 'property', 'filter'])('continues without it, although that is before its first row: %s', async (kind) => {
    const segment = await create('/segments', { name: 'Gone' })
    const topic = await create('/topics', { name: 'Gone', default_subscription: 'opt_in' })
    const importId = await queued({ file, column_map, segments: [segment], topics: [{ id: topic, subscription: 'opt_in' }] })
    if (kind === 'segment') await service.call('DELETE', `/segments/${segment}`)
    if (kind === 'topic') await service.call('DELETE', `/topics/${topic}`)
    if (kind === 'property') await service.database.execute('delete from contact_properties')
    if (kind === 'filter') await service.call('PATCH', `/segments/${segment}`, { body: { filter: { field: 'email', operator: 'is_set' } } })
    await tryImport(service, importId)
    expect(await readImport(service, importId)).toMatchObject(WHOLE)
    expect(await optedOut()).toHaveLength(2)
    expect(await service.database.execute('select from contact_segments')).toHaveLength(kind === 'segment' || kind === 'filter' ? 0 : ROWS)
    expect(await service.database.execute('select from contact_topics')).toHaveLength(kind === 'topic' ? 0 : ROWS)
    expect(await service.database.execute(`select from contacts where properties <> '{}'`)).toHaveLength(kind === 'property' ? 0 : ROWS)
  })
})

it('an import of a file that tells Excel of its delimiter names the lines of that file, and continues after its rows', async () => {
  const rows = Array.from({ length: 4_500 }, (_, index) => `r${index}@example.com;no`)
  const importId = await queued({ file: `sep=;\r\nemail;unsubscribed\r\nnobody;no\r\n${rows.join('\r\n')}\r\nwho@example.com;perhaps\r\n` })
  const { importBatches } = service.service.context.repositories
  const { commit } = importBatches
  vi.spyOn(importBatches, 'commit').mockImplementationOnce(commit).mockRejectedValueOnce(new Error('The process is gone'))
  await expect(tryImport(service, importId)).rejects.toThrow('The process is gone')
  await tryImport(service, importId)
  const ended = await readImport(service, importId)
  expect(ended).toMatchObject({ status: 'completed', counts: { total: 4_502, created: 4_500, updated: 0, failed: 2 } })
  const lines = (await readReport(service, ended)).map((line) => line.split(',')[0])
  expect(lines).toEqual(['3', '4504'])
})
