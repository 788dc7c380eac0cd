import fc from 'fast-check'
import { expect, it } from 'vitest'
import { preferredLanguage } from '../../src/http/headers.ts'

const LANGUAGES = ['en', 'de', 'fr'] as const

it.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['DE-ch', 'de'],
  ['fr;q=0.4, de;q=0.6', 'de'],
  ['fr;q=0.4,de;q=0.4', 'fr'],
  ['ja, de;q=0.1', 'de'],
  ['de ; q=0.1 , fr ; q=0.2', 'fr'],
  ['de;q=0, fr;q=0.001', 'fr'],
  ['de;q=abc, fr;q=0.1', 'fr'],
  ['*', 'en'],
  ['toString, __proto__', 'en'],
])('of %j makes %s', (header, language) => expect(preferredLanguage(header, LANGUAGES)).toBe(language))

it('always answers one of those there are', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      expect(LANGUAGES).toContain(preferredLanguage(header, LANGUAGES))
    }),
  )
})
