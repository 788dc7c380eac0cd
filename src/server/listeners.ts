// Whatever others connect to, made as the roles of this process and its configuration ask for. None of it listens yet.

import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { buildApp } from '../app.ts'
import type { Context } from '../context.ts'
import { openCertificateFiles } from '../io/files/certificate-files.ts'
import type { InboundLimits } from '../io/smtp/server/peers.ts'
import type { CertificateSource, SmtpServer } from '../io/smtp/server/smtp-server.ts'
import { healthRoutes, metricsRoutes } from '../modules/deliverability/health.routes.ts'
import { createInboundServer } from '../modules/inbound/server/inbound-server.ts'
import { createSubmissionServer } from '../modules/submission/submission-server.ts'
import { closingConnections } from '../plugins/connections.ts'
import { errors } from '../plugins/errors.ts'
import { createTrackingListener, type TrackingListener } from './tracking-listener.ts'

// What operators and orchestrators ask of a process that does not serve the API: whether it can work, and its metrics.

/** Nothing that is asked here has a body. */
const BODY_BYTES_MAX = 1_024
const REQUEST_TIMEOUT_MS = 10_000

/** Not listening yet. */
export async function createHealthListener(context: Context): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: context.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
  })
  errors(app, context)
  closingConnections(app, context)
  await app.register(healthRoutes, context)
  await app.register(metricsRoutes, context)
  return app
}

export type Listeners = {
  /** The HTTP application; null if this process does not have the role `api`. */
  app: FastifyInstance | null
  /** Answers /health and /metrics; null unless it is configured and this process does not have the role `api`. */
  health: FastifyInstance | null
  /** The SMTP server; null if this process does not have the role `inbound`. */
  inbound: SmtpServer | null
  /** Where mail is submitted over SMTP; null unless it is configured and this process has the role `api`. */
  submission: SmtpServer | null
  /** Answers tracked links over TLS; null unless it is configured and this process has the role `api`. */
  tracking: TrackingListener | null
}

export type ListenerOptions = {
  /** What peers of the SMTP server may do, where tests change it. */
  inboundLimits?: Partial<InboundLimits>
  /** What clients that submit mail may do, where tests change it. */
  submissionLimits?: Partial<InboundLimits>
}

/** `close`: no new requests, and those that run are answered. */
export async function createListeners(
  context: Context,
  { inboundLimits, submissionLimits }: ListenerOptions,
): Promise<{ listeners: Listeners; close(): Promise<void> }> {
  const { config } = context
  const app = config.roles.includes('api') ? await buildApp(context) : null
  const tracking = app && (await openTrackingListener(app, context))
  const health = app === null && config.healthPort !== null ? await createHealthListener(context) : null
  const takesSubmissions = app !== null && (config.submissionPort !== null || config.submissionsPort !== null)
  const receives = config.roles.includes('inbound')
  const certificate = receives || takesSubmissions ? await loadCertificate(context) : null
  const inbound =
    certificate && receives ? createInboundServer(context, { certificate, ...(inboundLimits && { limits: inboundLimits }) }) : null
  const submission =
    certificate && takesSubmissions
      ? createSubmissionServer(context, { certificate, ...(submissionLimits && { limits: submissionLimits }) })
      : null

  return {
    listeners: { app, health, inbound, submission, tracking },
    async close() {
      await Promise.all([app && closeApp(app), health && closeApp(health), tracking?.close(), inbound?.close(), submission?.close()])
      await certificate?.stop()
    },
  }
}

async function openTrackingListener(
  app: FastifyInstance,
  { config, log }: Pick<Context, 'config' | 'log'>,
): Promise<TrackingListener | null> {
  const { tls } = config.tracking
  if (tls === null) return null
  const certificate = await openCertificateFiles({
    ...tls,
    variables: { cert: 'TRACKING_TLS_CERT', key: 'TRACKING_TLS_KEY' },
    onProblem: (error) => log.warn({ err: error }, 'certificate of the tracking hosts not replaced: its files do not fit together'),
  })
  return createTrackingListener(app.routing, certificate)
}

/** The certificate of the SMTP server. */
async function loadCertificate({
  config: { inboundTls, mailHostname },
  clock,
  log,
}: Pick<Context, 'config' | 'clock' | 'log'>): Promise<CertificateSource & { stop(): Promise<void> }> {
  if (inboundTls !== null)
    return openCertificateFiles({
      ...inboundTls,
      variables: { cert: 'INBOUND_TLS_CERT', key: 'INBOUND_TLS_KEY' },
      onProblem: (error) => log.warn({ err: error }, 'certificate of the SMTP server not replaced: its files do not fit together'),
    })
  // Loaded only where it is needed: most of its work is done at the import.
  const { createSelfSignedCertificate } = await import('../lib/crypto/self-signed-certificate.ts')
  const certificate = await createSelfSignedCertificate(mailHostname, clock.now())
  return { current: () => certificate, follow: () => {}, stop: async () => {} }
}

/** Requests that take longer than this are cut off, so that the rest of the service has its time to stop. */
const LAST_REQUESTS_MS = 5_000

async function closeApp(app: FastifyInstance): Promise<void> {
  const cuttingOff = setTimeout(() => app.server.closeAllConnections(), LAST_REQUESTS_MS)
  await app.close()
  clearTimeout(cuttingOff)
}
