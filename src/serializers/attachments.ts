import type { Static } from '@sinclair/typebox'
import { toIso } from '../lib/timestamps.ts'
import type { AttachmentRow } from '../repositories/emails/attachments.ts'
import type { AttachmentItem } from '../schemas/attachments.ts'

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
