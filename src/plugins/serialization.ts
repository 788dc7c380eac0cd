// Writes the long texts of a reply a part at a time, such as those of a received message: as one, they would keep all other requests waiting. A schema
// that limits such a field only sees the mark that stands for it meanwhile.
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import fastJson, { type Schema } from 'fast-json-stringify'
import type { FastifyInstance } from 'fastify'
import { withoutPersonalLinksIn } from '../lib/personal-links.ts'
import { namedSchema } from '../lib/validation/common.schema.ts'
import { jsonParts, PART_LENGTH } from '../mail/mime-fields.ts'
import { mayChangeContacts } from '../modules/accounts/scopes.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The long texts of the reply, by the marks in their place. */
    longTexts: ReadonlyMap<string, string> | null
  }
}

/** Register it after every hook that reads a reply before it is written: later ones see marks. Hooks without promises, because most replies are short. */
export function longTexts(app: FastifyInstance): void {
  app.decorateRequest('longTexts', null)
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const long = longFields(payload)
    if (long.length === 0) return done(null, payload)
    // Random, so that no text of a client holds one.
    const marked = long.map(([field, text]) => ({ field, text, mark: randomUUID() }))
    request.longTexts = new Map(marked.map(({ mark, text }) => [mark, text]))
    done(null, Object.assign({}, payload, Object.fromEntries(marked.map(({ field, mark }) => [field, mark]))))
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.longTexts === null || typeof payload !== 'string') return done(null, payload)
    const texts = inOrder(payload, request.longTexts)
    if (texts.length === 0) return done(null, payload)
    written(payload, texts, () => !reply.raw.destroyed).then((bytes) => done(null, bytes), done)
  })
}

/** Only plain objects have any here: another may have a `toJSON`. */
const longFields = (payload: unknown): [string, string][] =>
  typeof payload === 'object' && payload !== null && Object.getPrototypeOf(payload) === Object.prototype && !('toJSON' in payload)
    ? Object.entries(payload).filter((field): field is [string, string] => typeof field[1] === 'string' && field[1].length > PART_LENGTH)
    : []

/** As large as texts that are in memory already, so their limits are its limits. */
async function written(json: string, texts: MarkedText[], isWanted: () => boolean): Promise<Buffer> {
  const parts: Buffer[] = []
  let from = 0
  for (const { mark, text, at } of texts) {
    parts.push(Buffer.from(json.slice(from, at)))
    for (const part of jsonParts(text)) {
      if (!isWanted()) break
      parts.push(part)
      await setImmediate()
    }
    from = at + mark.length
  }
  return Buffer.concat([...parts, Buffer.from(json.slice(from))])
}

type MarkedText = { mark: string; text: string; at: number }

/** A field that the schema of the reply does not have is not in it. An error, where the reply could not be written, has none of them. */
const inOrder = (json: string, texts: ReadonlyMap<string, string>): MarkedText[] =>
  [...texts]
    .map(([mark, text]) => ({ mark, text, at: json.indexOf(mark) }))
    .filter(({ at }) => at !== -1)
    .sort((a, b) => a.at - b.at)

// Writes replies as JSON by their schemas. A writer is compiled at its first use and kept for the process, because compiling those of all
// operations would take a quarter of a start.

type Writer = (value: unknown) => string

const writers = new Map<string, Writer>()

export function serialization(app: FastifyInstance): void {
  app.setSerializerCompiler(({ schema }) => {
    const text = JSON.stringify(schema)
    return (value) => compileWriter(text)(value)
  })
}

function compileWriter(text: string): Writer {
  const known = writers.get(text)
  if (known) return known
  const writer: Writer = fastJson(JSON.parse(text), { schema: parseParts(text) })
  writers.set(text, writer)
  return writer
}

/** The named schemas that a schema refers to, and those that these refer to: the compiler walks through all that it is given. */
function parseParts(text: string): Record<string, Schema> {
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

/** Register it before every other hook that reads a reply. */
export function personalLinks(app: FastifyInstance): void {
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const { holder } = request
    done(null, holder === null || mayChangeContacts(holder) ? payload : withoutPersonalLinksIn(payload))
  })
}
