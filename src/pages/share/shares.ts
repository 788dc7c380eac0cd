import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { Failure } from '../../lib/failure.ts'
import { senderText } from '../../lib/inbound/received-content.ts'
import { withoutPersonalLinks } from '../../lib/personal-links.ts'
import { SHOWN_LENGTH_MAX } from '../../mail/html/contained-html.ts'
import { LinkParams } from '../../schemas/links.ts'
import { inlineImageAddresses, receivedImageAddresses } from '../frame/inline-images.ts'
import { busyPage, errorPage, type SharedEmail, sharedEmailPage } from './share-page.ts'
import { PAGE_POLICY } from './share-shell.ts'
import { createSharedPages } from './shared-pages.ts'

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
      return reply.send(await pages.of(token, () => pageOf(opened)))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.kind !== 'unavailable') return reply.code(STATUS_OF_GONE).send(errorPage(error.message))
      reply.code(STATUS_OF_BUSY).header('retry-after', String(error.retryAfterSeconds ?? 1))
      return reply.send(busyPage(error.message))
    }
  })

  async function pageOf({ payload, expiresAt }: ReturnType<typeof links.openWithExpiry>): Promise<string> {
    if (payload.receivedEmailId !== undefined) return receivedPageOf(String(payload.receivedEmailId), expiresAt)
    const found = await repositories.emails.findBeginningAcrossTeams(String(payload.emailId), READ_LENGTH_MAX)
    if (!found) throw deleted()
    const email = await context.asBroadcastEmail(found)
    const addressOf = await inlineImageAddresses(context, { teamId: email.teamId, emailId: email.id, expiresAt })
    return sharedEmailPage(withoutLinks(email), { addressOf, now: clock.now() })
  }

  async function receivedPageOf(id: string, expiresAt: Date | null): Promise<string> {
    const email = await repositories.receivedEmails.findBeginningAcrossTeams(id, READ_LENGTH_MAX)
    if (!email) throw deleted()
    const addressOf = receivedImageAddresses(context, { files: email.attachments, expiresAt })
    return sharedEmailPage(withoutLinks({ ...email, from: senderText(email), subject: email.subject ?? '' }), {
      addressOf,
      now: clock.now(),
    })
  }
}

/** A shared email is passed on: no reader of it may unsubscribe its recipient. */
const withoutLinks = (email: SharedEmail): SharedEmail => ({
  ...email,
  subject: withoutPersonalLinks(email.subject),
  html: email.html === null ? null : withoutPersonalLinks(email.html),
  text: email.text === null ? null : withoutPersonalLinks(email.text),
})
