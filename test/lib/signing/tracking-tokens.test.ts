import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { createTrackingTokens, type TrackedLink } from '../../../src/lib/signing/tracking-tokens.ts'

const keys = new Map([
  [1, randomBytes(32)],
  [2, randomBytes(32)],
])
const { create, read } = createTrackingTokens(() => ({ signing: 2, keys }))
const link: TrackedLink = {
  kind: 'click',
  emailId: createId(),
  recipientId: createId(),
  domainId: createId(),
  target: 'https://shop.example.com/ü?a=1&b=2',
}
const token = create(link) ?? ''

it('a token holds what it was made of', () => {
  expect(token).toMatch(/^[\w-]+$/)
  expect(read(token)).toEqual(link)
  const image: TrackedLink = { ...link, kind: 'open', domainId: null, target: '' }
  expect(read(create(image) ?? '')).toEqual(image)
})

it('a token is the same for the same link, and of an older version still works', () => {
  const older = createTrackingTokens(() => ({ signing: 1, keys })).create(link)
  expect([create(link), read(older ?? '')]).toEqual([token, link])
  expect(older).not.toBe(token)
})

describe('a token is refused', () => {
  it('with another character at any place', () => {
    const changed = [...token].map((character, place) => token.slice(0, place) + (character === 'A' ? 'B' : 'A') + token.slice(place + 1))
    expect(changed.filter((one) => read(one) !== null)).toEqual([])
  })

  it.each([
    ['that is cut', token.slice(0, -1)],
    ['that is longer', `${token}A`],
    ['in padded form', `${token}=`],
    ['with a character in between', `${token.slice(0, 9)}.${token.slice(9)}`],
    ['that is empty', ''],
    ['of nothing but a signature', 'A'.repeat(22)],
    ['of 8 KB', 'A'.repeat(8_192)],
    ['of a key that no one has', createTrackingTokens(() => ({ signing: 1, keys: new Map([[1, randomBytes(32)]]) })).create(link) ?? ''],
    [
      'of a version that does not exist',
      createTrackingTokens(() => ({ signing: 9, keys: new Map([[9, randomBytes(32)]]) })).create(link) ?? '',
    ],
  ])('%s', (_which, refused) => {
    expect(read(refused)).toBe(null)
  })
})

it('a target that would make the link too long for mail programs has no token', () => {
  const long = `https://example.com/${'x'.repeat(1_310)}`
  expect(create({ ...link, target: long })?.length).toBeLessThanOrEqual(1_900)
  expect(create({ ...link, target: `${long}${'x'.repeat(40)}` })).toBe(null)
})
