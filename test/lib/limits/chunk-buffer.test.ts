import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createChunkBuffer } from '../../../src/lib/limits/bytes.ts'

const gather = (pieces: Buffer[], pieceBytes: number) => {
  const { add, rest } = createChunkBuffer(pieceBytes)
  return [...pieces.flatMap(add), ...rest()]
}

it('keeps every byte in its place, and leaves no two neighbors that would fit into one piece', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.integer({ min: 1, max: 30 }), (arrays, pieceBytes) => {
      const pieces = arrays.map((array) => Buffer.from(array))
      const gathered = gather(pieces, pieceBytes)
      expect(Buffer.concat(gathered)).toEqual(Buffer.concat(pieces))
      const sums = gathered.slice(1).map((piece, index) => piece.length + (gathered[index]?.length ?? 0))
      expect(Math.min(...sums, Number.POSITIVE_INFINITY)).toBeGreaterThan(pieceBytes)
    }),
  )
})

it('passes large pieces on without a copy', () => {
  const large = Buffer.alloc(100)
  expect(gather([large], 100)[0]).toBe(large)
})

it('can go on after its rest was taken', () => {
  const { add, rest } = createChunkBuffer(4)
  expect([add(Buffer.from('a')), rest(), add(Buffer.from('b')), rest(), rest()].map((pieces) => Buffer.concat(pieces).toString())).toEqual([
    '',
    'a',
    '',
    'b',
    '',
  ])
})
