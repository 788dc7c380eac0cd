import { beforeEach, describe, expect, it } from 'vitest'
import type { Database, Execute } from '../../../../src/db/database.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { contactImportRepository, type NewContactImport } from '../../../../src/modules/audience/imports/imports.repository.ts'
import { sendImport } from '../../../support/builders/contact-imports.ts'
import { addSegment } from '../../../support/builders/contacts.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'
import { WAITS_FOR_LOCK } from '../../../support/servers/statements.ts'

const service = shared(() => startTestService())
beforeEach(() => service.database.execute('truncate contact_imports, contact_properties, segments'))

/** An import whose columns become these properties. */
const importOf = (keys: string[]): NewContactImport => ({
  id: createId(),
  blobKey: createId(),
  fileName: null,
  size: 1,
  encoding: 'utf-8',
  delimiter: ',',
  columns: {
    email: 0,
    firstName: null,
    lastName: null,
    unsubscribed: null,
    properties: keys.map((key, index) => ({ at: index + 1, key, type: index % 2 === 0 ? 'boolean' : 'number' })),
    names: ['email', ...keys],
  },
  onConflict: 'upsert',
  segmentIds: [],
  topics: [],
})

const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `property_${index}`)
const PROPERTIES_MAX = 200

describe('the properties of a new import', () => {
  it('are created with the time of the clock, and keep the order of their columns and the numbers of those that were there', async () => {
    const clock = createMovingClock(new Date('2031-02-03T04:05:06.007Z'))
    const { contactProperties, contactImports } = service.service.context.repositories
    await contactProperties.create(service.teamId, { key: 'property_1', type: 'number', fallbackValue: null })
    const [before] = await contactProperties.all(service.teamId)
    const given = importOf(keysOf(4))
    await contactImportRepository(service.database, { clock }).create(service.teamId, given, PROPERTIES_MAX)

    const [kept, ...created] = await contactProperties.all(service.teamId)
    expect(kept).toEqual(before)
    expect(created.map(({ key, type, createdAt }) => ({ key, type, createdAt }))).toEqual([
      { key: 'property_0', type: 'string', createdAt: clock.now() },
      { key: 'property_2', type: 'string', createdAt: clock.now() },
      { key: 'property_3', type: 'number', createdAt: clock.now() },
    ])
    const numbers = new Map([kept, ...created].map((row) => [row?.key, row?.number]))
    const { columns } = (await contactImports.find(service.teamId, given.id)) ?? {}
    expect(columns?.properties).toEqual(given.columns.properties.map((property) => ({ ...property, number: numbers.get(property.key) })))
  })

  it('take as many statements as one', async () => {
    const texts: string[][] = []
    const counted: Pick<Database, 'tables' | 'execute' | 'records'> = {
      ...service.database,
      records: (work) =>
        service.database.records((record) => {
          const statements: string[] = []
          texts.push(statements)
          const execute: Execute = (sql, values) => {
            statements.push(String(sql))
            return record.execute(sql, values)
          }
          return work({ ...record, execute })
        }),
    }
    const imports = contactImportRepository(counted, { clock: createMovingClock() })
    await imports.create(service.teamId, importOf(['alone']), PROPERTIES_MAX)
    await imports.create(service.teamId, importOf(keysOf(PROPERTIES_MAX - 1)), PROPERTIES_MAX)
    expect(texts[1]).toEqual(texts[0])
    expect(await service.database.execute('select from contact_properties')).toHaveLength(PROPERTIES_MAX)
  })

  it('are created up to the number that a team may have, and not in part', async () => {
    const { contactImports, contactProperties } = service.service.context.repositories
    const create = (keys: string[]) => contactImports.create(service.teamId, importOf(keys), 3)
    expect(await create(['a', 'b'])).toHaveProperty('id')
    expect(await create(['a', 'c', 'd'])).toEqual({ problem: 'too many properties' })
    expect((await contactProperties.all(service.teamId)).map(({ key }) => key)).toEqual(['a', 'b'])
    expect(await create(['a', 'c'])).toHaveProperty('id')
  })

  it('are not created when the team has given one of the keys to another type meanwhile', async () => {
    const { contactImports, contactProperties } = service.service.context.repositories
    await contactProperties.create(service.teamId, { key: 'a', type: 'number', fallbackValue: null })
    const created = await contactImports.create(service.teamId, importOf(['a', 'b']), PROPERTIES_MAX)
    expect(created).toEqual({ problem: 'property of another type', key: 'a' })
    expect((await contactProperties.all(service.teamId)).map(({ key }) => key)).toEqual(['a'])
    expect(await service.database.execute('select from contact_imports')).toEqual([])
  })
})

describe('an import that several end at the same time', () => {
  it('is ended by one of them, who is told of the file that is no longer needed', async () => {
    const { contactImports } = service.service.context.repositories
    const given = importOf([])
    await contactImports.create(service.teamId, given, PROPERTIES_MAX)
    const ended = await Promise.all(
      Array.from({ length: 8 }, () => contactImports.end(service.teamId, given.id, { status: 'failed', reason: 'Too large' })),
    )
    expect(ended.filter((end) => end !== null)).toEqual([{ blobKey: given.blobKey }])
    expect(await contactImports.begin(service.teamId, given.id)).toBeNull()
    expect(await contactImports.find(service.teamId, given.id)).toMatchObject({ status: 'failed', reason: 'Too large' })
  })
})

describe('an import into a segment that is to get a filter', () => {
  it('is refused or goes first, and neither of the two blocks the other', async () => {
    const segment = await addSegment(service)
    const holder = await service.database.connect()
    const untilWaiting = (count: number) =>
      until(async () => {
        const waiting = `select from pg_stat_activity where datname = current_database() and ${WAITS_FOR_LOCK}`
        expect(await service.database.execute(waiting)).toHaveLength(count)
      })
    try {
      await holder.query('begin')
      await holder.query('select from teams where id = $1 for update', [service.teamId])
      const changing = service.call('PATCH', `/segments/${segment}`, { body: { filter: { field: 'email', operator: 'is_set' } } })
      await untilWaiting(1)
      const importing = sendImport(service, {
        file: 'email,plan\nada@example.com,x\n',
        segments: [{ id: segment }],
        column_map: { properties: { plan: { column: 'plan' } } },
      })
      await untilWaiting(2)
      await holder.query('commit')
      expect(await changing).toMatchObject({ status: 200 })
      expect(await importing).toMatchObject({ status: 422, body: { message: expect.stringMatching(/^The `segments\[0\]` field /) } })
    } finally {
      holder.release(true)
    }
  })
})
