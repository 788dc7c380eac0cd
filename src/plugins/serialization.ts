// Writes replies as JSON by their schemas. A writer is compiled at its first use and kept for the process, because compiling those of all
// operations would take a quarter of a start.
import fastJson, { type Schema } from 'fast-json-stringify'
import type { FastifyInstance } from 'fastify'
import { namedSchemas } from '../schemas/common.ts'

type Writer = (value: unknown) => string

const writers = new Map<string, Writer>()

export function serialization(app: FastifyInstance): void {
  app.setSerializerCompiler(({ schema }) => {
    const text = JSON.stringify(schema)
    return (value) => writerOf(text)(value)
  })
}

function writerOf(text: string): Writer {
  const known = writers.get(text)
  if (known) return known
  const writer: Writer = fastJson(JSON.parse(text), { schema: namedParts() })
  writers.set(text, writer)
  return writer
}

/** A copy, because the compiler marks what it has read. */
const namedParts = (): Record<string, Schema> =>
  Object.fromEntries(namedSchemas().map((schema) => [schema.$id ?? '', JSON.parse(JSON.stringify(schema))]))
