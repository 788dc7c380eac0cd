import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMMAS_MAX, OBJECTS_AND_ARRAYS_MAX, STRINGS_MAX, shapeProblem } from '../../../src/lib/validation/body-shape.ts'
import { DEPTH_MAX } from '../../../src/lib/validation/field-tree.ts'

const problemOf = (text: string) => shapeProblem(Buffer.from(text))
const TOO_DEEP = 'The request body is nested too deeply.'
const tooMany = (what: string) => `The request body has more than ${what}. Please split it into several requests.`
const listOf = (entry: string, count: number) => `[${`${entry},`.repeat(count - 1)}${entry}]`

describe('the shape of a body', () => {
  it.each<[what: string, entry: string, countMax: number, problem: string]>([
    ['objects', '{}', OBJECTS_AND_ARRAYS_MAX - 1, tooMany('50,000 objects and arrays')],
    ['arrays', '[]', OBJECTS_AND_ARRAYS_MAX - 1, tooMany('50,000 objects and arrays')],
    ['strings', '""', STRINGS_MAX, tooMany('250,000 strings')],
    ['numbers', '0', COMMAS_MAX + 1, tooMany('12,582,912 values')],
  ])('may have many %s, and not one more', (_what, entry, countMax, problem) => {
    expect(problemOf(listOf(entry, countMax))).toBeNull()
    expect(problemOf(listOf(entry, countMax + 1))).toBe(problem)
  })

  it.each<[what: string, open: string, close: string]>([
    ['objects', '{"a":', '}'],
    ['arrays', '[', ']'],
    ['entries beside others', '[1,{"x":"y"},', ',2]'],
  ])('may nest %s down to the limit, and no deeper', (_what, open, close) => {
    const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`
    const depthMax = open.includes('{"x"') ? DEPTH_MAX - 1 : DEPTH_MAX
    expect(problemOf(nested(depthMax))).toBeNull()
    expect(problemOf(nested(DEPTH_MAX + 1))).toBe(TOO_DEEP)
    expect(problemOf(nested(40_000))).toBe(TOO_DEEP)
    expect(problemOf(open.repeat(40_000))).toBe(TOO_DEEP)
  })

  it('is judged by what stands outside of strings, whatever is in them', () => {
    const hostile = '[{,"\\'
    const text = fc.array(fc.constantFrom(...hostile, 'x', 'é😀', '\u0001')).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.nat(200), (part, length) => {
        // Strings that each would be too deep, and then something that is too deep.
        const strings = JSON.stringify(Array(DEPTH_MAX).fill(`${'x'.repeat(length)}${'['.repeat(DEPTH_MAX)}${part}`))
        expect(problemOf(strings)).toBeNull()
        expect(problemOf(`[${strings},${'['.repeat(DEPTH_MAX)}`)).toBe(TOO_DEEP)
      }),
    )
  })

  it.each(['', '"', '"\\', `"${'x'.repeat(200)}`, `"${'x'.repeat(200)}\\"`, ']]]]', 'null'])('is no matter of valid JSON: %j', (text) =>
    expect(problemOf(text)).toBeNull(),
  )
})
