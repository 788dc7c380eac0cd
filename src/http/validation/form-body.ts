import type { TSchema } from '@sinclair/typebox'
import { invalid } from '../../lib/failure.ts'
import { type FieldTree, fieldTree } from '../../lib/validation/field-tree.ts'

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

// Turns the parts of a form into the body that they stand for. Parts that are not text are JSON. A list has a part for each of its items (OpenAPI 3.1,
// section 4.8.15), or one part with the whole of it.

/** @throws Failure about a part that is not JSON. An empty part counts as not given. */
export function formBody(
  fields: ReadonlyMap<string, readonly string[]>,
  schema: TSchema | undefined,
  rest: Record<string, string>,
): Record<string, unknown> {
  const known = schema ? fieldTree(schema).properties : new Map<string, FieldTree>()
  const entries = [...fields].flatMap(([name, texts]): [string, unknown][] => {
    const field = known.get(name)
    if (!field || isText(field)) return [[name, texts[0]]]
    const [first, ...others] = texts.filter((text) => text.trim() !== '').map((text) => itemOf(name, text, field))
    if (first === undefined) return []
    const isWhole = others.length === 0 && (!isList(field) || Array.isArray(first) || first === null)
    return [[name, isWhole ? first : [first, ...others]]]
  })
  return Object.fromEntries([...entries, ...Object.entries(rest)])
}

/** The fields of a form whose part is JSON, whatever it holds. */
export const jsonFields = (schema: TSchema): string[] =>
  [...fieldTree(schema).properties].filter(([, field]) => !isText(field) && !isList(field)).map(([name]) => name)

/** The fields of a form that may have several parts. */
export const listFields = (schema: TSchema | undefined): ReadonlySet<string> =>
  new Set(schema ? [...fieldTree(schema).properties].filter(([, field]) => isList(field)).map(([name]) => name) : [])

const isList = ({ types }: FieldTree): boolean => types.has('array')

/** An item that is text may stand there as it is. */
const itemOf = (name: string, text: string, { items }: FieldTree): unknown =>
  items && isText(items) && !JSON_START.test(text) ? text : parsed(name, text)
const JSON_START = /^\s*(?:["[{]|null\s*$)/

const isText = ({ types }: FieldTree): boolean => types.has('string')

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(`The \`${name}\` field is not valid JSON${jsonPlace(text)}.`)
  }
}
