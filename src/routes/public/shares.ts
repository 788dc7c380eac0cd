import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { Failure } from '../../lib/failure.ts'
import { LinkParams } from '../../schemas/links.ts'
import { errorPage, sharedEmailPage } from './share-page.ts'

const ONLY_ITSELF = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'SAMEORIGIN',
  'cache-control': 'private, no-store',
}
/**
 * The page has no scripts, and neither has the email: its frame takes on this policy and is of no origin. Pictures, fonts and styles of other
 * servers are not loaded, because they would tell the sender who opened the link, when and where.
 */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const STATUS_OF_GONE = 403

/** Emails behind signed links, for people: a page, and an error is a page as well. */
export const shareRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { links, repositories }) => {
  app.get('/share/:token', { config: { access: 'public' }, schema: { hide: true, params: LinkParams } }, async (request, reply) => {
    reply.headers({ ...ONLY_ITSELF, 'content-security-policy': PAGE_POLICY }).type('text/html; charset=utf-8')
    const email = await open(request.params.token)
    return email instanceof Failure ? reply.code(STATUS_OF_GONE).send(errorPage(email.message)) : reply.send(sharedEmailPage(email))
  })

  async function open(token: string) {
    try {
      const { emailId } = links.open('share', token)
      return (
        (await repositories.emails.findAcrossTeams(String(emailId))) ?? new Failure('invalidLink', 'This email does not exist any more.')
      )
    } catch (error) {
      if (error instanceof Failure) return error
      throw error
    }
  }
}
