import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createId, idOfShort, shortId } from '../../src/lib/ids.ts'

it('shortens an id to 22 characters and gives it back', () => {
  const id = createId()
  expect(shortId(id)).toMatch(/^[\w-]{22}$/)
  expect(idOfShort(shortId(id))).toBe(id)
  fc.assert(
    fc.property(fc.uuid(), (any) => {
      expect(idOfShort(shortId(any.toUpperCase()))).toBe(any)
    }),
  )
})

it.each(['', 'x', 'undefined', createId(), 'A'.repeat(21), 'A'.repeat(23)])('finds no id in %j', (text) => {
  expect(idOfShort(text)).toBeNull()
})
