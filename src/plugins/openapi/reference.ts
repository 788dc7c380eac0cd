// Scalar at /reference: the same document as one page to read, with every field described.
import { randomBytes } from 'node:crypto'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { readSourceFile } from '../../lib/source-files.ts'
import { referenceIndex } from './docs-index.ts'
import { fixedAnswers } from './served-document.ts'

export async function reference(app: FastifyInstance, { palette }: { palette: string }): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
    })
    // The library makes a URL of these, which fails for some.
    scope.addHook('onRequest', async ({ headers }) => {
      for (const name of ['x-forwarded-host', 'x-forwarded-proto']) delete headers[name]
      headers.host = 'localhost'
    })
    fixedAnswers(scope)
    let index: string | undefined
    scope.addHook('onSend', async (_request, reply, payload) => {
      const nonce = randomBytes(NONCE_BYTES).toString('base64url')
      reply.headers({ 'content-security-policy': policyWith(nonce), 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' })
      if (typeof payload !== 'string' || !String(reply.getHeader('content-type')).startsWith('text/html')) return payload
      reply.header('cache-control', 'no-store').removeHeader('content-length')
      index ??= referenceIndex(app.servedDocument())
      return withIndex(payload, index).replaceAll(NONCE_PLACE, nonce)
    })
    await scope.register(scalar, {
      routePrefix: '/reference',
      configuration: {
        url: '/openapi.json',
        cdn: '/reference/js/scalar.js',
        nonce: NONCE_PLACE,
        pageTitle: 'Posthaste API reference',
        customCss: palette + readSourceFile('reference.css', import.meta),
        // The page calls the origin from which it was opened, which need not be the public one.
        servers: [{ url: '/' }],
        // Nothing from elsewhere, and nothing that leads there.
        withDefaultFonts: false,
        telemetry: false,
        proxyUrl: '',
        hideClientButton: true,
        showDeveloperTools: 'never',
        agent: { disabled: true },
        mcp: { disabled: true },
        persistAuth: false,
        theme: 'none',
        layout: 'modern',
        defaultOpenFirstTag: true,
        hiddenClients: true,
        authentication: { preferredSecurityScheme: 'bearerAuth' },
      },
    })
  })
}

/** The page of the library, with an index over it until the viewer has drawn (reference.css). The document is requested at once, and not after the script. Without an icon, a
 * browser would ask the API for /favicon.ico. */
const withIndex = (page: string, index: string): string =>
  page
    .replace('<html>', '<html lang="en">')
    .replace(
      '</head>',
      '<link rel="icon" href="data:,">\n<link rel="preload" href="/openapi.json" as="fetch" crossorigin="anonymous">\n</head>',
    )
    .replace('<div id="app"></div>', (viewer) => `${index}${viewer}`)

const NONCE_BYTES = 16
const NONCE_PLACE = 'nonce-of-this-answer'

/** The policy of /docs, and one script that stands in the page itself. The library and its editor write styles that have no nonce. */
const policyWith = (nonce: string): string =>
  `default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
