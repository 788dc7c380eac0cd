import { timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isThisMachine } from '../../lib/loopback.ts'
import { digestOf } from '../../lib/tokens.ts'

/**
 * Prometheus series. With METRICS_TOKEN they need that bearer token. Without it they answer only if everything says that the request comes
 * from this machine: HOST, PUBLIC_URL, the peer, the host name in the request, and the absence of a proxy's headers. A proxy on this
 * machine need not add headers, but a service that has one has a PUBLIC_URL.
 */
export const metricsRoutes: FastifyPluginAsync<Context> = async (app, { config, publicUrl, gateways, metrics }) => {
  const isLocalService = isThisMachine(config.host) && isThisMachine(new URL(publicUrl).hostname)

  app.get('/metrics', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    if (!isAllowed(request)) throw notFound('Page')
    // A missing disk must not hide the other series.
    metrics.diskFreeBytes.set(await gateways.diskSpace.freeBytes().catch(() => Number.NaN))
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })

  function isAllowed({ headers, socket }: FastifyRequest): boolean {
    if (config.metricsToken !== null) return isSame(headers.authorization ?? '', `Bearer ${config.metricsToken}`)
    return isLocalService && isThisMachine(socket.remoteAddress ?? '') && isThisMachine(hostOf(headers.host)) && !isForwarded(headers)
  }
}

/** Digests have one length, so the time of a comparison reveals nothing about the token. */
const isSame = (given: string, wanted: string): boolean => timingSafeEqual(Buffer.from(digestOf(given)), Buffer.from(digestOf(wanted)))

const hostOf = (header: string | undefined): string => URL.parse(`http://${header ?? ''}`)?.hostname ?? ''

const isForwarded = (headers: FastifyRequest['headers']): boolean =>
  Object.keys(headers).some((name) => name.startsWith('x-forwarded-') || PROXY_HEADERS.has(name))
const PROXY_HEADERS = new Set(['forwarded', 'via', 'x-real-ip'])
