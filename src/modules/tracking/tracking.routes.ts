// Where the links and images of tracked mail lead. Everything that an answer needs is in the link, so that no reader waits for the database, and
// links work as long as the mail is read.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PlatformContext } from '../../http/platform.context.ts'
import { createExpiringCache } from '../../lib/cache.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { Failure, notFound } from '../../lib/failure.ts'
import { createPacedLookups } from '../../lib/limits/paced-lookups.ts'
import { createAddressRanges, isLoopback } from '../../lib/peer-addresses.ts'
import { storable } from '../../lib/text.ts'
import { canonicalDomain } from '../../mail/addresses.ts'
import { chooseTexts } from '../audience/unsubscribe/texts.ts'
import { noticePage, pageHeaders } from '../audience/unsubscribe/unsubscribe.pages.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import type { TrackingContext } from './tracking.context.ts'
import type { TrackedLink } from './tracking-tokens.ts'

type Context = PlatformContext & DomainsContext & TrackingContext

/** Longer ones say nothing more. */
const USER_AGENT_LENGTH_MAX = 512
const STATUS_OF_BAD_LINK = 403

/** As a wildcard, because a damaged link may have more parts, or be longer than a parameter. */
const Rest = Type.Object({ '*': Type.String() })

export const trackedLinkRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { trackingTokens, trackedEvents, clock, metrics }) => {
  const route = { config: { access: 'public' as const }, schema: { hide: true, params: Rest } }

  app.get('/t/c/*', route, async (request, reply) => {
    const link = openTrackedLink('click', request)
    if (link === null) return refuse(request, reply)
    note(link, request)
    // No person can see it, so no one needs to be told where it leads.
    if (link.kind === 'trap') return refuse(request, reply)
    return reply
      .code(302)
      .headers({ ...UNKEPT, location: new URL(link.target).href })
      .send()
  })

  app.get('/t/o/*', route, async (request, reply) => {
    const link = openTrackedLink('open', request)
    if (link !== null) note(link, request)
    // The image is there in any case: an email with a damaged address must not show a broken one.
    return reply
      .code(link === null ? STATUS_OF_BAD_LINK : 200)
      .headers(IMAGE_HEADERS)
      .send(IMAGE)
  })

  /** Null, and counted, unless it is a link of this kind that was made for this host. */
  function openTrackedLink(
    kind: 'open' | 'click',
    { params, hostname }: FastifyRequest<{ Params: Static<typeof Rest> }>,
  ): TrackedLink | null {
    const link = trackingTokens.read(tokenIn(params['*']), hostname)
    const isRight = !('refusal' in link) && (kind === 'open') === (link.kind === 'open')
    if (isRight) return link
    metrics.trackedLinksRefused.inc({ kind, reason: 'refusal' in link ? link.refusal : 'other_kind' })
    return null
  }

  function note(link: TrackedLink, { method, headers, ip }: FastifyRequest): void {
    const userAgent = storable((headers['user-agent'] ?? '').slice(0, USER_AGENT_LENGTH_MAX))
    trackedEvents.add({ ...link, method: method === 'HEAD' ? 'HEAD' : 'GET', userAgent, address: ip, at: clock.now() })
  }
}

function refuse({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const reading = chooseTexts(headers['accept-language'])
  const { badLink: title, badLinkNote } = reading.texts
  return reply
    .code(STATUS_OF_BAD_LINK)
    .headers(pageHeaders(reading))
    .send(noticePage(reading, { title, note: badLinkNote }))
}

/** The token alone: mail programs include what follows a link, such as a full stop or a bracket. */
const tokenIn = (rest: string): string => /^[\w-]*/.exec(rest)?.[0] ?? ''

/** Each time that it is opened or followed counts. */
const UNKEPT = {
  'cache-control': 'private, no-store, max-age=0',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
}

/** One transparent pixel. */
const IMAGE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

const IMAGE_HEADERS = {
  ...UNKEPT,
  'content-type': 'image/gif',
  'x-content-type-options': 'nosniff',
  // Mail programs on the web show it within their own pages.
  'cross-origin-resource-policy': 'cross-origin',
}

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
const KNOWN_MS = HOUR_MS
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
      throw new Failure('rateLimited', 'Too many tracking hosts were requested at once. Please try again.', { retryAfterSeconds: 1 })
    if (found) known.set(host, true, KNOWN_MS)
    return found === true
  }
}
