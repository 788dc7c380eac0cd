// Writes the long texts of a reply a part at a time, such as those of a received message: as one, they would keep all other requests waiting. A schema
// that limits such a field only sees the mark that stands for it meanwhile.
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { jsonParts, PART_LENGTH } from '../lib/json-parts.ts'

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
