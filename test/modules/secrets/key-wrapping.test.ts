import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { unwrapKey, wrapKey } from '../../../src/modules/secrets/data-keys.ts'

const SECRET = 'a secret of more than thirty-two characters'
const KEY = randomBytes(32)

describe('unwrapKey', () => {
  it('gives back what was wrapped', () => expect(unwrapKey(SECRET, wrapKey(SECRET, KEY, 'share 1'), 'share 1')).toEqual(KEY))

  it('takes the bytes as the database returns them', () => {
    expect(unwrapKey(SECRET, new Uint8Array(wrapKey(SECRET, KEY, 'share 1')), 'share 1')).toEqual(KEY)
  })

  it('answers null for another secret', () => expect(unwrapKey(`${SECRET}.`, wrapKey(SECRET, KEY, 'share 1'), 'share 1')).toBeNull())

  it.each(['share 2', 'download 1', ''])('answers null for the key of another purpose or version: %j', (context) =>
    expect(unwrapKey(SECRET, wrapKey(SECRET, KEY, 'share 1'), context)).toBeNull(),
  )

  it('answers null when any one byte is another', () => {
    const wrapped = wrapKey(SECRET, KEY, 'share 1')
    for (let at = 0; at < wrapped.length; at += 1) {
      const changed = Buffer.from(wrapped)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(unwrapKey(SECRET, changed, 'share 1')).toBeNull()
    }
  })

  it('answers null for what was cut, down to nothing', () => {
    const wrapped = wrapKey(SECRET, KEY, 'share 1')
    for (let length = 0; length < wrapped.length; length += 1) expect(unwrapKey(SECRET, wrapped.subarray(0, length), 'share 1')).toBeNull()
  })
})

describe('wrapKey', () => {
  it('never writes the same twice, and never the key itself', () => {
    const [first, second] = [wrapKey(SECRET, KEY, 'share 1'), wrapKey(SECRET, KEY, 'share 1')]
    expect(first.equals(second)).toBe(false)
    expect(first.includes(KEY.subarray(0, 8))).toBe(false)
    expect(first).toHaveLength(12 + 32 + 16)
  })
})
