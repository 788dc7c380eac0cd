import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toList } from '../../http/resource.ts'
import { toIso, toTimestamp } from '../../lib/clock.ts'
import { notFound } from '../../lib/failure.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { EXAMPLE_TIME, ListQuery, WholeListQuery } from '../../lib/validation/common.schema.ts'
import { downloadLink } from '../secrets/download-links.service.ts'
import type { SecretsContext } from '../secrets/secrets.context.ts'
import type { AttemptRow } from './captured-emails.repository.ts'
import { explainAttempt, UNEXPLAINED } from './email-explanations.ts'
import {
  ATTACHMENTS,
  ATTEMPT_OUTCOMES,
  Attachment,
  type AttachmentItem,
  AttachmentList,
  AttachmentParams,
  type EmailAttempt,
  EmailAttemptList,
  EmailEventList,
} from './email-timeline.schema.ts'
import type { EmailsContext } from './emails.context.ts'
import type { AttachmentRow } from './emails.repository.ts'
import { toEmailEvent } from './emails.routes.ts'
import { EMAILS, EmailParams } from './emails.schema.ts'

type Context = PlatformContext & SecretsContext & EmailsContext

/** @param link where the file can be downloaded, and until when; the URL is null until the file has been fetched. */
export const toAttachment = (row: AttachmentRow, link: { url: string | null; expiresAt: Date }): Static<typeof AttachmentItem> => ({
  id: row.id,
  filename: row.filename,
  content_type: row.contentType,
  content_disposition: row.contentId === null ? 'attachment' : 'inline',
  ...(row.contentId !== null && { content_id: row.contentId }),
  size: row.size,
  download_url: link.url,
  expires_at: toIso(link.expiresAt),
})

const attachmentsOperation = declareOperations(ATTACHMENTS)
const emailsOperation = declareOperations(EMAILS)

export const emailAttachmentRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories } = context

  function withLink(row: AttachmentRow) {
    const link = downloadLink(context, { attachmentId: row.id })
    return toAttachment(row, row.blobKey === null ? { ...link, url: null } : link)
  }

  app.get(
    '/emails/:email_id/attachments',
    attachmentsOperation({
      id: 'emails.attachments.list',
      summary: 'List the attachments of an email',
      description: 'Returns the attachments of an email, each with a signed link that is valid for one hour.',
      access: 'full',
      audit: 'never',
      params: EmailParams,
      query: WholeListQuery,
      reply: { 200: AttachmentList },
      example: { reply: { object: 'list', has_more: false, data: [ATTACHMENTS.example] } },
    }),
    async ({ teamId, params, query }) => {
      if (!(await repositories.emails.has(teamId, params.email_id))) throw notFound(EMAILS.noun)
      return toList(await repositories.attachments.listOf(teamId, params.email_id, pageRequest(query, 'optional')), withLink)
    },
  )

  app.get(
    '/emails/:email_id/attachments/:attachment_id',
    attachmentsOperation({
      id: 'emails.attachments.retrieve',
      summary: 'Retrieve an attachment of an email',
      description: 'Returns an attachment of an email, with a new signed link that is valid for one hour.',
      access: 'full',
      audit: 'never',
      params: AttachmentParams,
      reply: { 200: Attachment },
      example: { reply: { object: 'attachment', ...ATTACHMENTS.example } },
    }),
    async ({ teamId, params }) => {
      const row = await repositories.attachments.find(teamId, params.email_id, params.attachment_id)
      if (!row) throw notFound(ATTACHMENTS.noun)
      return { object: 'attachment' as const, ...withLink(row) }
    },
  )
}

export const toEmailAttempt = (row: AttemptRow): Static<typeof EmailAttempt> => ({
  id: row.id,
  recipient: row.address,
  number: row.number,
  outcome: ATTEMPT_OUTCOMES.find((outcome) => outcome === row.outcome) ?? 'open',
  host: row.host,
  tls: row.tls,
  code: row.code,
  enhanced_code: row.enhancedCode,
  text: row.text,
  ...(explainAttempt(row) ?? UNEXPLAINED),
  duration_ms: row.durationMs,
  started_at: toTimestamp(row.startedAt),
})

export const emailAttemptRoutes: Routes<Context> = async (app, { context: { repositories } }) => {
  app.get(
    '/emails/:email_id/attempts',
    emailsOperation({
      id: 'emails.attempts.list',
      summary: 'List the attempts to deliver an email',
      description:
        'Returns the attempts to deliver an email and the replies of the mail servers, newest first. Attempts are kept as long as request logs.',
      access: 'full',
      audit: 'never',
      params: EmailParams,
      query: ListQuery,
      reply: { 200: EmailAttemptList },
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [
            {
              id: '0193a5c2-8100-7a2b-8c3d-4e5f60718293',
              recipient: 'ada@example.com',
              number: 1,
              outcome: 'delivered',
              host: 'mx.example.com',
              tls: 'TLSv1.3',
              code: 250,
              enhanced_code: '2.0.0',
              text: 'OK: queued',
              ...UNEXPLAINED,
              duration_ms: 184,
              started_at: EXAMPLE_TIME,
            },
          ],
        },
      },
    }),
    async ({ teamId, params, query }) => {
      if (!(await repositories.emails.has(teamId, params.email_id))) throw notFound(EMAILS.noun)
      return toList(await repositories.attempts.listOf(teamId, params.email_id, pageRequest(query, 'always')), toEmailAttempt)
    },
  )
}

export const emailEventRoutes: Routes<Context> = async (app, { context: { repositories } }) => {
  app.get(
    '/emails/:email_id/events',
    emailsOperation({
      id: 'emails.events.list',
      summary: 'List the events of an email',
      description: 'Returns the timeline of an email: what happened to it, newest first. Events are kept as long as request logs.',
      access: 'full',
      audit: 'never',
      params: EmailParams,
      query: ListQuery,
      reply: { 200: EmailEventList },
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [
            {
              id: '0193a5c2-8123-7c4d-9e5f-0a1b2c3d4e5f',
              type: 'email.delivered',
              to: ['delivered@simulator.test'],
              detail: null,
              ...UNEXPLAINED,
              created_at: EXAMPLE_TIME,
            },
          ],
        },
      },
    }),
    async ({ teamId, params, query }) => {
      if (!(await repositories.emails.has(teamId, params.email_id))) throw notFound(EMAILS.noun)
      return toList(await repositories.notifications.listOf(teamId, params.email_id, pageRequest(query, 'always')), toEmailEvent)
    },
  )
}
