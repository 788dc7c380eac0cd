// Answers that are the same for everyone and as long as the process lives, such as the document of the API and the files of its viewers: compressed
// once for each encoding, with an ETag.
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ContentEncoding, compressed, varyByEncoding, wantedEncoding } from '../../lib/content-encodings.ts'

/** Applies to the routes of a scope that answer with text. Pages, which are short and may differ, are left alone. */
export function fixedAnswers(scope: FastifyInstance): void {
  const kept = new Map<string, Promise<Buffer>>()
  const etags = new Map<string, string>()
  scope.addHook('onSend', async (request, reply, payload) => {
    // The file server leaves the file out itself for HEAD.
    const isWhole = request.method === 'GET' || typeof payload === 'string'
    if (!isWhole || reply.statusCode !== 200 || !isText(reply)) return payload
    reply.header('vary', varyByEncoding(reply.getHeader('vary')))
    const place = placeOf(request)
    const encoding = wantedEncoding(request.headers)
    const encoded = encoding && kept.get(`${encoding} ${place}`)
    const plain = encoded && etags.has(place) ? null : await bytesOf(payload)
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
const placeOf = ({ routeOptions: { url }, params }: FastifyRequest): string =>
  `${url} ${posix.normalize(`/${(params as Record<string, string | undefined>)['*'] ?? ''}`)}`

const isText = (reply: FastifyReply): boolean => TEXT.test(String(reply.getHeader('content-type')))
const TEXT = /^(application\/(json|yaml|javascript)|text\/(css|javascript)|image\/svg\+xml)/

const bytesOf = async (payload: unknown): Promise<Buffer> =>
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
