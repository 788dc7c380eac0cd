// Writes replies as JSON by their schemas. A writer is compiled at its first use and kept for the process, because compiling those of all
// operations would take a quarter of a start.
import fastJson, { type Schema } from 'fast-json-stringify'
import type { FastifyInstance } from 'fastify'
import { namedSchema } from '../schemas/common.ts'

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
  const writer: Writer = fastJson(JSON.parse(text), { schema: partsOf(text) })
  writers.set(text, writer)
  return writer
}

/** The named schemas that a schema refers to, and those that these refer to: the compiler walks through all that it is given. */
function partsOf(text: string): Record<string, Schema> {
  const parts = new Map<string, Schema>()
  const unread = [text]
  for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
    for (const [, name = ''] of next.matchAll(REFERENCE)) {
      const schema = namedSchema(name)
      if (schema === undefined || parts.has(name)) continue
      const part = JSON.stringify(schema)
      // A copy, because the compiler marks what it has read.
      parts.set(name, JSON.parse(part))
      unread.push(part)
    }
  }
  return Object.fromEntries(parts)
}

const REFERENCE = /"\$ref":"([^"]+)"/g
