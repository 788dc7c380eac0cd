// Serves the document of the API as JSON and YAML: with the address of the installation.
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { stringify } from 'yaml'
import { type ContentEncoding, compressed, varyByEncoding, wantedEncoding } from '../../http/content-encodings.ts'
import { isRecord } from '../../lib/validation/field-tree.ts'

// Answers that are the same for everyone and as long as the process lives, such as the document of the API and the files of its viewers: compressed
// once for each encoding, with an ETag.

/** Applies to the routes of a scope that answer with text. Pages, which are short and may differ, are left alone. */
export function fixedAnswers(scope: FastifyInstance): void {
  const kept = new Map<string, Promise<Buffer>>()
  const etags = new Map<string, string>()
  scope.addHook('onSend', async (request, reply, payload) => {
    // The file server leaves the file out itself for HEAD.
    const isWhole = request.method === 'GET' || typeof payload === 'string'
    if (!isWhole || reply.statusCode !== 200 || !isText(reply)) return payload
    reply.header('vary', varyByEncoding(reply.getHeader('vary')))
    const place = documentPath(request)
    const encoding = wantedEncoding(request.headers)
    const encoded = encoding && kept.get(`${encoding} ${place}`)
    const plain = encoded && etags.has(place) ? null : await toBytes(payload)
    if (plain === null && payload instanceof Readable) payload.destroy()

    const etag =
      etags.get(place) ??
      `W/"${createHash('sha256')
        .update(plain ?? '')
        .digest('base64url')}"`
    etags.set(place, etag)
    reply.headers({ etag, 'cache-control': 'no-cache' }).removeHeader('last-modified')
    if (isNamed(request.headers['if-none-match'], etag)) {
      reply.code(304).removeHeader('content-length')
      return null
    }
    if (encoding === null || plain?.length === 0) return plain
    reply.header('content-encoding', encoding).removeHeader('content-length')
    return encoded ?? keep(kept, place, encoding, plain ?? Buffer.alloc(0))
  })
}

/** Each file once, however its address is written, so that what is kept has a bound. */
const documentPath = ({ routeOptions: { url }, params }: FastifyRequest): string =>
  `${url} ${posix.normalize(`/${(params as Record<string, string | undefined>)['*'] ?? ''}`)}`

const isText = (reply: FastifyReply): boolean => TEXT.test(String(reply.getHeader('content-type')))
const TEXT = /^(application\/(json|yaml|javascript)|text\/(css|javascript)|image\/svg\+xml)/

const toBytes = async (payload: unknown): Promise<Buffer> =>
  payload instanceof Readable ? buffer(payload) : Buffer.from((payload ?? '') as string | Buffer)

function keep(kept: Map<string, Promise<Buffer>>, place: string, encoding: ContentEncoding, plain: Buffer): Promise<Buffer> {
  const bytes = compressed(plain, encoding, 'once')
  kept.set(`${encoding} ${place}`, bytes)
  return bytes
}

/** RFC 9110, section 13.1.2: compared weakly. */
const isNamed = (condition: string | undefined, etag: string): boolean =>
  condition !== undefined &&
  (condition.trim() === '*' || condition.split(',').some((one) => one.trim().replace(/^W\//, '') === etag.slice(2)))

declare module 'fastify' {
  interface FastifyInstance {
    /** The document as this installation serves it. */
    servedDocument(): object
  }
}

/** Anyone may request it, so each form is written only once. */
export async function serveDocument(app: FastifyInstance, { publicUrl }: { publicUrl: string }): Promise<void> {
  let document: object | undefined
  app.decorate('servedDocument', () => (document ??= { ...app.swagger(), servers: [{ url: publicUrl }] }))
  await app.register(async (scope) => {
    fixedAnswers(scope)
    const send = documentSender(app.servedDocument)
    for (const form of ['json', 'yaml'] as const)
      scope.get(`/openapi.${form}`, { config: { access: 'public' }, schema: { hide: true } }, (_request, reply) => send(form, reply))
  })
}

/** Sends a document as text, which is written at the first request for that form. */
export function documentSender(documentOf: () => object): (form: 'json' | 'yaml', reply: FastifyReply) => Promise<FastifyReply> {
  let json: string | undefined
  let yaml: Promise<string> | undefined
  return async (form, reply) => {
    if (form === 'json') {
      json ??= JSON.stringify(documentOf())
      return reply.type('application/json; charset=utf-8').send(json)
    }
    yaml ??= toYaml(documentOf())
    return reply.type('application/yaml; charset=utf-8').send(await yaml)
  }
}

/** Written as a whole, it would keep all other requests waiting for a quarter of a second. */
async function toYaml(document: object): Promise<string> {
  const lines: string[] = []
  for (const [part, level] of splitDocument(document)) {
    lines.push(part.replace(/^(?=.)/gm, '  '.repeat(level)))
    await setImmediate()
  }
  return lines.join('')
}

/** Sections that hold many records are divided into these. */
function* splitDocument(document: object, level = 0): Generator<[string, number]> {
  for (const [name, value] of Object.entries(document)) {
    if (level < LEVELS_DIVIDED && isRecord(value) && Object.keys(value).length > 0) {
      yield [stringify({ [name]: {} }).replace(' {}', ''), level]
      yield* splitDocument(value, level + 1)
    } else yield [stringify({ [name]: value }, { aliasDuplicateObjects: false, lineWidth: 0 }), level]
  }
}

/** `components`, `schemas`, and then each schema. */
const LEVELS_DIVIDED = 2
