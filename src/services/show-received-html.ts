// The HTML of a received email with its inline images within itself, because `cid:` leads nowhere outside of a mail program.
import { buffer } from 'node:stream/consumers'
import type { Context } from '../context.ts'
import { withImageAddresses } from '../mail/html/cid-addresses.ts'
import type { ReceivedAttachmentRow, ReceivedEmailRow } from '../repositories/inbound/received-emails.ts'
import { type HtmlFormat, INLINED_BYTES_MAX } from '../schemas/received-emails.ts'

export type ShownHtml = { html: string | null; htmlFormat: HtmlFormat }

export async function showReceivedHtml(
  { gateways }: Pick<Context, 'gateways'>,
  { html, attachments }: Pick<ReceivedEmailRow, 'html' | 'attachments'>,
  wanted: HtmlFormat,
): Promise<ShownHtml> {
  if (html === null || wanted === 'cid') return { html, htmlFormat: wanted }
  const byId = new Map(attachments.flatMap((file) => (file.contentId === null ? [] : [[file.contentId, file] as const])))
  const ids = idsIn(html)
  const files = [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
  // An image that is shown twice is twice in the HTML.
  if (ids.reduce((sum, id) => sum + (byId.get(id)?.size ?? 0), 0) > INLINED_BYTES_MAX) return { html, htmlFormat: 'cid' }
  const uris = new Map<string, string>()
  for (const file of files) uris.set(String(file.contentId), await dataUri(gateways, file))
  return { html: withImageAddresses(html, (id) => uris.get(id) ?? null), htmlFormat: 'data_uri' }
}

/** Each as often as it is shown. */
function idsIn(html: string): string[] {
  const ids: string[] = []
  withImageAddresses(html, (id) => {
    ids.push(id)
    return null
  })
  return ids
}

async function dataUri({ blobs }: Context['gateways'], { contentType, blobKey }: ReceivedAttachmentRow): Promise<string> {
  const bytes = await buffer(await blobs.open(blobKey))
  return `data:${contentType};base64,${bytes.toString('base64')}`
}
