import type { Context } from '../context.ts'
import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import type { AttachmentRow } from '../repositories/emails/attachments.ts'
import { Attachment, AttachmentList, AttachmentParams } from '../schemas/attachments.ts'
import { ListQuery } from '../schemas/common.ts'
import { EmailParams } from '../schemas/emails.ts'
import { toAttachment } from '../serializers/attachments.ts'
import { toList } from '../serializers/list.ts'
import { type Call, type Operation, operation } from './operation.ts'

const DOWNLOAD_LINK_MS = 60 * 60 * 1_000

export function emailAttachmentRoutes({ repositories, links, clock, publicUrl }: Context): Operation[] {
  async function list({ teamId, params, query }: Call<{ params: typeof EmailParams; query: typeof ListQuery }>) {
    if (!(await repositories.emails.has(teamId, params.email_id))) throw notFound('Email')
    return toList(await repositories.attachments.listOf(teamId, params.email_id, pageRequest(query, 'optional')), withLink)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof AttachmentParams }>) {
    const row = await repositories.attachments.find(teamId, params.email_id, params.attachment_id)
    if (!row) throw notFound('Attachment')
    return { object: 'attachment' as const, ...withLink(row) }
  }

  function withLink(row: AttachmentRow) {
    const expiresAt = new Date(clock.now().getTime() + DOWNLOAD_LINK_MS)
    const token = row.blobKey === null ? null : links.sign('download', { attachmentId: row.id }, expiresAt)
    return toAttachment(row, { url: token && `${publicUrl}/downloads/${token}`, expiresAt })
  }

  const example = {
    id: '0193a5c2-7d50-7e3b-8a41-6f0c2b9d7e55',
    filename: 'invoice.pdf',
    content_type: 'application/pdf',
    content_disposition: 'attachment' as const,
    size: 48_211,
    download_url: 'http://localhost:3000/downloads/1.eyJwYXlsb2FkIjp7fX0.Zm9yIGV4YW1wbGU',
    expires_at: '2026-11-20T10:30:00.123Z',
  }

  return [
    operation({
      id: 'emails.attachments.list',
      method: 'GET',
      path: '/emails/:email_id/attachments',
      tag: 'Emails',
      summary: 'List the attachments of an email',
      description: 'Returns the attachments of an email, each with a signed link that is valid for one hour.',
      access: 'full',
      params: EmailParams,
      query: ListQuery,
      reply: AttachmentList,
      example: { reply: { object: 'list', has_more: false, data: [example] } },
      handle: list,
    }),
    operation({
      id: 'emails.attachments.retrieve',
      method: 'GET',
      path: '/emails/:email_id/attachments/:attachment_id',
      tag: 'Emails',
      summary: 'Retrieve an attachment of an email',
      description: 'Returns an attachment of an email, with a new signed link that is valid for one hour.',
      access: 'full',
      params: AttachmentParams,
      reply: Attachment,
      example: { reply: { object: 'attachment', ...example } },
      handle: retrieve,
    }),
  ]
}
