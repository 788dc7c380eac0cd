import { expect, it } from 'vitest'
import { oneOf } from '../../src/db/columns.ts'
import { SUBSCRIPTIONS } from '../../src/modules/audience/audience-fields.ts'

it('a text of a closed set is one of its values', () => {
  expect([oneOf(SUBSCRIPTIONS, 'opt_in'), oneOf(SUBSCRIPTIONS, 'opt_out')]).toEqual(['opt_in', 'opt_out'])
})

it.each(['', 'OPT_IN', 'toString', '__proto__'])('a text that is none is refused: %j', (text) => {
  expect(() => oneOf(SUBSCRIPTIONS, text)).toThrow(`A row says ${JSON.stringify(text)} where it can only say opt_in or opt_out`)
})
