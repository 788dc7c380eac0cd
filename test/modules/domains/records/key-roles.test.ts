import { describe, expect, it } from 'vitest'
import { type KeyHistory, nextSelector, nextSelectors, withRoles } from '../../../../src/modules/domains/records/wanted-records.ts'

const AT = new Date('2026-11-20T12:00:00Z')
const key = (selector: string, algorithm: 'rsa' | 'ed25519', history: Partial<KeyHistory> = {}) => ({
  selector,
  algorithm: `${algorithm}-sha256` as const,
  seenAt: null,
  retiredAt: null,
  ...history,
})
const SEEN = { seenAt: AT }
const RETIRED = { seenAt: AT, retiredAt: AT }

describe('the keys of a domain', () => {
  it.each([
    ['of a new domain', [key('ph2', 'ed25519'), key('ph1', 'rsa')], ['ph1 signing', 'ph2 signing']],
    [
      'while all are rotated',
      [key('ph4', 'ed25519'), key('ph3', 'rsa'), key('ph2', 'ed25519', SEEN), key('ph1', 'rsa', SEEN)],
      ['ph1 signing', 'ph2 signing', 'ph3 next', 'ph4 next'],
    ],
    [
      'while one of two is rotated',
      [key('ph4', 'ed25519'), key('ph3', 'rsa', SEEN), key('ph2', 'ed25519', SEEN), key('ph1', 'rsa', RETIRED)],
      ['ph3 signing', 'ph2 signing', 'ph4 next', 'ph1 retired'],
    ],
    [
      'after two rotations',
      [key('ph5', 'rsa', SEEN), key('ph3', 'rsa', RETIRED), key('ph1', 'rsa', RETIRED)],
      ['ph5 signing', 'ph3 retired', 'ph1 retired'],
    ],
    ['of which all are retired', [key('ph1', 'rsa', RETIRED)], ['ph1 retired']],
    ['of which two were seen', [key('ph3', 'rsa', SEEN), key('ph1', 'rsa', SEEN)], ['ph3 signing', 'ph1 retired']],
  ])('%s have their roles', (_when, keys, roles) => {
    expect(withRoles(keys).map(({ selector, role }) => `${selector} ${role}`)).toEqual(roles)
  })
})

describe('the selector of a new key', () => {
  it.each([
    [[], 'ph1', 'ph1'],
    [[], 'resend', 'resend'],
    [['ph1'], 'ph1', 'ph2'],
    [['resend'], 'resend', 'ph2'],
    [['ph9'], 'ph9', 'ph10'],
    [['ph4', 'ph3'], 'ph1', 'ph5'],
    [['ph99999999999999999999'], 'ph1', 'ph2'],
  ])('after %j, with %s as the first, is %s', (taken, first, selector) => {
    expect(nextSelector(taken, first)).toBe(selector)
  })

  it('differs from those of the keys that are made with it', () => {
    expect(nextSelectors([], 2, 'ph2')).toEqual(['ph2', 'ph3'])
  })
})
