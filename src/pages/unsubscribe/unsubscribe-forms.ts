// Reads a form from a browser, or from a mail program (RFC 8058, section 3.2), which may declare another type.
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Failure } from '../../lib/failure.ts'
import { takeForms } from '../shell/forms.ts'

/** For a team with as many topics as it may have (schemas/topics.ts) the form takes 11 KB. */
const FORM_BYTES_MAX = 16 * 1024

/** Keyed by the name of the field. If a field occurs twice, the last one counts. */
export const UnsubscribeForm = Type.Record(Type.String(), Type.String())
export type UnsubscribeForm = Static<typeof UnsubscribeForm>

export async function unsubscribeForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers()
  await takeForms(app, { bytesMax: FORM_BYTES_MAX })
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: FORM_BYTES_MAX },
    async (request: FastifyRequest, body: Buffer) => multipartForm(body, request.headers['content-type'] ?? ''),
  )
  // An invalid type would be refused before it reaches a parser.
  app.addHook('onRequest', async ({ headers, mediaType }) => {
    if (mediaType === undefined) delete headers['content-type']
  })
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: FORM_BYTES_MAX }, async (_request: FastifyRequest, body: string) => {
    if (!isOneClick(body)) throw new Failure('unsupportedMediaType', 'The decision must be sent as a form.')
    return ONE_CLICK
  })
}

const ONE_CLICK: UnsubscribeForm = { 'List-Unsubscribe': 'One-Click' }

/** In any format, because a body with these words can mean nothing else. */
const isOneClick = (body: string): boolean => /\blist-unsubscribe\W{1,20}one-click\b/i.test(body)

/** An unreadable body counts as a form without fields, unless it says that one click was meant. */
async function multipartForm(body: Buffer, contentType: string): Promise<UnsubscribeForm> {
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
    return Object.fromEntries([...form].filter((field): field is [string, string] => typeof field[1] === 'string'))
  } catch {
    return isOneClick(body.toString()) ? ONE_CLICK : {}
  }
}
