// Builds the HTTP application: plugins, then routes. Never listens, never connects.
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Context } from './context.ts'
import { createId } from './lib/ids.ts'
import { wantsPage } from './lib/wanted-form.ts'
import { consoleRoutes } from './pages/console.ts'
import { inlineImageRoutes } from './pages/frame/inline-images.ts'
import { homeRoutes } from './pages/home/home.ts'
import { oldAddressRoutes } from './pages/old-addresses.ts'
import { shareRoutes } from './pages/share/shares.ts'
import { notFoundPage } from './pages/shell/not-found-page.ts'
import { PALETTE_STYLE } from './pages/shell/page-files.ts'
import { PAGE_HEADERS } from './pages/shell/page-headers.ts'
import { SECTION_GROUPS } from './pages/shell/sections.ts'
import { trackedLinkRoutes } from './pages/tracking/tracked-links.ts'
import { BROKEN_LINK, isUnsubscribeLink, overlongLinkReply } from './pages/unsubscribe/broken-links.ts'
import { unsubscribeRoutes } from './pages/unsubscribe/unsubscribe.ts'
import { authentication } from './plugins/authentication.ts'
import { BODY_BYTES_MAX_WITHOUT_OPERATION, type BodyGateOptions, bodyGate } from './plugins/bodies/body-gate.ts'
import { type JsonBodyOptions, jsonBodies } from './plugins/bodies/json-bodies.ts'
import { endUnread, type UnreadBodyOptions, unreadBodies } from './plugins/bodies/unread-body.ts'
import { isUploading, type UploadOptions, uploads } from './plugins/bodies/uploads.ts'
import { validation } from './plugins/bodies/validation.ts'
import { closingConnections } from './plugins/closing-connections.ts'
import { compression } from './plugins/compression.ts'
import { brokenRequestReply, ERRORS, errorBody, errors, failureOf } from './plugins/errors.ts'
import { hostHeader } from './plugins/host-header.ts'
import { idempotency } from './plugins/idempotency.ts'
import { keyRecognition } from './plugins/key-recognition.ts'
import { longTexts } from './plugins/long-texts.ts'
import { requestMetrics } from './plugins/metrics.ts'
import { notFoundPages, UNROUTABLE_ADDRESS } from './plugins/not-found-pages.ts'
import { docs } from './plugins/openapi/docs.ts'
import { openapi } from './plugins/openapi/openapi.ts'
import { reference } from './plugins/openapi/reference.ts'
import { personalLinks } from './plugins/personal-links.ts'
import { rateLimit } from './plugins/rate-limit.ts'
import { requestLog } from './plugins/request-log.ts'
import { serialization } from './plugins/serialization.ts'
import { requestTraces } from './plugins/tracing.ts'
import { waking } from './plugins/waking.ts'
import { routePlugin } from './routes/operation.ts'
import { downloadRoutes } from './routes/public/downloads.ts'
import { healthRoutes } from './routes/public/health.ts'
import { metricsRoutes } from './routes/public/metrics.ts'
import { oauthRoutes } from './routes/public/oauth.ts'
import { trackingHostRoutes } from './routes/public/tracking-hosts.ts'
import { ROUTES } from './routes/routes.ts'
import { namedSchemas } from './schemas/common.ts'

const PUBLIC_ROUTES = [
  homeRoutes,
  healthRoutes,
  metricsRoutes,
  downloadRoutes,
  shareRoutes,
  inlineImageRoutes,
  unsubscribeRoutes,
  trackedLinkRoutes,
  trackingHostRoutes,
  oauthRoutes,
  consoleRoutes,
  oldAddressRoutes,
]

/** The longest path parameter: the token of a signed link. */
const PARAM_LENGTH_MAX = 2_000
/** Longer than load balancers keep idle connections, so that they close first. */
const KEEP_ALIVE_MS = 72_000
/** Real clients never take longer for their headers. */
const HEADERS_TIMEOUT_MS = 20_000
/** The limit of a whole request. Bodies that are not tiny have a shorter limit, with a sentence of their own (plugins/bodies/body-gate.ts). */
const REQUEST_TIMEOUT_MS = 90_000

/**
 * A client that neither sends nor reads a byte for this long has gone, or holds a connection for nothing. Longer than anything that we wait for.
 */
const SILENT_CONNECTION_MS = 120_000

export type AppOptions = {
  bodyGate?: BodyGateOptions
  jsonBodies?: JsonBodyOptions
  uploads?: UploadOptions
  unreadBodies?: UnreadBodyOptions
  silentConnectionMs?: number
}

export async function buildApp(context: Context, options: AppOptions = {}): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: context.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => createId(),
    bodyLimit: BODY_BYTES_MAX_WITHOUT_OPERATION,
    trustProxy: context.config.trustProxy.length > 0 ? context.config.trustProxy : false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: options.silentConnectionMs ?? SILENT_CONNECTION_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, requireHostHeader: false },
    // Requests on connections that are still open are answered as before, with `Connection: close`.
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX, ignoreDuplicateSlashes: true, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => {
      if (isUnsubscribeLink(request.url)) {
        request.raw.url = BROKEN_LINK
        return request.server.routing(request.raw, reply.raw)
      }
      if (wantsPage(request)) {
        request.raw.url = UNROUTABLE_ADDRESS
        return request.server.routing(request.raw, reply.raw)
      }
      const failure = failureOf(error)
      reply.raw.writeHead(ERRORS[failure?.kind ?? 'unexpected'].status, {
        'content-type': 'application/json; charset=utf-8',
        // A browser gets a page from the same address.
        vary: 'Accept',
        'cache-control': 'no-store',
        'x-request-id': request.id,
      })
      reply.raw.end(JSON.stringify(errorBody(failure)))
    },
    clientErrorHandler: (error: NodeJS.ErrnoException & { rawPacket?: unknown }, socket: Socket) => {
      // A file may take longer than any other request, and is limited where it arrives.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return
      if (socket.writable && error.code !== 'ECONNRESET')
        endUnread(socket, overlongLinkReply(error) ?? brokenRequestReply(error.code), options.unreadBodies)
      else socket.destroy()
    },
  })

  // An expectation that Node does not know is no reason to refuse: the request is answered without regard to it.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.decorate('operations', [])
  // Fastify adds a HEAD to every GET. It is the same operation, and is listed once.
  app.addHook('onRoute', ({ config, url, method }) => {
    if (config?.operation && config.operation.path === url && method === config.operation.method) app.operations.push(config.operation)
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  for (const schema of namedSchemas()) app.addSchema(schema)

  errors(app, context)
  hostHeader(app)
  requestTraces(app, context)
  requestMetrics(app, context)
  waking(app, context)
  await rateLimit(app, context)
  keyRecognition(app, context)
  authentication(app, context)
  idempotency(app)
  bodyGate(app, context, options.bodyGate)
  unreadBodies(app, context, options.unreadBodies)
  jsonBodies(app, options.jsonBodies)
  validation(app)
  serialization(app)
  uploads(app, context, options.uploads)
  personalLinks(app)
  requestLog(app, context)
  longTexts(app)
  compression(app)
  closingConnections(app, context)
  await openapi(app, context)
  await docs(app, { palette: PALETTE_STYLE, sectionGroups: SECTION_GROUPS })
  await reference(app, { palette: PALETTE_STYLE })
  await app.register(async (operations) => {
    for (const routes of ROUTES) await operations.register(routePlugin(routes, context))
  })
  for (const routes of PUBLIC_ROUTES) await app.register(routes, context)
  // After the routes, so that those with pages of their own for wrong addresses have answered by then.
  notFoundPages(app, { headers: PAGE_HEADERS, pageOf: notFoundPage })
  return app
}
