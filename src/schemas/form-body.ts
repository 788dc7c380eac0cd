// The parts of a form as the body that they stand for: parts that are not text are JSON.
import type { TSchema } from '@sinclair/typebox'
import { invalid } from '../lib/failure.ts'
import { fieldTree } from './field-tree.ts'

/** @throws Failure about a part that is not JSON. An empty part is not given. */
export function formBody(
  fields: ReadonlyMap<string, string>,
  schema: TSchema | undefined,
  rest: Record<string, string>,
): Record<string, unknown> {
  const known = schema ? fieldTree(schema).properties : new Map()
  const entries = [...fields].flatMap(([name, text]): [string, unknown][] => {
    const types = known.get(name)?.types
    if (!types || types.has('string')) return [[name, text]]
    return text.trim() === '' ? [] : [[name, parsed(name, text)]]
  })
  return Object.fromEntries([...entries, ...Object.entries(rest)])
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(`The \`${name}\` field must be JSON.`)
  }
}
