import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parsePosition, positionText } from '../../../../src/modules/webhooks/feed/feed-positions.ts'

it('reads every position that it writes', () => {
  const numbers = fc.bigInt(0n, 2n ** 64n - 1n).map(String)
  const positions = fc.record({
    database: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String),
    isBefore: fc.boolean(),
    transaction: numbers,
    id: fc.uuid(),
    at: fc.date({ min: new Date(0), max: new Date('4999-12-31T00:00:00Z'), noInvalidDate: true }),
  })
  fc.assert(
    fc.property(positions, (position) => {
      expect(parsePosition(positionText(position))).toEqual(position)
    }),
  )
})

it.each([
  '',
  'now',
  'n.1.2.3.4',
  'x.1.2.AZOlwn1OexqcPy5dimtMEA.1',
  'n.1.99999999999999999999.AZOlwn1OexqcPy5dimtMEA.1',
  'n.1.2.AZOlwn1OexqcPy5dimtMEA.1\n',
])('reads no position in %j', (text) => expect(parsePosition(text)).toBeNull())
