// Where the links and images of tracked mail lead. Everything that an answer needs is in the link, so that no reader waits for the database, and
// links work as long as the mail is read.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import type { TrackedLink } from '../../lib/signing/tracking-tokens.ts'
import { storable } from '../../lib/storable-text.ts'
import { readingOf } from '../unsubscribe/texts/texts.ts'
import { noticePage } from '../unsubscribe/unsubscribe-page.ts'
import { pageHeaders } from '../unsubscribe/unsubscribe-shell.ts'

/** Longer ones say nothing more. */
const USER_AGENT_LENGTH_MAX = 512
const STATUS_OF_BAD_LINK = 403

/** As a wildcard, because a damaged link may have more parts, or be longer than a parameter. */
const Rest = Type.Object({ '*': Type.String() })

export const trackedLinkRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { trackingTokens, trackedActs, clock, metrics }) => {
  const route = { config: { access: 'public' as const }, schema: { hide: true, params: Rest } }

  app.get('/t/c/*', route, async (request, reply) => {
    const link = linkOf('click', request)
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
    const link = linkOf('open', request)
    if (link !== null) note(link, request)
    // The image is there in any case: an email with a damaged address must not show a broken one.
    return reply
      .code(link === null ? STATUS_OF_BAD_LINK : 200)
      .headers(IMAGE_HEADERS)
      .send(IMAGE)
  })

  /** Null, and counted, unless it is a link of this kind that was made for this host. */
  function linkOf(kind: 'open' | 'click', { params, hostname }: FastifyRequest<{ Params: Static<typeof Rest> }>): TrackedLink | null {
    const link = trackingTokens.read(tokenIn(params['*']), hostname)
    const isRight = !('refusal' in link) && (kind === 'open') === (link.kind === 'open')
    if (isRight) return link
    metrics.trackedLinksRefused.inc({ kind, reason: 'refusal' in link ? link.refusal : 'other_kind' })
    return null
  }

  function note(link: TrackedLink, { method, headers, ip }: FastifyRequest): void {
    const userAgent = storable((headers['user-agent'] ?? '').slice(0, USER_AGENT_LENGTH_MAX))
    trackedActs.add({ ...link, method: method === 'HEAD' ? 'HEAD' : 'GET', userAgent, address: ip, at: clock.now() })
  }
}

function refuse({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const reading = readingOf(headers['accept-language'])
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
