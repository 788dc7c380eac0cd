// Whether a file of a received email may hold a link that changes what a person gets.
import type { PlatformContext } from '../../http/platform.context.ts'
import { Failure } from '../../lib/failure.ts'
import { hasPersonalLink, PERSONAL_LINK_LENGTH_MAX } from '../../lib/personal-links.ts'
import type { ReceivedAttachmentRow } from './received.repository.ts'

type Context = PlatformContext

/** What is read for one request. A file beyond is taken to hold a link. */
export const SEARCHED_BYTES_MAX = 32 * 1024 * 1024

/** Messages are encoded in parts, which are not read. */
const MESSAGE_NAME = /\.(?:eml|mht|mhtml|mbox|msg)$/i

/** A file of a received email, or its raw message, in which links in base64 are not found. */
export type SearchedFile = Pick<ReceivedAttachmentRow, 'id' | 'filename' | 'contentType' | 'size' | 'blobKey'>

/** The ids of the files that hold such a link, or may. */
export async function filesWithPersonalLinks(
  { gateways }: Pick<Context, 'gateways'>,
  files: readonly SearchedFile[],
): Promise<Set<string>> {
  const found = new Set<string>()
  let left = SEARCHED_BYTES_MAX
  for (const file of files) {
    if (isMessage(file) || file.size > left) {
      found.add(file.id)
      continue
    }
    left -= file.size
    if (await holdsLink(gateways.blobs, file.blobKey)) found.add(file.id)
  }
  return found
}

const isMessage = ({ contentType, filename }: SearchedFile): boolean =>
  contentType?.toLowerCase().startsWith('message/') === true || MESSAGE_NAME.test(filename ?? '')

async function holdsLink(blobs: Context['gateways']['blobs'], blobKey: string): Promise<boolean> {
  const content = await blobs.open(blobKey).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'notFound') return null
    throw error
  })
  // A lost file can hold anything.
  if (content === null) return true
  let end = ''
  for await (const chunk of content) {
    // Text of UTF-16 has a zero beside each letter of a link.
    const text = end + Buffer.from(chunk).toString('latin1').replaceAll('\0', '')
    if (hasPersonalLink(text)) return true
    end = text.slice(-PERSONAL_LINK_LENGTH_MAX)
  }
  return false
}
