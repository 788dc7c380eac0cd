import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { createExpiringCache } from '../../lib/expiring-cache.ts'
import { Failure, notFound } from '../../lib/failure.ts'
import { createPacedLookups } from '../../lib/limits/paced-lookups.ts'
import { canonicalDomain } from '../../mail/addresses.ts'

/** A handshake waits for the answer. */
const LOOKUP_EVERY_MS = 50
/** For one statement. A stranger can make a proxy ask for any name. */
const HOSTS_MAX = 200
/** Most installations have one proxy. */
const HOSTS_PER_ASKER_MAX = 100
/** A host that was verified stays one, so this only bounds the memory. */
const KNOWN_MS = 60 * 60_000
const KNOWN_MAX = 10_000

const Asked = Type.Object({ domain: Type.Optional(Type.String()) })

/** Tells a proxy that gets certificates on demand for which hosts it may: those that lead, or ever led, readers of tracked mail here. */
export const trackingHostRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { config, repositories, clock }) => {
  const known = createExpiringCache<true>({ entriesMax: KNOWN_MAX, clock })
  const lookups = createPacedLookups<true>({
    everyMs: LOOKUP_EVERY_MS,
    keysMax: HOSTS_MAX,
    keysPerAskerMax: HOSTS_PER_ASKER_MAX,
    async findAll(hosts) {
      const verified = await repositories.trackingHosts.verifiedAmongAcrossTeams(hosts)
      return new Map([...verified].map((host) => [host, true]))
    },
  })

  const route = { config: { access: 'public' as const }, schema: { hide: true, querystring: Asked } }
  app.get('/t/ask', route, async ({ query, ip }, reply) => {
    const host = canonicalDomain(query.domain ?? '')
    if (typeof host !== 'string' || !(await isTrackingHost(host, ip))) throw notFound('Tracking host')
    return reply.header('cache-control', 'no-store').send({ status: 'ok' })
  })

  async function isTrackingHost(host: string, asker: string): Promise<boolean> {
    if (host === config.installation.trackingHost || known.get(host)) return true
    const found = await lookups.find(asker, host)
    if (found === 'tooMany')
      throw new Failure('rateLimited', 'Too many tracking hosts were asked for at once. Please try again.', { retryAfterSeconds: 1 })
    if (found) known.set(host, true, KNOWN_MS)
    return found === true
  }
}
