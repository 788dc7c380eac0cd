import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bodyHash } from '../../src/http/headers.ts'

/** As it always was: a key that was used before an update still belongs to the same body. */
const whole = (body: unknown): string =>
  createHash('sha256')
    .update(
      JSON.stringify(body, (_key, value) =>
        value !== null && typeof value === 'object' && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
          : value,
      ),
    )
    .digest('hex')

it('is that of the body as JSON with sorted fields', () => {
  fc.assert(fc.property(fc.jsonValue(), (body) => bodyHash(body) === whole(body)))
})

it.each([
  ['is long', 'x'.repeat(200_000)],
  ['has characters of two units where it is divided', `${'x'.repeat(65_535)}${'\u{1f600}'.repeat(70_000)}`],
  ['has halves of characters where it is divided', `${'x'.repeat(65_535)}\ud83d${'\ud83d'.repeat(70_000)}`],
  ['has escapes', '"\\\n'.repeat(50_000)],
])('is the same for a text that %s', (_what, text) => {
  const body = { b: text, a: [1, text, null], 10: 'ten', 9: { d: undefined, c: true } }
  expect(bodyHash(body)).toBe(whole(body))
})

it('does not depend on the order of the fields', () => {
  expect(bodyHash({ a: 1, b: { d: 1, c: 2 } })).toBe(bodyHash({ b: { c: 2, d: 1 }, a: 1 }))
})
