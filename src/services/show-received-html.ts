// The HTML of a received email with its inline images within itself, because `cid:` leads nowhere outside of a mail program.
import { buffer } from 'node:stream/consumers'
import type { Context } from '../context.ts'
import type { TakeRoom } from '../lib/limits/shared-room.ts'
import { withImageAddresses } from '../mail/html/cid-addresses.ts'
import type { ReceivedAttachmentRow, ReceivedEmailRow } from '../repositories/inbound/received-emails.ts'
import { type HtmlFormat, INLINED_BYTES_MAX } from '../schemas/received-emails.ts'

export type ShownHtml = { html: string | null; htmlFormat: HtmlFormat }

/** Images that run nothing. An SVG can hold scripts and links. */
const INLINED_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/jpg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']

/** @param takeRoom for the HTML with its images. */
export async function showReceivedHtml(
  { gateways }: Pick<Context, 'gateways'>,
  { html, attachments }: Pick<ReceivedEmailRow, 'html' | 'attachments'>,
  { wanted, takeRoom }: { wanted: HtmlFormat; takeRoom: TakeRoom },
): Promise<ShownHtml> {
  if (html === null || wanted === 'cid') return { html, htmlFormat: wanted }
  const images = new Map(attachments.flatMap((file) => (isInlined(file) ? [[file.contentId, file] as const] : [])))
  const shown = shownIn(html, images)
  if (shown.length > INLINED_BYTES_MAX) return { html, htmlFormat: 'cid' }
  takeRoom(shown.length)
  const uris = new Map<string, string>()
  for (const id of shown.ids) {
    const image = images.get(id)
    if (image) uris.set(id, await dataUri(gateways, image))
  }
  return { html: withImageAddresses(html, (id) => uris.get(id) ?? null), htmlFormat: 'data_uri' }
}

const isInlined = (file: ReceivedAttachmentRow): file is ReceivedAttachmentRow & { contentId: string } =>
  file.contentId !== null && INLINED_TYPES.includes(file.contentType)

/** The images that the HTML refers to, and its length with them: an image that is shown twice is twice in it. */
function shownIn(html: string, images: ReadonlyMap<string, ReceivedAttachmentRow>): { ids: Set<string>; length: number } {
  const ids = new Set<string>()
  let length = html.length
  withImageAddresses(html, (id) => {
    const image = images.get(id)
    if (image) {
      ids.add(id)
      length += uriLength(image)
    }
    return null
  })
  return { ids, length }
}

const prefixOf = ({ contentType }: ReceivedAttachmentRow): string => `data:${contentType};base64,`

const uriLength = (image: ReceivedAttachmentRow): number => prefixOf(image).length + 4 * Math.ceil(image.size / 3)

async function dataUri({ blobs }: Context['gateways'], image: ReceivedAttachmentRow): Promise<string> {
  const bytes = await buffer(await blobs.open(image.blobKey))
  return `${prefixOf(image)}${bytes.toString('base64')}`
}
