import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import type { ReceivedAttachmentRow } from '../repositories/inbound/received-emails.ts'
import { ListQuery } from '../schemas/common.ts'
import {
  RECEIVED_ATTACHMENTS,
  RECEIVED_EMAILS,
  ReceivedAttachment,
  ReceivedAttachmentList,
  ReceivedAttachmentParams,
  ReceivedEmailParams,
} from '../schemas/received-emails.ts'
import { toList } from '../serializers/list.ts'
import { toReceivedAttachment } from '../serializers/received-emails.ts'
import { downloadLink } from '../services/download-links.ts'
import { type Call, operation, routes } from './operation.ts'

export const receivedAttachmentRoutes = routes(RECEIVED_ATTACHMENTS, (context) => {
  const { receivedEmails } = context.repositories

  async function list({ teamId, params, query }: Call<{ params: typeof ReceivedEmailParams; query: typeof ListQuery }>) {
    const { received_email_id: emailId } = params
    if (!(await receivedEmails.has(teamId, emailId))) throw notFound(RECEIVED_EMAILS.noun)
    return toList(await receivedEmails.attachments(teamId, emailId, pageRequest(query, 'optional')), withLink)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof ReceivedAttachmentParams }>) {
    const row = await receivedEmails.findAttachment(teamId, params.received_email_id, params.received_attachment_id)
    if (!row) throw notFound(RECEIVED_ATTACHMENTS.noun)
    return { object: 'attachment' as const, ...withLink(row) }
  }

  const withLink = (row: ReceivedAttachmentRow) => toReceivedAttachment(row, downloadLink(context, { receivedAttachmentId: row.id }))

  return [
    operation({
      id: 'emails.receiving.attachments.list',
      method: 'GET',
      path: '/emails/receiving/:received_email_id/attachments',
      summary: 'List the attachments of a received email',
      description: 'Returns the attachments of a received email, each with a signed link that is valid for one hour.',
      access: 'full',
      params: ReceivedEmailParams,
      query: ListQuery,
      reply: ReceivedAttachmentList,
      example: { reply: { object: 'list', has_more: false, data: [RECEIVED_ATTACHMENTS.example] } },
      handle: list,
    }),
    operation({
      id: 'emails.receiving.attachments.retrieve',
      method: 'GET',
      path: '/emails/receiving/:received_email_id/attachments/:received_attachment_id',
      summary: 'Retrieve an attachment of a received email',
      description: 'Returns an attachment of a received email, with a new signed link that is valid for one hour.',
      access: 'full',
      params: ReceivedAttachmentParams,
      reply: ReceivedAttachment,
      example: { reply: { object: 'attachment', ...RECEIVED_ATTACHMENTS.example } },
      handle: retrieve,
    }),
  ]
})
