import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/lib/failure.ts'
import { createLinks } from '../../../src/modules/secrets/links.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'

const clock = () => createMovingClock(new Date('2026-11-20T12:00:00Z'))
const key = (byte: number) => Buffer.alloc(32, byte)
const GONE = new Failure('invalidLink', 'This link is not complete, or was changed. Ask for a new one.')
const IN_AN_HOUR = new Date('2026-11-20T13:00:00Z')

describe('createLinks', () => {
  it('opens what it signed', () => {
    const links = createLinks(() => ({ signing: 1, keys: new Map([[1, key(1)]]) }), clock())
    const token = links.sign('share', { emailId: 'a' }, IN_AN_HOUR)
    expect(links.open('share', token)).toEqual({ emailId: 'a' })
    expect(links.openWithExpiry('share', token)).toEqual({ payload: { emailId: 'a' }, expiresAt: IN_AN_HOUR })
  })

  it('signs with the version that signs now, and opens links of every other one', () => {
    const all = new Map([1, 2, 10].map((version) => [version, key(version)]))
    let signing = 2
    const links = createLinks(() => ({ signing, keys: all }), clock())
    const [first, newest] = [1, 10].map((version) => createLinks(() => ({ signing: version, keys: all }), clock()))
    expect(links.sign('share', {}, IN_AN_HOUR)).toMatch(/^2\./)
    for (const other of [first, newest]) expect(links.open('share', other?.sign('share', { a: 1 }, IN_AN_HOUR) ?? '')).toEqual({ a: 1 })
    signing = 10
    expect(links.sign('share', {}, IN_AN_HOUR)).toMatch(/^10\./)
  })

  it('opens no link for another purpose, although the key may be the same', () => {
    const links = createLinks(() => ({ signing: 1, keys: new Map([[1, key(1)]]) }), clock())
    const token = links.sign('share', {}, IN_AN_HOUR)
    expect(() => links.open('download', token)).toThrow(GONE)
  })

  it('opens no link whose time is over', () => {
    const moving = clock()
    const links = createLinks(() => ({ signing: 1, keys: new Map([[1, key(1)]]) }), moving)
    const token = links.sign('share', {}, IN_AN_HOUR)
    moving.advance(60 * 60 * 1_000 - 1)
    expect(links.open('share', token)).toEqual({})
    moving.advance(1)
    expect(() => links.open('share', token)).toThrow(new Failure('invalidLink', 'This link has expired. Ask for a new one.'))
  })

  it.each(['', 'x', '1.x.y', '2.eyJ9.AAAA'])('says of %j that the link does not work, and no more', (token) => {
    const links = createLinks(() => ({ signing: 1, keys: new Map([[1, key(1)]]) }), clock())
    expect(() => links.open('share', token)).toThrow(GONE)
  })

  it('does not sign without a key', () => {
    const links = createLinks(() => ({ signing: null, keys: new Map() }), clock())
    expect(() => links.sign('share', {}, IN_AN_HOUR)).toThrow('There is no data key for share links')
  })
})
