// Shows HTML of mails in frames: the console hands it in, and gets an address that opens it once.
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../../http/operation.ts'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/failure.ts'
import { isId } from '../../../lib/ids.ts'
import { requireScope } from '../../accounts/scopes.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import { MEDIA } from '../../images/image-addresses.ts'
import type { InboundContext } from '../../inbound/inbound.context.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import { framedHtml, hasRemoteImages } from '../../sharing/frame/framed-html.ts'
import { type ImageAddresses, inlineImageAddresses, NO_IMAGES, receivedImageAddresses } from '../../sharing/inline-images.routes.ts'
import { withoutOwnTracking } from '../../tracking/own-tracking.ts'
import type { TrackingContext } from '../../tracking/tracking.context.ts'
import type { ConsoleContext } from '../console.context.ts'
import { CONSOLE } from '../console.schema.ts'
import { Preview, PreviewCreation } from './previews.schema.ts'

type Context = PlatformContext & SecretsContext & EmailsContext & TrackingContext & InboundContext & ConsoleContext

const operation = declareOperations(CONSOLE)

/** A page asks for it at once. */
export const PREVIEW_MS = 60_000
/** A team has no more at once. An older one is no longer there. */
export const PREVIEWS_MAX = 100

export const previewRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories, gateways, clock, trackingTokens, publicUrl } = context

  app.post(
    '/previews',
    operation({
      id: 'previews.create',
      summary: 'Show HTML of a mail',
      description:
        'Returns the address of a document for a frame, which shows HTML of a mail: without scripts and forms, and without images of other servers unless they are asked for. The address works once, for a minute. A team has at most 100 at a time; the oldest ends then.',
      access: 'member',
      audit: 'never',
      isLogged: false,
      body: PreviewCreation,
      reply: { 201: Preview },
      example: {
        body: { html: '<p>Thank you for your order.</p>' },
        reply: {
          ...{
            object: 'preview' as const,
            url: '/previews/0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10',
            expires_at: '2026-11-20 09:31:00.123000+00',
          },
          ...{ has_remote_images: false, is_cut: false },
        },
      },
    }),
    async ({ caller, body }, reply) => {
      const { teamId } = caller
      const now = clock.now()
      const mail = withoutOwnTracking(body.html, trackingTokens)
      const { html, isCut } = await framedHtml(gateways, teamId, mail, await addressesFor(caller, body))
      const id = randomUUID()
      await repositories.previews.add(
        teamId,
        { id, html, remoteImages: body.remote_images ?? false, createdAt: now },
        { expired: new Date(now.getTime() - PREVIEW_MS), max: PREVIEWS_MAX },
      )
      return reply.code(201).send({
        ...{ object: 'preview' as const, url: `/previews/${id}`, expires_at: toTimestamp(new Date(now.getTime() + PREVIEW_MS)) },
        ...{ has_remote_images: await hasRemoteImages(gateways, teamId, withoutOwnImages(mail)), is_cut: isCut },
      })
    },
  )

  app.get<{ Params: { id: string } }>(
    '/previews/:id',
    { config: { access: 'public' }, schema: { hide: true } },
    async ({ params, host }, reply) => {
      const found = isId(params.id)
        ? await repositories.previews.takeAcrossTeams(params.id, new Date(clock.now().getTime() - PREVIEW_MS))
        : null
      if (!found) throw notFound('Preview')
      return reply
        .headers({
          ...HEADERS,
          'content-security-policy': policyOf({ hosts: [host, new URL(publicUrl).host], loadsRemoteImages: found.remoteImages }),
        })
        .send(found.html)
    },
  )

  /** Images of the team are shown in any case, so no one is asked about them. */
  const withoutOwnImages = (html: string): string => html.replaceAll(`${publicUrl}${MEDIA}/`, 'cid:')

  async function addressesFor(
    caller: Caller,
    { email_id: emailId, received_email_id: receivedId }: { email_id?: string; received_email_id?: string },
  ): Promise<ImageAddresses> {
    const { teamId } = caller
    if (emailId !== undefined) {
      requireScope(caller, 'emails:read')
      return inlineImageAddresses(context, { teamId, emailId: emailId.toLowerCase(), expiresAt: null })
    }
    if (receivedId === undefined) return NO_IMAGES
    requireScope(caller, 'received-emails:read')
    const received = await repositories.receivedEmails.find(teamId, receivedId.toLowerCase())
    return receivedImageAddresses(context, { files: received?.attachments ?? [], expiresAt: null })
  }
}

/**
 * No script at all, no form, no origin. A link opens a tab of its own. Of this installation it loads copies of the images in the mail and images of teams, and nothing else.
 *
 * @param hosts by which the service is reached
 */
function policyOf({ hosts, loadsRemoteImages }: { hosts: string[]; loadsRemoteImages: boolean }): string {
  const own = [...new Set(hosts)].filter((host) => HOST.test(host)).map((host) => ` ${host}/inline-images/ ${host}/media/`)
  const images = `img-src data:${own.join('')}${loadsRemoteImages ? ' https: http:' : ''}`
  return `sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; ${images}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`
}

const HOST = /^[\w.-]+(?::\d{1,5})?$/

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
  'cache-control': 'private, no-store',
}
