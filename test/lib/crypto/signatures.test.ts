import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signToken, verifyToken } from '../../../src/lib/crypto/sealing.ts'

const oldKey = Buffer.alloc(32, 1)
const key = Buffer.alloc(32, 2)
const keys = new Map([
  [1, oldKey],
  [2, key],
])
const now = new Date('2026-11-20T12:00:00Z')
const later = new Date('2026-11-20T13:00:00Z')
const token = signToken({ key, version: 2, purpose: 'download', payload: { id: 'a1', n: 5 }, expiresAt: later })
const open = (text: string) => verifyToken({ keys, purpose: 'download', token: text, now })

describe('verifyToken', () => {
  it('gives back what was signed, with any key that is still there', () => {
    expect(open(token)).toEqual({ payload: { id: 'a1', n: 5 }, expiresAt: later })
    const old = signToken({ key: oldKey, version: 1, purpose: 'download', payload: { id: 'ü' }, expiresAt: null })
    expect(open(old)).toEqual({ payload: { id: 'ü' }, expiresAt: null })
  })

  it('opens what was signed before bodies were concealed', () => {
    const earlier = '2.eyJwYXlsb2FkIjp7ImlkIjoiYTEiLCJuIjo1fSwiZXhwaXJlc0F0TXMiOm51bGx9.Mwt90VDWY-71evtSz-sgkmhu9NAB2mQ0-9j2As648oQ'
    expect(open(earlier)).toEqual({ payload: { id: 'a1', n: 5 }, expiresAt: null })
    expect(open(earlier.replace('2.eyJ', '2.eyK'))).toBeNull()
    expect(verifyToken({ keys, purpose: 'share', token: earlier, now })).toBeNull()
    const written = signToken({ key, version: 2, purpose: 'download', payload: { id: 'a1', n: 5 }, expiresAt: null })
    expect(written).not.toBe(earlier)
    expect(written.length).toBeLessThanOrEqual(1.2 * earlier.length)
  })

  it('signs the same payload in the same way each time, and conceals it', () => {
    const sign = (id: string) => signToken({ key, version: 2, purpose: 'share', payload: { id }, expiresAt: null })
    expect(sign('one')).toBe(sign('one'))
    const readable = sign('one')
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    expect(readable.join()).not.toMatch(/one|payload/)
    expect(sign('two').slice(0, 30)).not.toBe(sign('one').slice(0, 30))
  })

  it('refuses a token whose time is over, to the millisecond', () => {
    const at = (instant: number) => verifyToken({ keys, purpose: 'download', token, now: new Date(instant) })
    expect(at(later.getTime() - 1)).not.toBeNull()
    expect(at(later.getTime())).toBeNull()
  })

  it('refuses a token that was made for another purpose', () =>
    expect(verifyToken({ keys, purpose: 'unsubscribe', token, now })).toBeNull())

  it('refuses a token of a key that is not there, or of another key with its version', () => {
    expect(verifyToken({ keys: new Map([[1, oldKey]]), purpose: 'download', token, now })).toBeNull()
    expect(verifyToken({ keys: new Map([[2, oldKey]]), purpose: 'download', token, now })).toBeNull()
  })

  // The last character of a body may have bits to spare: their lengths differ.
  it.each(['a', 'ab', 'abc'])('refuses a token of %j in which any one character is another', (id) => {
    const token = signToken({ key, version: 2, purpose: 'download', payload: { id }, expiresAt: later })
    expect(open(token)).not.toBeNull()
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ %'
    for (let at = 0; at < token.length; at += 1) {
      for (const character of characters) {
        if (character !== token[at]) expect(open(token.slice(0, at) + character + token.slice(at + 1))).toBeNull()
      }
    }
  })

  it.each([
    ['', ''],
    ['a padded end', `${token}=`],
    ['a version with a zero in front', `0${token}`],
    ['a part too many', `${token}.x`],
    ['a line break', `${token}\n`],
    ['a part missing', token.slice(token.indexOf('.') + 1)],
    ['a megabyte', `2.${'a'.repeat(1_000_000)}.${'b'.repeat(43)}`],
  ])('refuses what is not a token: %s', (_name, text) => expect(open(text)).toBeNull())

  it('never throws and never opens for text that was not signed', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^2\.[\w-]{1,50}\.[\w-]{43}$/)), (text) => {
        expect(open(text)).toBeNull()
      }),
    )
  })
})

it('refuses to sign what would make a link too long', () => {
  const payload = { text: 'x'.repeat(2000) }
  expect(() => signToken({ key, version: 2, purpose: 'download', payload, expiresAt: null })).toThrow(RangeError)
})
