import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { createTrackingTokens, type TrackedLink } from '../../../src/modules/tracking/tracking-tokens.ts'

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
  // The token has no spare bits at its end then.
  target: 'https://shop.example.com/ü?a=1&b=2&c',
}
const HOST = 'links.example.com'
const token = create(link, HOST) ?? ''

it('a token holds what it was made of', () => {
  expect(token).toMatch(/^[\w-]+$/)
  expect(read(token, HOST)).toEqual(link)
  const image: TrackedLink = { ...link, kind: 'open', domainId: null, target: '' }
  expect(read(create(image, HOST) ?? '', HOST)).toEqual(image)
})

it('a token is the same for the same link, and of an older version still works', () => {
  const older = createTrackingTokens(() => ({ signing: 1, keys })).create(link, HOST)
  expect([create(link, HOST), read(older ?? '', HOST)]).toEqual([token, link])
  expect(older).not.toBe(token)
})

it('a token says nothing of the mail that it is in', () => {
  const bytes = Buffer.from(token, 'base64url')
  for (const id of [link.emailId, link.recipientId, link.domainId ?? ''])
    expect(bytes.includes(Buffer.from(id.replaceAll('-', ''), 'hex'))).toBe(false)
  expect(bytes.includes('shop.example.com')).toBe(false)
})

it('a token of mail that was delivered before tokens were concealed is read, and not longer than it is now', () => {
  const known = createTrackingTokens(() => ({ signing: 2, keys: new Map([[2, Buffer.alloc(32, 2)]]) }))
  const earlier =
    'E-kDagTY6tqPdmGDAD-iyAEAAAIBmQAAAABwAIAAAAAAAAABAZkAAAAAcACAAAAAAAAAAgGZAAAAAHAAgAAAAAAAAAOLLP0PWLnT39xr-KFodHRwczovL3Nob3AuZXhhbXBsZS5jb20vP2E9MQ'
  const meant: TrackedLink = {
    kind: 'click',
    emailId: '01990000-0000-7000-8000-000000000001',
    recipientId: '01990000-0000-7000-8000-000000000002',
    domainId: '01990000-0000-7000-8000-000000000003',
    target: 'https://shop.example.com/?a=1',
  }
  expect(known.read(earlier, HOST)).toEqual(meant)
  expect(known.read(`${earlier.slice(0, -4)}AAAA`, HOST)).toEqual({ refusal: 'forged' })
  const written = known.create(meant, HOST) ?? ''
  expect(written).not.toBe(earlier)
  expect(written.length).toBeLessThanOrEqual(1.2 * earlier.length)
})

const refusalOf = (one: string, host = HOST) => {
  const answer = read(one, host)
  return 'refusal' in answer ? answer.refusal : null
}

describe('a token is read only at the host that it was made for', () => {
  it.each([
    ['links.example.com', null],
    ['LINKS.Example.com', null],
    ['links.example.com.', null],
    ['links.example.org', 'other_host'],
    ['example.com', 'other_host'],
    ['a.links.example.com', 'other_host'],
    ['links.example.com..', 'other_host'],
    ['', 'other_host'],
  ])('%j', (host, refusal) => {
    expect(refusalOf(token, host)).toBe(refusal)
  })
})

describe('a token is refused', () => {
  it('with another character at any place', () => {
    const changed = [...token].map((character, place) => token.slice(0, place) + (character === 'A' ? 'B' : 'A') + token.slice(place + 1))
    expect(changed.filter((one) => refusalOf(one) !== 'forged' && refusalOf(one) !== 'malformed')).toEqual([])
  })

  const signedBy = (signing: number, key: Buffer) =>
    createTrackingTokens(() => ({ signing, keys: new Map([[signing, key]]) })).create(link, HOST)

  it.each([
    ['that is cut', token.slice(0, -4), 'forged'],
    ['that is longer', `${token}AAAA`, 'forged'],
    ['in padded form', `${token}=`, 'malformed'],
    ['with a character in between', `${token.slice(0, 9)}.${token.slice(9)}`, 'malformed'],
    ['that is empty', '', 'malformed'],
    ['of nothing but a signature', 'A'.repeat(22), 'malformed'],
    ['of 8 KB', 'A'.repeat(8_192), 'malformed'],
    ['of a key that no one has', signedBy(1, randomBytes(32)) ?? '', 'forged'],
    ['of a version that does not exist', signedBy(9, randomBytes(32)) ?? '', 'forged'],
  ])('%s', (_which, refused, refusal) => {
    expect(refusalOf(refused)).toBe(refusal)
  })
})

it('a target that would make the link too long for mail programs has no token', () => {
  const long = `https://example.com/${'x'.repeat(1_310)}`
  expect(create({ ...link, target: long }, HOST)?.length).toBeLessThanOrEqual(1_900)
  expect(create({ ...link, target: `${long}${'x'.repeat(40)}` }, HOST)).toBe(null)
})
