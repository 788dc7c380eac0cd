import type { PlatformContext } from '../../http/platform.context.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import type { SecretsContext } from './secrets.context.ts'

type Context = PlatformContext & SecretsContext

/** How long a link to a file works. Each call makes a new one. */
const DOWNLOAD_LINK_MS = HOUR_MS

export type DownloadLink = { url: string; expiresAt: Date }

type DownloadedFile = { attachmentId: string } | { receivedAttachmentId: string } | { receivedEmailId: string }

/** A signed link to a file. Anyone who has it can download the file. */
export function downloadLink(
  { links, clock, publicUrl }: Pick<Context, 'links' | 'clock' | 'publicUrl'>,
  file: DownloadedFile,
): DownloadLink {
  const expiresAt = new Date(clock.now().getTime() + DOWNLOAD_LINK_MS)
  return { url: `${publicUrl}/downloads/${links.sign('download', file, expiresAt)}`, expiresAt }
}
