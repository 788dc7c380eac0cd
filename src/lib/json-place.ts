/** Longer texts are made by programs, and no one reads them line by line. The search takes many times as long as the parser. */
const PLACED_LENGTH_MAX = 128 * 1024

/**
 * ` at line 1, column 17`: the first word or character that JSON (RFC 8259) cannot have there, or the end of the text if something is missing.
 * Lines end in LF, and columns are UTF-16 units. Empty if the text is too long, or is valid JSON.
 */
export function jsonPlace(text: string): string {
  const at = text.length > PLACED_LENGTH_MAX ? null : firstWrong(text)
  if (at === null) return ''
  const before = text.slice(0, at).split('\n')
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end'

const SPACE = /[ \t\n\r]*/y
/** The part of a string without quotes, backslashes and control characters. */
const PLAIN = /[ !#-[\]-\uffff]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

function firstWrong(text: string): number | null {
  /** The closing brackets of the objects and arrays that are open. */
  const open: ('}' | ']')[] = []
  let expected: Expected = 'value'
  let at = 0

  /** Whether a pattern matches here; if so, moves to its end. */
  function take(pattern: RegExp): boolean {
    pattern.lastIndex = at
    const isThere = pattern.test(text)
    if (isThere) at = pattern.lastIndex
    return isThere
  }

  /** Moves from the first character of a string to the one after its closing quote. */
  function takeString(): boolean {
    do take(PLAIN)
    while (take(ESCAPE))
    if (text[at] !== '"') return false
    at += 1
    return true
  }

  for (;;) {
    take(SPACE)
    const character = text[at]
    const wantsValue: boolean = expected === 'value' || expected === 'value or ]'
    const wantsName: boolean = expected === 'name' || expected === 'name or }'
    const mayClose: boolean = expected === ', or end' || expected === 'value or ]' || expected === 'name or }'
    if (character === undefined) return expected === ', or end' && open.length === 0 ? null : at
    if (mayClose && open.length > 0 && character === open.at(-1)) {
      open.pop()
      expected = ', or end'
      at += 1
    } else if (character === '"' && (wantsValue || wantsName)) {
      at += 1
      if (!takeString()) return at
      expected = wantsName ? ':' : ', or end'
    } else if (character === '{' && wantsValue) {
      open.push('}')
      expected = 'name or }'
      at += 1
    } else if (character === '[' && wantsValue) {
      open.push(']')
      expected = 'value or ]'
      at += 1
    } else if (character === ':' && expected === ':') {
      expected = 'value'
      at += 1
    } else if (character === ',' && expected === ', or end' && open.length > 0) {
      expected = open.at(-1) === '}' ? 'name' : 'value'
      at += 1
    } else if (wantsValue && take(LITERAL)) expected = ', or end'
    else return at
  }
}
