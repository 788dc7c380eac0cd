import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import type { AttachmentRow } from '../repositories/emails/attachments.ts'
import { ATTACHMENTS, Attachment, AttachmentList, AttachmentParams } from '../schemas/attachments.ts'
import { WholeListQuery } from '../schemas/common.ts'
import { EMAILS, EmailParams } from '../schemas/emails.ts'
import { toAttachment } from '../serializers/attachments.ts'
import { toList } from '../serializers/list.ts'
import { downloadLink } from '../services/download-links.ts'
import { type Call, operation, routes } from './operation.ts'

export const emailAttachmentRoutes = routes(ATTACHMENTS, (context) => {
  const { repositories } = context

  async function list({ teamId, params, query }: Call<{ params: typeof EmailParams; query: typeof WholeListQuery }>) {
    if (!(await repositories.emails.has(teamId, params.email_id))) throw notFound(EMAILS.noun)
    return toList(await repositories.attachments.listOf(teamId, params.email_id, pageRequest(query, 'optional')), withLink)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof AttachmentParams }>) {
    const row = await repositories.attachments.find(teamId, params.email_id, params.attachment_id)
    if (!row) throw notFound(ATTACHMENTS.noun)
    return { object: 'attachment' as const, ...withLink(row) }
  }

  function withLink(row: AttachmentRow) {
    const link = downloadLink(context, { attachmentId: row.id })
    return toAttachment(row, row.blobKey === null ? { ...link, url: null } : link)
  }

  return [
    operation({
      id: 'emails.attachments.list',
      method: 'GET',
      path: '/emails/:email_id/attachments',
      summary: 'List the attachments of an email',
      description: 'Returns the attachments of an email, each with a signed link that is valid for one hour.',
      access: 'full',
      params: EmailParams,
      query: WholeListQuery,
      reply: AttachmentList,
      example: { reply: { object: 'list', has_more: false, data: [ATTACHMENTS.example] } },
      handle: list,
    }),
    operation({
      id: 'emails.attachments.retrieve',
      method: 'GET',
      path: '/emails/:email_id/attachments/:attachment_id',
      summary: 'Retrieve an attachment of an email',
      description: 'Returns an attachment of an email, with a new signed link that is valid for one hour.',
      access: 'full',
      params: AttachmentParams,
      reply: Attachment,
      example: { reply: { object: 'attachment', ...ATTACHMENTS.example } },
      handle: retrieve,
    }),
  ]
})
