import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonPlace } from '../../../src/http/validation/form-body.ts'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('the place where a text stops being JSON', () => {
  it.each([
    ['{"from": "a@b.co" "to": "x"}', 1, 19],
    ['{"to": tru}', 1, 8],
    ['{"a": 1,}', 1, 9],
    ["{'a': 1}", 1, 2],
    ['{"a": 01}', 1, 8],
    ['{"a": 1.}', 1, 8],
    ['{"a" 1}', 1, 6],
    ['[1, 2', 1, 6],
    ['[1, 2}', 1, 6],
    ['{"a": 1}}', 1, 9],
    ['{} {}', 1, 4],
    ['{\n  "a": "x\n"\n}', 2, 10],
    ['{\r\n  "é😀": undefined\r\n}', 2, 10],
    ['"\\x"', 1, 2],
    ['"\\u12g4"', 1, 2],
    ['"a', 1, 3],
    ['', 1, 1],
    ['// x\n{}', 1, 1],
    ['\u00a0{}', 1, 1],
    ['NaN', 1, 1],
  ])('%j is line %i, column %i', (text, line, column) => expect(jsonPlace(text)).toBe(` at line ${line}, column ${column}`))

  it('is nowhere in JSON, and is not looked for in a text of more than 128 KB', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(jsonPlace(` ${text}\n`)).toBe('')
      }),
    )
    expect(jsonPlace(`${'['.repeat(128 * 1024 + 1)}`)).toBe('')
  })

  it('is that of the first word or sign that cannot be there: what stands before it can still become JSON', () => {
    const endings = ['', '"', '0', 'rue', '0"', '000"', '00"', 'null']
    const json = fc.json({ maxDepth: 4 })
    const broken = fc
      .tuple(json, fc.nat(), fc.constantFrom('', ...'{}[]:,"\\tfn0-.e \n\u0001x'), fc.boolean())
      .map(([text, where, character, isReplaced]) => {
        const at = where % (text.length + 1)
        return text.slice(0, at) + character + text.slice(isReplaced ? at + 1 : at)
      })
      .filter((text) => !isJson(text))
    fc.assert(
      fc.property(broken, (text) => {
        const [, line, column] = /^ at line (\d+), column (\d+)$/.exec(jsonPlace(text)) ?? []
        const lines = text.split('\n')
        const at = lines.slice(0, Number(line) - 1).reduce((sum, one) => sum + one.length + 1, 0) + Number(column) - 1
        expect(canBecomeJson(text.slice(0, at))).toBe(true)
      }),
    )

    /** According to the parser: something is missing at the end, and everything before it is valid. */
    function canBecomeJson(prefix: string): boolean {
      return endings.some((ending) => {
        try {
          JSON.parse(prefix + ending)
          return true
        } catch (error) {
          return /Unexpected end|Unterminated|at position (\d+)/.test(String(error)) && isAboutTheEnd(String(error), prefix.length)
        }
      })
    }
    function isAboutTheEnd(message: string, length: number): boolean {
      const position = /at position (\d+)/.exec(message)?.[1]
      return position === undefined || Number(position) >= length
    }
  })
})
