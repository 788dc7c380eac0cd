// Parts of a page that live.js keeps up to date while the page is open.
import { createHash } from 'node:crypto'
import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** An ETag, with which the page asks whether anything has changed. */
export const fragmentVersion = (fragment: SafeHtml): string =>
  `"${createHash('sha256').update(String(fragment)).digest('base64url').slice(0, 22)}"`

/** Sends a part of a page, unless the browser has it already. */
export function sendIfChanged(request: FastifyRequest, reply: FastifyReply, fragment: SafeHtml): FastifyReply {
  const version = fragmentVersion(fragment)
  reply.header('etag', version)
  return request.headers['if-none-match'] === version ? reply.code(304).send() : reply.send(String(fragment))
}
