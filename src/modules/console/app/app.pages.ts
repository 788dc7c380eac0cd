// Serves the console: its files, with a hash in their names, and one page for all its addresses.
import { randomBytes } from 'node:crypto'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { notFound } from '../../../lib/failure.ts'
import { readAppFiles } from './app-files.client.ts'

/** Where the console is served; console/settings/base.ts says the same to its build. */
export const APP = '/console'
export const NOT_BUILT = 'The console is not built. Run `npm run console` in the folder of Posthaste, and start the service anew.'

export const appPages: FastifyPluginAsyncTypebox<PlatformContext> = async (app, { log }) => {
  const { state, folder, index } = readAppFiles()
  if (state !== 'current') log.warn({ state }, NOT_BUILT)
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, decorateReply: true })
  const file = { config: { access: 'public' }, schema: { hide: true } } as const

  app.get(`${APP}/assets/:name`, { ...file, schema: { ...file.schema, params: Name } }, async ({ params: { name } }, reply) => {
    // No folder and no parent: names of built files alone.
    if (state !== 'current' || !/^[\w.-]+\.(?:js|css|woff2|svg|png)$/.test(name)) throw notFound('File')
    return reply.headers(FILE_HEADERS).sendFile(`assets/${name}`, { maxAge: YEAR_MS, immutable: true })
  })
  for (const name of ['icon.svg', 'color-scheme.js'])
    app.get(`${APP}/${name}`, file, async (_request, reply) => {
      if (state !== 'current') throw notFound('File')
      return reply.headers(FILE_HEADERS).sendFile(name)
    })
  for (const address of [APP, `${APP}/*`])
    app.get(address, file, async (_request, reply) => {
      const nonce = randomBytes(NONCE_BYTES).toString('base64url')
      reply.headers({ ...PAGE_HEADERS, 'content-security-policy': policyWith(nonce) })
      if (state !== 'current') return reply.code(503).type('text/plain; charset=utf-8').send(`${NOT_BUILT}\n`)
      return reply.send(index.replaceAll('%CSP_NONCE%', nonce))
    })
}

const Name = Type.Object({ name: Type.String() })
const NONCE_BYTES = 18
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000

const policyWith = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; frame-src 'self'; img-src 'self' blob: data:; font-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'`

const FILE_HEADERS = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' }

const PAGE_HEADERS = {
  ...FILE_HEADERS,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-store',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}
