// Turns the parts of a form into the body that they stand for. Parts that are not text are JSON.
import type { TSchema } from '@sinclair/typebox'
import { invalid } from '../../lib/failure.ts'
import { jsonPlace } from '../../lib/json-place.ts'
import { type FieldTree, fieldTree } from './field-tree.ts'

/** @throws Failure about a part that is not JSON. An empty part counts as not given. */
export function formBody(
  fields: ReadonlyMap<string, string>,
  schema: TSchema | undefined,
  rest: Record<string, string>,
): Record<string, unknown> {
  const known = schema ? fieldTree(schema).properties : new Map<string, FieldTree>()
  const entries = [...fields].flatMap(([name, text]): [string, unknown][] => {
    const field = known.get(name)
    if (!field || isText(field)) return [[name, text]]
    return text.trim() === '' ? [] : [[name, parsed(name, text)]]
  })
  return Object.fromEntries([...entries, ...Object.entries(rest)])
}

/** The other fields of a form, whose parts hold JSON. */
export const jsonFields = (schema: TSchema): string[] =>
  [...fieldTree(schema).properties].filter(([, field]) => !isText(field)).map(([name]) => name)

const isText = ({ types }: FieldTree): boolean => types.has('string')

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(`The \`${name}\` field is not valid JSON${jsonPlace(text)}.`)
  }
}
