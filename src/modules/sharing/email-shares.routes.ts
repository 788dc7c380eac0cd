// Links that show an email to anyone who has them.
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import { EMAILS, EmailParams, EmailShare, EmailShared } from '../emails/emails.schema.ts'
import type { InboundContext } from '../inbound/inbound.context.ts'
import type { SecretsContext } from '../secrets/secrets.context.ts'
import { shareEmail } from './email-shares.service.ts'

type Context = PlatformContext & SecretsContext & EmailsContext & InboundContext

const operation = declareOperations(EMAILS)

export const emailShareRoutes: Routes<Context> = async (app, { context }) => {
  app.post(
    '/emails/:email_id/share',
    operation({
      id: 'emails.share',
      summary: 'Share an email',
      description:
        'Creates a link to a page that shows an email, sent or received, to anyone who has the link. It is valid for at most 48 hours.',
      access: 'full',
      audit: 'people',
      givesOut: true,
      params: EmailParams,
      body: EmailShare,
      reply: { 200: EmailShared },
      example: {
        body: { expires_in: '2 hours' },
        reply: { object: 'email', id: EMAILS.example.id, url: 'http://localhost:3000/share/1.eyJwYXlsb2FkIjp7fX0.Zm9yIGV4YW1wbGU' },
      },
    }),
    async ({ teamId, params, body }) => {
      const url = await shareEmail(context, teamId, { id: params.email_id, expiresIn: body.expires_in ?? null })
      return { object: 'email' as const, id: params.email_id.toLowerCase(), url }
    },
  )
}
