import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import type { ReceivedAttachmentRow } from '../repositories/inbound/received-emails.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'
import { WholeListQuery } from '../schemas/common.ts'
import { mayChangeContacts } from '../schemas/oauth-scopes.ts'
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
import { filesWithPersonalLinks } from '../services/personal-link-files.ts'
import { type Call, operation, routes } from './operation.ts'

export const receivedAttachmentRoutes = routes(RECEIVED_ATTACHMENTS, (context) => {
  const { receivedEmails } = context.repositories

  async function list({ holder, teamId, params, query }: Call<{ params: typeof ReceivedEmailParams; query: typeof WholeListQuery }>) {
    const { received_email_id: emailId } = params
    if (!(await receivedEmails.has(teamId, emailId))) throw notFound(RECEIVED_EMAILS.noun)
    const page = await receivedEmails.attachments(teamId, emailId, pageRequest(query, 'optional'))
    const withheld = await withheldFrom(holder, page.rows)
    return toList(page, (row) => withLink(row, withheld))
  }

  async function retrieve({ holder, teamId, params }: Call<{ params: typeof ReceivedAttachmentParams }>) {
    const row = await receivedEmails.findAttachment(teamId, params.received_email_id, params.received_attachment_id)
    if (!row) throw notFound(RECEIVED_ATTACHMENTS.noun)
    return { object: 'attachment' as const, ...withLink(row, await withheldFrom(holder, [row])) }
  }

  const withheldFrom = async (holder: KeyHolder, rows: ReceivedAttachmentRow[]): Promise<Set<string>> =>
    mayChangeContacts(holder) ? new Set() : filesWithPersonalLinks(context, rows)

  const withLink = (row: ReceivedAttachmentRow, withheld: Set<string>) =>
    toReceivedAttachment(row, withheld.has(row.id) ? null : downloadLink(context, { receivedAttachmentId: row.id }))

  return [
    operation({
      id: 'emails.receiving.attachments.list',
      method: 'GET',
      path: '/emails/receiving/:received_email_id/attachments',
      summary: 'List the attachments of a received email',
      description:
        'Returns the attachments of a received email, each with a signed link that is valid for one hour. The link is null for an access token without `contacts:write` if the file holds an unsubscribe link of this installation, may hold one as an attached message, or is too large to search.',
      access: 'full',
      params: ReceivedEmailParams,
      query: WholeListQuery,
      reply: ReceivedAttachmentList,
      example: { reply: { object: 'list', has_more: false, data: [RECEIVED_ATTACHMENTS.example] } },
      handle: list,
    }),
    operation({
      id: 'emails.receiving.attachments.retrieve',
      method: 'GET',
      path: '/emails/receiving/:received_email_id/attachments/:received_attachment_id',
      summary: 'Retrieve an attachment of a received email',
      description:
        'Returns an attachment of a received email, with a new signed link that is valid for one hour. The link is null for an access token without `contacts:write` if the file holds an unsubscribe link of this installation, may hold one as an attached message, or is too large to search.',
      access: 'full',
      params: ReceivedAttachmentParams,
      reply: ReceivedAttachment,
      example: { reply: { object: 'attachment', ...RECEIVED_ATTACHMENTS.example } },
      handle: retrieve,
    }),
  ]
})
