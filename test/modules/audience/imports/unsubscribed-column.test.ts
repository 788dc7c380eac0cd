import { describe, expect, it } from 'vitest'
import { saysUnsubscribed, UNSUBSCRIBED_WORDS } from '../../../../src/modules/audience/imports/imports.schema.ts'

describe('a cell of the column `unsubscribed`', () => {
  it.each(['true', 'yes', 'Y', 't', '1', 'ON', ' x ', 'Unsubscribed', 'opted_out', 'opt_out', 'Opted Out', 'opt-out'])(
    'says with %j that a person wants no more mail',
    (cell) => expect(saysUnsubscribed(cell)).toBe(true),
  )

  it.each(['false', 'no', 'n', 'F', '0', 'off', '\tSubscribed', 'opt_in', 'Opted in'])('says with %j that a person stays', (cell) =>
    expect(saysUnsubscribed(cell)).toBe(false),
  )

  it.each(['', '  '])('says nothing with %j', (cell) => expect(saysUnsubscribed(cell)).toBeNull())

  it.each(['perhaps', '2', 'not unsubscribed', 'constructor'])('is not understood with %j', (cell) =>
    expect(saysUnsubscribed(cell)).toBeUndefined(),
  )

  it('takes every word that the sentence about it names', () => {
    const [leaving, staying] = UNSUBSCRIBED_WORDS.split(' for contacts who want no more mail, and ').map((part) =>
      part.replace(' or empty for others', '').split(/, | or /),
    )
    expect(new Set(leaving?.map(saysUnsubscribed))).toEqual(new Set([true]))
    expect(new Set(staying?.map(saysUnsubscribed))).toEqual(new Set([false]))
  })
})
