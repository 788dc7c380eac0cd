// Images inside emails, at signed addresses, because a frame without an origin sends no cookies.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { asDownload } from '../../http/headers.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { LinkParams } from '../../http/resource.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { notFound } from '../../lib/failure.ts'
import type { CapturedAttachmentRow } from '../emails/captured-emails.repository.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import type { InboundContext } from '../inbound/inbound.context.ts'
import type { SecretsContext } from '../secrets/secrets.context.ts'

type Context = PlatformContext & SecretsContext & EmailsContext & InboundContext

/** How long a person may look at an email before its images have to be requested again. */
const INLINE_IMAGE_MS = HOUR_MS
/** Image types that cannot run anything. Other types are a download. */
const INLINE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp', 'image/svg+xml'])

const INLINE_IMAGES = '/inline-images'

export type ShownEmail = {
  teamId: string
  emailId: string
  /** When the page expires, its images are no longer shown. Null if it never does. */
  expiresAt: Date | null
}

/** The address of each inline image of an email, by its content id. An address opens that one image, for at most an hour. */
export async function inlineImageAddresses(
  context: Pick<Context, 'repositories' | 'links' | 'clock'>,
  { teamId, emailId, expiresAt }: ShownEmail,
): Promise<ImageAddresses> {
  return addressesOf(context, { files: await context.repositories.capturedEmails.attachmentsOf(teamId, emailId), idAs: 'id', expiresAt })
}

/** Maps the images of a received email to their addresses. */
export const receivedImageAddresses = (
  context: Pick<Context, 'links' | 'clock'>,
  { files, expiresAt }: { files: readonly ImageFile[]; expiresAt: Date | null },
): ImageAddresses => addressesOf(context, { files, idAs: 'receivedId', expiresAt })

/** Maps content ids to addresses. */
export type ImageAddresses = ReadonlyMap<string, string>

export const NO_IMAGES: ImageAddresses = new Map()

type ImageFile = Pick<CapturedAttachmentRow, 'id' | 'contentId' | 'contentType' | 'blobKey'>

function addressesOf(
  { links, clock }: Pick<Context, 'links' | 'clock'>,
  { files, idAs, expiresAt }: { files: readonly ImageFile[]; idAs: 'id' | 'receivedId'; expiresAt: Date | null },
): ImageAddresses {
  const expiresAtMs = Math.min(clock.now().getTime() + INLINE_IMAGE_MS, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY)
  return new Map(
    files.flatMap(({ id, contentId, contentType, blobKey }): [string, string][] => {
      if (contentId === null || blobKey === null || !INLINE_TYPES.has(bareType(contentType))) return []
      return [[contentId.replace(/^<|>$/g, ''), `${INLINE_IMAGES}/${links.sign('inline-image', { [idAs]: id }, new Date(expiresAtMs))}`]]
    }),
  )
}

export const inlineImageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, { repositories, gateways, links }) => {
  app.get(
    `${INLINE_IMAGES}/:token`,
    { config: { access: 'public' }, schema: { hide: true, params: LinkParams } },
    async (request, reply) => {
      const { id, receivedId } = links.open('inline-image', request.params.token)
      const file =
        receivedId === undefined
          ? await repositories.attachments.findAcrossTeams(String(id))
          : await repositories.receivedEmails.findAttachmentAcrossTeams(String(receivedId))
      const type = bareType(file?.contentType ?? '')
      if (!file?.blobKey || !INLINE_TYPES.has(type)) throw notFound('Image')
      const content = await gateways.blobs.open(file.blobKey)
      return reply
        .headers({
          ...SHOWN_IN_PAGES_ONLY,
          'content-type': type,
          'content-length': file.size,
          'content-disposition': asDownload(file.filename ?? 'image'),
        })
        .send(content)
    },
  )
}

/** Opened alone it is a download, because an SVG as a page of its own can contact other servers. Pages still show it. */
const SHOWN_IN_PAGES_ONLY = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
}

const bareType = (contentType: string): string => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
