// The two ways in which a form arrives (RFC 8058, section 3.2): from a browser or from a mail program.
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Of a team with as many topics as it may have (schemas/topics.ts) the form takes 11 KB. */
const FORM_BYTES_MAX = 16 * 1024

/** By the name of the field; of a field that is there twice, the last. */
export const UnsubscribeForm = Type.Record(Type.String(), Type.String())
export type UnsubscribeForm = Static<typeof UnsubscribeForm>

export function unsubscribeForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: FORM_BYTES_MAX }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body.toString()))),
  )
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: FORM_BYTES_MAX },
    async (request: FastifyRequest, body: Buffer) => multipartForm(body, request.headers['content-type'] ?? ''),
  )
}

/** What cannot be read is a form without fields. */
async function multipartForm(body: Buffer, contentType: string): Promise<UnsubscribeForm> {
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
    return Object.fromEntries([...form].filter((field): field is [string, string] => typeof field[1] === 'string'))
  } catch {
    return {}
  }
}
