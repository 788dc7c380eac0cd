import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createReturnPathTokens } from '../../../src/modules/delivery/return-path.ts'

const key = (byte: number) => Buffer.alloc(32, byte)
const KEYS = new Map([
  [1, key(1)],
  [2, key(2)],
  [0xffffff, key(3)],
])
const tokensOf = (signing: number | null, keys = KEYS) => createReturnPathTokens(() => ({ signing, keys }))
const tokens = tokensOf(1)
const ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c76'
const TOKEN = tokens.create(ID)

describe('a token of a return path', () => {
  it('is a local part of 56 letters and digits, in lower case', () => {
    expect(TOKEN).toMatch(/^[0-9a-v]{56}$/)
  })

  it('leads to its recipient, in whatever case it returns', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.constantFrom(1, 2, 0xffffff), fc.array(fc.boolean()), (id, signing, isUpper) => {
        const token = tokensOf(signing).create(id)
        const returned = [...token].map((letter, index) => (isUpper[index] ? letter.toUpperCase() : letter)).join('')
        expect([token.length, tokens.read(token), tokens.read(token.toUpperCase()), tokens.read(returned)]).toEqual([56, id, id, id])
      }),
    )
  })

  it('of an older version leads to its recipient after a rotation, and to none once that version is retired', () => {
    expect(tokensOf(2).create(ID)).not.toBe(TOKEN)
    expect(tokensOf(2).read(TOKEN)).toBe(ID)
    expect(tokensOf(2, new Map([[2, key(2)]])).read(TOKEN)).toBe(null)
  })

  it('is not one after any character was changed', () => {
    const others = [...TOKEN].flatMap((letter, index) =>
      [...'0123456789abcdefghijklmnopqrstuv']
        .filter((other) => other !== letter)
        .map((other) => TOKEN.slice(0, index) + other + TOKEN.slice(index + 1)),
    )
    expect(others.filter((other) => tokens.read(other) !== null)).toEqual([])
    expect(others).toHaveLength(56 * 31)
  })

  it.each([
    '',
    TOKEN.slice(1),
    `${TOKEN}0`,
    `0${TOKEN}`,
    ` ${TOKEN.slice(1)}`,
    `${TOKEN.slice(0, -1)}=`,
    `${TOKEN.slice(0, -1)}w`,
    `${TOKEN.slice(0, -1)}\n`,
    `${TOKEN.slice(0, -1)}\u0131`,
    '0'.repeat(56),
    'v'.repeat(56),
    'bounce',
  ])('is not %j', (text) => {
    expect(tokens.read(text)).toBe(null)
  })

  it('of another installation leads nowhere', () => {
    expect(tokensOf(1, new Map([[1, key(9)]])).read(TOKEN)).toBe(null)
  })

  it('is not made without a key, or for what is no id', () => {
    expect(() => tokensOf(null).create(ID)).toThrow('There is no data key for return paths')
    expect(() => tokens.create('1')).toThrow('A return path names a recipient by its id')
  })
})
