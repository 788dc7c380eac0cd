// Builds the HTTP application: plugins, then routes. Never listens, never connects.

import type { Socket } from 'node:net'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import plugin from 'fastify-plugin'
import type { Context } from './context.ts'
import { actors } from './http/actor.ts'
import { wantsPage } from './http/headers.ts'
import { operations, type Routes } from './http/operation.ts'
import { PALETTE_STYLE } from './http/pages/document.ts'
import { NOT_FOUND_HEADERS, notFoundPage } from './http/pages/problem-pages.ts'
import { createId } from './lib/ids.ts'
import { namedSchema, namedSchemas } from './lib/validation/common.schema.ts'
import { hasOperators } from './modules/accounts/people/operators.ts'
import { signInPages } from './modules/accounts/people/sign-in.pages.ts'
import { documentationAccessPages } from './modules/accounts/sessions/documentation-access.pages.ts'
import { BROKEN_LINK, isUnsubscribeLink, overlongLinkReply, unsubscribeRoutes } from './modules/audience/unsubscribe/unsubscribe.routes.ts'
import { appPages } from './modules/console/app/app.pages.ts'
import { oldAddressRoutes } from './modules/console/app/old-addresses.pages.ts'
import { SECTION_GROUPS } from './modules/console/app/section-links.ts'
import { homePages } from './modules/console/home/home.pages.ts'
import { healthRoutes, metricsRoutes } from './modules/deliverability/health.routes.ts'
import { mediaRoutes } from './modules/images/media.routes.ts'
import { consentSite } from './modules/oauth/consent/consent-site.routes.ts'
import { oauthRoutes } from './modules/oauth/oauth.routes.ts'
import { OPERATOR_RESOURCES, OPERATOR_ROUTES, PERSON_RESOURCES, PERSON_ROUTES, RESOURCES, ROUTES } from './modules/routes.ts'
import { downloadRoutes } from './modules/sharing/downloads.routes.ts'
import { inlineImageRoutes } from './modules/sharing/inline-images.routes.ts'
import { shareRoutes } from './modules/sharing/shares.routes.ts'
import { trackedLinkRoutes, trackingHostRoutes } from './modules/tracking/tracking.routes.ts'
import { audit } from './plugins/audit.ts'
import { authentication, keyRecognition } from './plugins/authentication.ts'
import { BODY_BYTES_MAX_WITHOUT_OPERATION, type BodyGateOptions, bodyGate } from './plugins/bodies/body-gate.ts'
import { expectedBodies } from './plugins/bodies/expected-bodies.ts'
import { type JsonBodyOptions, jsonBodies } from './plugins/bodies/json-bodies.ts'
import { endUnread, type UnreadBodyOptions, unreadBodies } from './plugins/bodies/unread-body.ts'
import { isUploading, type UploadOptions, uploads } from './plugins/bodies/uploads.ts'
import { validation } from './plugins/bodies/validation.ts'
import { compression } from './plugins/compression.ts'
import { closingConnections, waking } from './plugins/connections.ts'
import { brokenRequestReply, ERRORS, errorBody, errors, notFoundPages, toFailure, UNROUTABLE_ADDRESS } from './plugins/errors.ts'
import { docs } from './plugins/openapi/docs.ts'
import { openapi } from './plugins/openapi/openapi.ts'
import { reference } from './plugins/openapi/reference.ts'
import { rateLimit } from './plugins/rate-limit.ts'
import { hostHeader, idempotency } from './plugins/request-headers.ts'
import { requestLog, requestMetrics } from './plugins/request-log.ts'
import { longTexts, personalLinks, serialization } from './plugins/serialization.ts'
import { requestTraces } from './plugins/tracing.ts'

const PUBLIC_ROUTES: readonly FastifyPluginAsyncTypebox<Context>[] = [
  homePages,
  healthRoutes,
  metricsRoutes,
  downloadRoutes,
  shareRoutes,
  inlineImageRoutes,
  mediaRoutes,
  unsubscribeRoutes,
  trackedLinkRoutes,
  trackingHostRoutes,
  oauthRoutes,
  signInPages,
  documentationAccessPages,
  consentSite,
  appPages,
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
    schemaController: { bucket: namedSchemaBucket },
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
      const failure = toFailure(error)
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
  operations(app)
  actors(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })

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
  expectedBodies(app)
  personalLinks(app)
  requestLog(app, context)
  audit(app, context)
  longTexts(app)
  compression(app)
  closingConnections(app, context)
  const hasOperator = hasOperators(context.config)
  await openapi(app, { publicUrl: context.publicUrl, resources: [...RESOURCES, ...PERSON_RESOURCES, ...OPERATOR_RESOURCES], hasOperator })
  await docs(app, { palette: PALETTE_STYLE, sectionGroups: SECTION_GROUPS })
  await reference(app, { palette: PALETTE_STYLE })
  const operationRoutes: readonly Routes<Context>[] = [...ROUTES, ...PERSON_ROUTES, ...(hasOperator ? OPERATOR_ROUTES : [])]
  for (const routes of operationRoutes) await app.register(plugin(routes), { context })
  for (const routes of PUBLIC_ROUTES) await app.register(routes, context)
  // After the routes, so that those with pages of their own for wrong addresses have answered by then.
  notFoundPages(app, { headers: NOT_FOUND_HEADERS, pageOf: notFoundPage })
  return app
}

/** The named schemas, as Fastify asks for them. Its own answer is a copy of the list for each route and each plugin: half the work of building the app. */
function namedSchemaBucket(ofParent?: unknown) {
  const schemas = (ofParent as Record<string, unknown>) ?? Object.fromEntries(namedSchemas().map((schema) => [schema.$id, schema]))
  return {
    add(): never {
      throw new Error('A schema gets its name where it is declared, by Named')
    },
    getSchema: namedSchema,
    getSchemas: () => schemas,
  }
}
