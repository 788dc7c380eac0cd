// The HTML of an email for people to look at. Long HTML is read in a thread.
import type { PlatformContext } from '../../../http/platform.context.ts'
import { isLong } from '../../../lib/main-thread.ts'
import { containedHtml, mentionsRemoteImages, SHOWN_LENGTH_MAX } from '../../../mail/html/contained-html.ts'
import type { ImageAddresses } from '../inline-images.routes.ts'

type Context = PlatformContext

export type FramedHtml = ReturnType<typeof containedHtml>

type Gateways = Pick<Context['gateways'], 'texts'>

/** See `containedHtml`. */
export async function framedHtml({ texts }: Gateways, teamId: string, html: string, addresses: ImageAddresses): Promise<FramedHtml> {
  const read = shownPart(html)
  if (isLong(read)) return texts.do(teamId, { kind: 'containedHtml', html: read, addresses })
  return containedHtml(read, (contentId) => addresses.get(contentId) ?? null)
}

/** See `mentionsRemoteImages`. */
export async function hasRemoteImages({ texts }: Gateways, teamId: string, html: string | null): Promise<boolean> {
  const read = shownPart(html ?? '')
  return isLong(read) ? texts.do(teamId, { kind: 'mentionsRemoteImages', html: read }) : mentionsRemoteImages(read)
}

/** One character more than is shown tells that there is more. */
const shownPart = (html: string): string => html.slice(0, SHOWN_LENGTH_MAX + 1)
