import { timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { digestOf } from '../../lib/tokens.ts'

/** Prometheus series: with METRICS_TOKEN to its bearer, without it only to a direct caller of a loopback HOST. */
export const metricsRoutes: FastifyPluginAsync<Context> = async (app, { config, gateways, metrics }) => {
  app.get('/metrics', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    if (!isAllowed(request)) throw notFound('Page')
    // A disk that is gone must not hide the other series.
    metrics.diskFreeBytes.set(await gateways.diskSpace.freeBytes().catch(() => Number.NaN))
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })

  function isAllowed({ headers }: FastifyRequest): boolean {
    if (config.metricsToken !== null) return isSame(headers.authorization ?? '', `Bearer ${config.metricsToken}`)
    const isForwarded = Object.keys(headers).some((name) => name === 'forwarded' || name.startsWith('x-forwarded-'))
    return isLoopback(config.host) && !isForwarded
  }
}

/** Digests have one length, so that nothing of the token shows in the time that a comparison takes. */
const isSame = (given: string, wanted: string): boolean => timingSafeEqual(Buffer.from(digestOf(given)), Buffer.from(digestOf(wanted)))

const isLoopback = (host: string): boolean => host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback')
