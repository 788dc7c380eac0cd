import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rowArrays } from '../../src/db/columns.ts'
import { utf8 } from '../../src/lib/text.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const service = shared(() => startTestService())

const ROWS = rowArrays(
  {
    ...{ id: 'uuid', text: 'text', texts: 'text[]', count: 'int', isSet: 'boolean', json: 'jsonb', at: 'timestamptz', class: 'text' },
    ...{ bytes: 'bytea', written: 'json text', none: 'int' },
  },
  2,
)

const TEXTS = rowArrays({ place: 'int', text: 'text' }, 1)

/** As PostgreSQL can keep it, with what means something within an array. */
const text = fc.string({
  unit: fc.oneof(fc.constantFrom('"', '\\', ',', '{', '}', ' ', '\n', 'NULL', 'é', '😀'), fc.string({ unit: 'grapheme-ascii' })),
})

/** V8 reads some keys with escapes as others (nodejs/node#63785). So keys have none; the texts beside them have all. */
const key = text.filter((name) => JSON.stringify(name) === `"${name}"`)

const row = fc.record({
  id: fc.uuid(),
  text: fc.option(text),
  texts: fc.option(fc.array(text)),
  count: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  isSet: fc.option(fc.boolean()),
  json: fc.option(fc.oneof(fc.array(text), fc.dictionary(key, text), text, fc.boolean())),
  at: fc.option(fc.date({ min: new Date(0), max: new Date('2200-01-01T00:00:00Z'), noInvalidDate: true })),
  class: fc.constant('transactional'),
  bytes: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  written: fc.option(fc.oneof(fc.array(text), fc.dictionary(key, text))),
  none: fc.constant(null),
})

type Row = { bytes: Buffer | null; written: unknown }

const asGiven = <One extends Row>(one: One) => ({
  ...one,
  bytes: one.bytes && `\\x${one.bytes.toString('hex')}`,
  written: one.written === null ? null : JSON.stringify(one.written),
})

describe('rows as arrays', () => {
  it('come back as they were, and in their order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        const read = await service.database.execute(`select $1::text as first, r.* from ${ROWS.source} as r`, [
          'first',
          ...ROWS.values(rows.map(asGiven)),
        ])
        expect(read).toEqual(rows.map((one) => ({ first: 'first', ...one })))
      }),
    )
  })

  it('come back as they were if some texts are bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ text: fc.option(text), isEncoded: fc.boolean() }), { maxLength: 20 }), async (given) => {
        const rows = given.map((one, place) => ({ place, text: one.isEncoded ? utf8(one.text) : one.text }))
        const read = await service.database.execute(`select r.* from ${TEXTS.source} as r`, TEXTS.values(rows))
        expect(read).toEqual(given.map((one, place) => ({ place, text: one.text })))
      }),
    )
  })

  it('name the parameter that follows', () => {
    expect(ROWS.next).toBe(13)
  })
})
