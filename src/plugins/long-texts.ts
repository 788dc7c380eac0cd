// Writes the long texts of a reply a part at a time, such as those of a received message: as one, they would keep all other requests waiting.
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { jsonParts } from '../lib/json-parts.ts'

const LONG_TEXT_LENGTH = 256 * 1_024

declare module 'fastify' {
  interface FastifyRequest {
    /** What stands in the reply for them until they are written. */
    longTexts: ReadonlyMap<string, string> | null
  }
}

/** After all that reads replies. */
export function longTexts(app: FastifyInstance): void {
  app.decorateRequest('longTexts', null)
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const long = longFields(payload)
    if (long.length === 0) return done(null, payload)
    const placed = long.map(([field, text]) => ({ field, text, mark: randomUUID() }))
    request.longTexts = new Map(placed.map(({ mark, text }) => [mark, text]))
    done(null, Object.assign({}, payload, Object.fromEntries(placed.map(({ field, mark }) => [field, mark]))))
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    const texts = request.longTexts
    if (texts === null || typeof payload !== 'string') return done(null, payload)
    request.longTexts = null
    written(payload, texts).then((bytes) => done(null, bytes), done)
  })
}

const longFields = (payload: unknown): [string, string][] =>
  typeof payload === 'object' && payload !== null
    ? Object.entries(payload).filter(
        (field): field is [string, string] => typeof field[1] === 'string' && field[1].length > LONG_TEXT_LENGTH,
      )
    : []

async function written(json: string, texts: ReadonlyMap<string, string>): Promise<Buffer> {
  const parts: Buffer[] = []
  let from = 0
  for (const { mark, text, at } of inOrder(json, texts)) {
    parts.push(Buffer.from(json.slice(from, at)))
    for (const part of jsonParts(text)) {
      parts.push(part)
      await setImmediate()
    }
    from = at + mark.length
  }
  return Buffer.concat([...parts, Buffer.from(json.slice(from))])
}

/** An answer that is about an error instead has none of them. */
const inOrder = (json: string, texts: ReadonlyMap<string, string>) =>
  [...texts]
    .map(([mark, text]) => ({ mark, text, at: json.indexOf(mark) }))
    .filter(({ at }) => at !== -1)
    .sort((a, b) => a.at - b.at)
