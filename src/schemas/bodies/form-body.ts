// Turns the parts of a form into the body that they stand for. Parts that are not text are JSON. A list has a part for each of its items (OpenAPI 3.1,
// section 4.8.15), or one part with the whole of it.
import type { TSchema } from '@sinclair/typebox'
import { invalid } from '../../lib/failure.ts'
import { jsonPlace } from '../../lib/json-place.ts'
import { type FieldTree, fieldTree } from './field-tree.ts'

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
