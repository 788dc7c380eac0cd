import { expect, it } from 'vitest'
import { Failure } from '../../src/lib/failure.ts'
import { pageRequest } from '../../src/lib/page-request.ts'

const ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'

it.each<[Parameters<typeof pageRequest>[0], Parameters<typeof pageRequest>[1], ReturnType<typeof pageRequest>]>([
  [{}, 'always', { limit: 20, after: null, before: null }],
  [{}, 'optional', { limit: 1_000, after: null, before: null }],
  [{ limit: 5 }, 'always', { limit: 5, after: null, before: null }],
  [{ limit: 100 }, 'optional', { limit: 100, after: null, before: null }],
  [{ after: ID }, 'always', { limit: 20, after: ID, before: null }],
  [{ after: ID }, 'optional', { limit: 20, after: ID, before: null }],
  [{ before: ID }, 'optional', { limit: 20, after: null, before: ID }],
  [{ limit: 1, before: ID }, 'optional', { limit: 1, after: null, before: ID }],
  [{ after: ID.toUpperCase() }, 'always', { limit: 20, after: ID, before: null }],
  [{ before: ID.toUpperCase() }, 'always', { limit: 20, after: null, before: ID }],
])('makes of %j on a list that pages %s: %j', (query, whenOmitted, expected) => expect(pageRequest(query, whenOmitted)).toEqual(expected))

it('refuses both cursors at once', () => {
  expect(() => pageRequest({ after: ID, before: ID }, 'always')).toThrow(
    new Failure('validation', 'Give either `after` or `before`, not both.'),
  )
})
