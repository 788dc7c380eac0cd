import { describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

/** As a careless repository would write them, if it were handed a whole body. */
const columns = () => ({
  id: createId(),
  teamId: service.other.teamId,
  team_id: service.other.teamId,
  createdAt: '2001-02-03T04:05:06.000Z',
  updatedAt: '2001-02-03T04:05:06.000Z',
  number: 7,
  digest: 'digest',
  addressHash: 'hash',
  filterUses: [createId()],
  letterPairs: 0,
})

const RECORDS: [table: string, path: string, toCreate: object, toUpdate: object][] = [
  ['topics', '/topics', { name: 'News', default_subscription: 'opt_in' }, { name: 'Other news' }],
  ['contacts', '/contacts', { email: 'ada@example.org' }, { first_name: 'Ada' }],
  ['segments', '/segments', { name: 'All' }, { name: 'Some' }],
  ['contact_properties', '/contact-properties', { key: 'company', type: 'string' }, { fallback_value: 'Acme' }],
  ['templates', '/templates', { name: 'Welcome', html: 'x' }, { name: 'Goodbye' }],
  ['api_keys', '/api-keys', { name: 'Key' }, { name: 'Other key' }],
]

describe('columns that a body has no field for', () => {
  it.each(RECORDS)('are not written by it: %s', async (table, path, toCreate, toUpdate) => {
    const began = Date.now()
    const created = await service.call('POST', path, { body: { ...columns(), ...toCreate } })
    expect(created.status).toBe(201)
    const { id } = created.body as { id: string }
    const [before] = await service.database.execute(`select * from ${table} where team_id = $1 and id = $2`, [service.teamId, id])
    expect(before?.created_at.getTime()).toBeGreaterThanOrEqual(began)

    const changed = await service.call('PATCH', `${path}/${id}`, { body: { ...columns(), ...toUpdate } })
    expect(changed.status).toBe(200)
    const [after] = await service.database.execute(`select * from ${table} where team_id = $1 and id = $2`, [service.teamId, id])
    const differing = Object.keys(before ?? {}).filter((column) => String(before?.[column]) !== String(after?.[column]))
    expect(differing.filter((column) => !['updated_at', 'letter_pairs'].includes(column))).toHaveLength(1)
    expect(await service.database.execute(`select id from ${table} where team_id = $1 and id <> $2`, [service.other.teamId, id])).toEqual(
      table === 'api_keys' ? [{ id: expect.any(String) }] : [],
    )
  })
})
