import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { LRUCache } from 'lru-cache'
import type { PlatformContext } from '../../http/platform.context.ts'
import { LinkParams } from '../../http/resource.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { createFairSemaphore } from '../../lib/limits/fair-semaphore.ts'
import { withoutPersonalLinks } from '../../lib/personal-links.ts'
import { SHOWN_LENGTH_MAX } from '../../mail/html/contained-html.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import { senderText } from '../inbound/content/received-content.ts'
import type { InboundContext } from '../inbound/inbound.context.ts'
import type { SecretsContext } from '../secrets/secrets.context.ts'
import { framedHtml, hasRemoteImages } from './frame/framed-html.ts'
import { type ImageAddresses, inlineImageAddresses, receivedImageAddresses } from './inline-images.routes.ts'
import { busyPage, errorPage, PAGE_POLICY, type SharedEmail, sharedEmailPage } from './shares.pages.ts'

type Context = PlatformContext & SecretsContext & AccountsContext & EmailsContext & InboundContext

// Makes the pages of shared emails one at a time and keeps them for a moment, so that the service has time for everything else however many people
// open a link at once.

export type SharedPages = {
  /**
   * The page of this link, made again unless that was a moment ago.
   * @throws Failure `unavailable` if too many are waiting.
   */
  of(token: string, make: () => Promise<string>): Promise<Buffer>
}

export function createSharedPages({ clock }: { clock: Clock }): SharedPages {
  const kept = new LRUCache<string, Buffer>({
    maxSize: KEPT_BYTES_MAX,
    sizeCalculation: (page) => page.length,
    ttl: KEPT_MS_MAX,
    ttlResolution: 0,
    perf: { now: () => clock.monotonicMs() },
  })
  const semaphore = createFairSemaphore({ atOnceMax: ONE, waitingMax: WAITING_MAX, waitMsMax: WAIT_MS_MAX, refusal: tooMany })

  async function make(token: string, write: () => Promise<string>): Promise<Buffer> {
    // Requests that waited for the same link find the page that the first of them made.
    const earlier = kept.get(token)
    if (earlier) return earlier
    const page = Buffer.from(await write())
    kept.set(token, page)
    return page
  }

  return {
    async of(token, write) {
      return kept.get(token) ?? semaphore.run(token, () => make(token, write))
    },
  }
}

const KEPT_BYTES_MAX = 16 * 1024 * 1024
/** A person who looks again a little later sees what has changed since. */
const KEPT_MS_MAX = 10_000
const ONE = { perKey: 1, inAll: 1 }
const WAITING_MAX = { perKey: 20, inAll: 40 }
const WAIT_MS_MAX = 10_000
const RETRY_AFTER_SECONDS = 5

const tooMany = (): Failure =>
  new Failure('unavailable', 'Too many shared emails are being opened right now. Load this page again in a few seconds.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

const ONLY_ITSELF = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'SAMEORIGIN',
  'cache-control': 'private, no-store',
  'x-dns-prefetch-control': 'off',
}
/** One character more than is shown tells whether there is more. */
const READ_LENGTH_MAX = SHOWN_LENGTH_MAX + 1

const deleted = () => new Failure('invalidLink', 'This email has been deleted.')

const STATUS_OF_GONE = 403
const STATUS_OF_BUSY = 503

/** Emails at signed links, for people. An error is a page too. */
export const shareRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { links, repositories, clock } = context
  const pages = createSharedPages({ clock })

  app.get('/share/:token', { config: { access: 'public' }, schema: { hide: true, params: LinkParams } }, async (request, reply) => {
    reply.headers({ ...ONLY_ITSELF, 'content-security-policy': PAGE_POLICY }).type('text/html; charset=utf-8')
    const { token } = request.params
    try {
      const opened = links.openWithExpiry('share', token)
      return reply.send(await pages.of(token, () => renderShare(opened)))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.kind !== 'unavailable') return reply.code(STATUS_OF_GONE).send(errorPage(error.message))
      reply.code(STATUS_OF_BUSY).header('retry-after', String(error.retryAfterSeconds ?? 1))
      return reply.send(busyPage(error.message))
    }
  })

  async function renderShare({ payload, expiresAt }: ReturnType<typeof links.openWithExpiry>): Promise<string> {
    if (payload.receivedEmailId !== undefined) return renderReceivedShare(String(payload.receivedEmailId), expiresAt)
    const found = await repositories.emails.findBeginningAcrossTeams(String(payload.emailId), READ_LENGTH_MAX)
    if (!found) throw deleted()
    const email = await context.asBroadcastEmail(found)
    const addresses = await inlineImageAddresses(context, { teamId: email.teamId, emailId: email.id, expiresAt })
    return pageOfEmail(email, addresses)
  }

  async function renderReceivedShare(id: string, expiresAt: Date | null): Promise<string> {
    const email = await repositories.receivedEmails.findBeginningAcrossTeams(id, READ_LENGTH_MAX)
    if (!email) throw deleted()
    const addresses = receivedImageAddresses(context, { files: email.attachments, expiresAt })
    return pageOfEmail({ ...email, from: senderText(email), subject: email.subject ?? '' }, addresses)
  }

  /** Without personal links: a shared email is passed on, and no reader of it may unsubscribe its recipient. */
  async function pageOfEmail({ html, ...email }: LoadedEmail, addresses: ImageAddresses): Promise<string> {
    const subject = withoutPersonalLinks(email.subject)
    const text = email.text && withoutPersonalLinks(email.text)
    const brand = await repositories.teams.brandOf(email.teamId)
    return sharedEmailPage(
      { ...email, subject, text, brand, framed: html === null ? null : await framed(email.teamId, withoutPersonalLinks(html), addresses) },
      clock.now(),
    )
  }

  const framed = async (teamId: string, html: string, addresses: ImageAddresses) => ({
    ...(await framedHtml(context.gateways, teamId, html, addresses)),
    hasRemoteImages: await hasRemoteImages(context.gateways, teamId, html),
  })
}

type LoadedEmail = Omit<SharedEmail, 'framed'> & { teamId: string; html: string | null }
