// The message of an email of the team, with its header: to look at, and as a file.
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { asDownload } from '../../../http/headers.ts'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { requireScope } from '../../accounts/scopes.ts'
import type { DomainsContext } from '../../domains/domains.context.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import { EMAILS, EmailParams } from '../../emails/emails.schema.ts'
import type { TrackingContext } from '../../tracking/tracking.context.ts'
import { CONSOLE } from '../console.schema.ts'
import { openMessage, readMessageSource } from './email-message.service.ts'
import { EmailSource, SourceQuery } from './sources.schema.ts'

type Context = PlatformContext & DomainsContext & EmailsContext & TrackingContext

const operation = declareOperations(CONSOLE)

export const sourceRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/emails/:email_id/source',
    operation({
      id: 'emails.source.retrieve',
      summary: 'Retrieve the message of an email',
      description:
        'Returns the message of an email with its whole header, built as it is sent. `format=eml` returns it as a file, which shows the unsubscribe link of its contact: the role must be able to change subscriptions.',
      access: 'member',
      scope: 'emails:read',
      audit: 'never',
      params: EmailParams,
      query: SourceQuery,
      reply: { 200: EmailSource },
      example: {
        reply: {
          ...{ object: 'email_source', id: EMAILS.example.id, is_cut: false },
          text: 'From: Acme <hello@example.com>\r\nSubject: Your receipt\r\n\r\nThank you.',
        },
      },
    }),
    async ({ caller, teamId, params, query }, reply) => {
      const email = { teamId, emailId: params.email_id.toLowerCase() }
      if (query.format === 'eml') {
        requireScope(caller, 'contacts:subscriptions')
        return sendFile(reply, { name: `${email.emailId}.eml`, message: await openMessage(context, email) })
      }
      const { text, isCut } = await readMessageSource(context, email)
      return { object: 'email_source' as const, id: email.emailId, text, is_cut: isCut }
    },
  )
}

const sendFile = (reply: FastifyReply, { name, message }: { name: string; message: Buffer | Readable }): FastifyReply =>
  reply.type('message/rfc822').header('content-disposition', asDownload(name)).send(message)
