import { expect, it } from 'vitest'
import { createApiToken, digestToken, isApiToken } from '../../src/lib/ids.ts'

it('makes tokens of the form that the official clients know, each one new', () => {
  const tokens = Array.from({ length: 500 }, createApiToken)
  for (const token of tokens) expect(token).toMatch(/^re_[1-9A-HJ-NP-Za-km-z]{8}_[1-9A-HJ-NP-Za-km-z]{24}$/)
  expect(new Set(tokens).size).toBe(500)
  expect(tokens.every(isApiToken)).toBe(true)
})

it('stores SHA-256 in hex', () => {
  expect(digestToken('re_abc')).toBe('d690bef11cee674480b07728f78b231808afc54ad39e9470013cd3ceeaa204c8')
})

it.each([
  ['an operator’s own key', 're_operator-chosen-key-2026', true],
  ['256 characters', `re_${'a'.repeat(253)}`, true],
  ['257 characters', `re_${'a'.repeat(254)}`, false],
  ['another prefix', 'sk_12345678_123456789012345678901234', false],
  ['too short', 're_123', false],
  ['a space', 're_12345678 123456789012345678901234', false],
  ['a line break', 're_12345678_123456789012345678901234\n', false],
  ['a megabyte', `re_${'a'.repeat(1_000_000)}`, false],
])('judges the shape of a token: %s', (_name, token, expected) => expect(isApiToken(token)).toBe(expected))
