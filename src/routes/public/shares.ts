import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { Failure } from '../../lib/failure.ts'
import type { EmailRow } from '../../repositories/emails.ts'
import { LinkParams } from '../../schemas/links.ts'
import { inlineImageAddresses } from './inline-images.ts'
import { errorPage, sharedEmailPage } from './share-page.ts'

const ONLY_ITSELF = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'SAMEORIGIN',
  'cache-control': 'private, no-store',
  'x-dns-prefetch-control': 'off',
}
/**
 * The page has no scripts, and neither has the email: its frame takes on this policy and is of no origin. Pictures, fonts and styles of other
 * servers are not loaded, because they would tell the sender who opened the link, when and where. Its inline images are our own.
 */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data: 'self'; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const STATUS_OF_GONE = 403

/** Emails behind signed links, for people: a page, and an error is a page as well. */
export const shareRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { links, repositories } = context
  app.get('/share/:token', { config: { access: 'public' }, schema: { hide: true, params: LinkParams } }, async (request, reply) => {
    reply.headers({ ...ONLY_ITSELF, 'content-security-policy': PAGE_POLICY }).type('text/html; charset=utf-8')
    const shared = await open(request.params.token)
    if (shared instanceof Failure) return reply.code(STATUS_OF_GONE).send(errorPage(shared.message))
    const { email, expiresAt } = shared
    const addressOf = await inlineImageAddresses(context, { teamId: email.teamId, emailId: email.id, expiresAt })
    return reply.send(sharedEmailPage(email, addressOf))
  })

  async function open(token: string): Promise<SharedEmail | Failure> {
    try {
      const { payload, expiresAt } = links.openWithExpiry('share', token)
      const email = await repositories.emails.findAcrossTeams(String(payload.emailId))
      return email ? { email, expiresAt } : new Failure('invalidLink', 'This email does not exist any more.')
    } catch (error) {
      if (error instanceof Failure) return error
      throw error
    }
  }
}

type SharedEmail = { email: EmailRow & { teamId: string }; expiresAt: Date | null }
