import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { createExpiringCache } from '../../lib/expiring-cache.ts'
import { Failure, notFound } from '../../lib/failure.ts'
import { createAddressRanges } from '../../lib/inbound/peer-addresses.ts'
import { createPacedLookups } from '../../lib/limits/paced-lookups.ts'
import { isLoopback } from '../../lib/loopback.ts'
import { canonicalDomain } from '../../mail/addresses.ts'

/** A handshake waits for the answer. */
const LOOKUP_EVERY_MS = 50
/** The limit for one statement. A stranger can make a proxy ask for any name. */
const HOSTS_MAX = 200
/** Most installations have one proxy. */
const HOSTS_PER_ASKER_MAX = 100
/** A limit that leaves the proxies their places when strangers ask. */
const HOSTS_OF_STRANGERS_MAX = 50
const HOSTS_PER_STRANGER_MAX = 5
/** A host that was verified stays one, so this only bounds the memory. An unknown one is not kept: its record may be verified in a moment. */
const KNOWN_MS = 60 * 60_000
const KNOWN_MAX = 10_000

const Asked = Type.Object({ domain: Type.Optional(Type.String()) })

/** Tells a proxy that gets certificates on demand for which hosts it may: those that lead, or ever led, readers of tracked mail here. */
export const trackingHostRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { config, repositories, clock }) => {
  const known = createExpiringCache<true>({ entriesMax: KNOWN_MAX, clock })
  const isProxy = createAddressRanges(config.trustProxy)
  const places = { everyMs: LOOKUP_EVERY_MS, findAll }
  const ofProxies = createPacedLookups<true>({ ...places, keysMax: HOSTS_MAX, keysPerAskerMax: HOSTS_PER_ASKER_MAX })
  const ofStrangers = createPacedLookups<true>({ ...places, keysMax: HOSTS_OF_STRANGERS_MAX, keysPerAskerMax: HOSTS_PER_STRANGER_MAX })

  async function findAll(hosts: string[]): Promise<Map<string, true>> {
    const verified = await repositories.trackingHosts.verifiedAmongAcrossTeams(hosts)
    return new Map([...verified].map((host) => [host, true]))
  }

  const route = { config: { access: 'public' as const }, schema: { hide: true, querystring: Asked } }
  app.get('/t/ask', route, async ({ query, ip }, reply) => {
    const host = canonicalDomain(query.domain ?? '')
    if (typeof host !== 'string' || !(await isTrackingHost(host, ip))) throw notFound('Tracking host')
    return reply.header('cache-control', 'no-store').send({ status: 'ok' })
  })

  async function isTrackingHost(host: string, asker: string): Promise<boolean> {
    if (host === config.installation.trackingHost || known.get(host)) return true
    const lookups = isLoopback(asker) || isProxy(asker) ? ofProxies : ofStrangers
    const found = await lookups.find(asker, host)
    if (found === 'tooMany')
      throw new Failure('rateLimited', 'Too many tracking hosts were asked for at once. Please try again.', { retryAfterSeconds: 1 })
    if (found) known.set(host, true, KNOWN_MS)
    return found === true
  }
}
