// Swagger UI at /docs, to read the OpenAPI document and try its operations.
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { readSourceFile } from '../../lib/source-files.ts'
import { noSuchEndpoint } from '../errors.ts'
import { docsIndex } from './docs-index.ts'
import { documentSender, fixedAnswers } from './served-document.ts'

/** The navigation and colors of the console, which the page shares. */
type Shell = { palette: string; sectionGroups: readonly { name: string | null; sections: readonly { name: string; address: string }[] }[] }

export async function docs(app: FastifyInstance, { palette, sectionGroups }: Shell): Promise<void> {
  const sendDocument = documentSender(() => ({ ...app.servedDocument(), servers: [HERE] }))
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
    })
    scope.addHook('onRequest', async ({ headers }) => {
      for (const name of CONDITIONS) delete headers[name]
    })
    fixedAnswers(scope)
    // The library would write the document anew for each request.
    scope.addHook('preHandler', async ({ routeOptions: { url } }, reply) => {
      if (url === '/docs/json') return sendDocument('json', reply)
      if (url === '/docs/yaml') return sendDocument('yaml', reply)
    })
    let page: string | undefined
    scope.addHook('onSend', async ({ routeOptions: { url } }, reply, payload) => {
      if (typeof payload !== 'string' || (url !== '/docs' && url !== '/docs/')) return payload
      page ??= withIndex(payload, docsIndex(app.servedDocument()))
      reply.removeHeader('content-length')
      return page
    })
    scope.setErrorHandler((error) => {
      throw isNoFile(error) ? noSuchEndpoint() : error
    })
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: POLICY,
      theme: {
        title: 'Posthaste API',
        css: [{ filename: 'docs.css', content: palette + readSourceFile('docs.css', import.meta) }],
        js: [
          { filename: 'samples.js', content: readSourceFile('docs-samples.js', import.meta) },
          {
            filename: 'docs.js',
            content: `window.sectionGroups = ${JSON.stringify(sectionGroups)}\n${readSourceFile('docs-page.js', import.meta)}`,
          },
        ],
      },
      uiConfig: {
        layout: 'BaseLayout',
        filter: true,
        docExpansion: 'list',
        displayRequestDuration: true,
        // Folded, because operations show the models that they use.
        defaultModelsExpandDepth: 0,
        // A schema that someone opens shows the descriptions of its fields.
        defaultModelExpandDepth: 2,
        // The library keeps a key for good. The script of the page keeps it for the tab.
        persistAuthorization: false,
        tryItOutEnabled: true,
      },
    })
  })
}

/**
 * The page of the library, with the index before what it draws, and without the script of a layout that we do not use. The document is requested at
 * once, and not after half a second of scripts.
 */
const withIndex = (page: string, index: string): string =>
  page
    .replace('<div id="swagger-ui"></div>', () => `<div class="docs">\n${index}\n<div id="swagger-ui"></div>\n</div>`)
    .split('\n')
    .filter((line) => !line.includes('swagger-ui-standalone-preset.js'))
    .join('\n')
    .replace(
      '</head>',
      '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="preload" href="/docs/json" as="fetch" crossorigin="anonymous">\n</head>',
    )

/** The page calls the origin from which it was opened, which need not be the public one. */
const HERE = { url: '/' }

/** The files are small and always sent whole. A failed condition would be an error without a sentence of ours. */
const CONDITIONS = ['range', 'if-range', 'if-match', 'if-unmodified-since']

/** The file server refuses paths that lead out of its folder, and the file system those that it cannot hold. */
const isNoFile = (error: unknown): boolean =>
  error instanceof Error && (('statusCode' in error && error.statusCode === 403) || ('code' in error && error.code === 'ENAMETOOLONG'))

/**
 * Everything from this origin. The library's own policy lacks the inline styles that it needs, and demands TLS, which a service at home does not
 * have.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
