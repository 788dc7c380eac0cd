import { buffer } from 'node:stream/consumers'
import type { Static } from '@sinclair/typebox'
import { RECEIVED_SEARCHED_MAX } from '../../db/bounded-queries.ts'
import { type Caller, declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toList, toSearchedList } from '../../http/resource.ts'
import { toIso, toTimestamp } from '../../lib/clock.ts'
import { notFound } from '../../lib/failure.ts'
import type { TakeRoom } from '../../lib/limits/shared-room.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { hasPersonalLink } from '../../lib/personal-links.ts'
import { WholeListQuery } from '../../lib/validation/common.schema.ts'
import { withImageAddresses } from '../../mail/html/contained-html.ts'
import { mayChangeContacts } from '../accounts/scopes.ts'
import { downloadLink } from '../secrets/download-links.service.ts'
import type { SecretsContext } from '../secrets/secrets.context.ts'
import { senderText } from './content/received-content.ts'
import { SENDER_VERDICTS } from './content/sender-verdicts.ts'
import type { InboundContext } from './inbound.context.ts'
import { filesWithPersonalLinks, type SearchedFile } from './personal-link-files.service.ts'
import type { ReceivedAttachmentRow, ReceivedEmailRow, ReceivedSummaryRow } from './received.repository.ts'
import {
  type HtmlFormat,
  INLINED_BYTES_MAX,
  RECEIVED_ATTACHMENTS,
  RECEIVED_EMAILS,
  ReceivedAttachment,
  type ReceivedAttachmentItem,
  ReceivedAttachmentList,
  ReceivedAttachmentParams,
  ReceivedEmail,
  ReceivedEmailDeletion,
  ReceivedEmailList,
  ReceivedEmailListQuery,
  ReceivedEmailParams,
  ReceivedEmailQuery,
  type ReceivedEmailSummary,
} from './received.schema.ts'

type Context = PlatformContext & SecretsContext & InboundContext

export type ReceivedLink = { url: string; expiresAt: Date }

type File = Static<typeof ReceivedEmailSummary>['attachments'][number]

export const toReceivedFile = (row: ReceivedAttachmentRow): File => ({
  id: row.id,
  filename: row.filename,
  content_type: row.contentType,
  content_disposition: row.contentDisposition === 'inline' || row.contentDisposition === 'attachment' ? row.contentDisposition : null,
  content_id: row.contentId,
  size: row.size,
})

const linkFields = ({ url, expiresAt }: ReceivedLink) => ({ download_url: url, expires_at: toIso(expiresAt) })

export const toReceivedAttachment = (row: ReceivedAttachmentRow, link: ReceivedLink | null): Static<typeof ReceivedAttachmentItem> => ({
  ...toReceivedFile(row),
  ...(link === null ? { download_url: null, expires_at: null } : linkFields(link)),
})

export const toReceivedSummary = (row: ReceivedSummaryRow): Static<typeof ReceivedEmailSummary> => ({
  id: row.id,
  to: row.to,
  from: senderText(row),
  created_at: toTimestamp(row.createdAt),
  subject: row.subject,
  bcc: row.bcc,
  cc: row.cc,
  reply_to: row.replyTo,
  message_id: row.messageId,
  received_for: row.receivedFor,
  attachments: row.attachments.map(toReceivedFile),
  problem: row.problem,
})

export const toReceivedEmail = (
  row: ReceivedEmailRow,
  { html, htmlFormat, raw }: { html: string | null; htmlFormat: HtmlFormat; raw: ReceivedLink | null },
): Static<typeof ReceivedEmail> => ({
  object: 'email',
  ...toReceivedSummary(row),
  html,
  html_format: htmlFormat,
  text: row.text,
  headers: headersOf(row.headers),
  authentication: authenticationOf(row),
  filter: row.filter,
  raw: raw && linkFields(raw),
  is_auto_reply: row.isAutoReply,
  in_reply_to_email_id: row.inReplyToEmailId,
  sent_email_id: row.sentEmailId,
})

const headersOf = (headers: unknown): Record<string, string> =>
  typeof headers === 'object' && headers !== null
    ? Object.fromEntries(Object.entries(headers).filter((header): header is [string, string] => typeof header[1] === 'string'))
    : {}

function authenticationOf({ spf, dkim, dmarc, arc }: ReceivedEmailRow): ReceivedEmail['authentication'] {
  if (spf === null || dkim === null || dmarc === null || arc === null) return null
  return { spf: verdictOf(spf), dkim: verdictOf(dkim), dmarc: verdictOf(dmarc), arc: verdictOf(arc) }
}

const verdictOf = (stored: string) => SENDER_VERDICTS.find((verdict) => verdict === stored) ?? 'unknown'

const receivedAttachmentsOperation = declareOperations(RECEIVED_ATTACHMENTS)
const receivedEmailsOperation = declareOperations(RECEIVED_EMAILS)

export const receivedAttachmentRoutes: Routes<Context> = async (app, { context }) => {
  const { receivedEmails } = context.repositories

  const withheldFrom = async (holder: Caller, rows: ReceivedAttachmentRow[]): Promise<Set<string>> =>
    mayChangeContacts(holder) ? new Set() : filesWithPersonalLinks(context, rows)

  const withLink = (row: ReceivedAttachmentRow, withheld: Set<string>) =>
    toReceivedAttachment(row, withheld.has(row.id) ? null : downloadLink(context, { receivedAttachmentId: row.id }))

  app.get(
    '/emails/receiving/:received_email_id/attachments',
    receivedAttachmentsOperation({
      id: 'emails.receiving.attachments.list',
      summary: 'List the attachments of a received email',
      description:
        'Returns the attachments of a received email, each with a signed link that is valid for one hour. The link is null for an access token without `contacts:write` if the file holds an unsubscribe link of this installation, may hold one as an attached message, or is too large to search.',
      access: 'full',
      audit: 'never',
      params: ReceivedEmailParams,
      query: WholeListQuery,
      reply: { 200: ReceivedAttachmentList },
      example: { reply: { object: 'list', has_more: false, data: [RECEIVED_ATTACHMENTS.example] } },
    }),
    async ({ caller, teamId, params, query }) => {
      const { received_email_id: emailId } = params
      if (!(await receivedEmails.has(teamId, emailId))) throw notFound(RECEIVED_EMAILS.noun)
      const page = await receivedEmails.attachments(teamId, emailId, pageRequest(query, 'optional'))
      const withheld = await withheldFrom(caller, page.rows)
      return toList(page, (row) => withLink(row, withheld))
    },
  )

  app.get(
    '/emails/receiving/:received_email_id/attachments/:received_attachment_id',
    receivedAttachmentsOperation({
      id: 'emails.receiving.attachments.retrieve',
      summary: 'Retrieve an attachment of a received email',
      description:
        'Returns an attachment of a received email, with a new signed link that is valid for one hour. The link is null for an access token without `contacts:write` if the file holds an unsubscribe link of this installation, may hold one as an attached message, or is too large to search.',
      access: 'full',
      audit: 'never',
      params: ReceivedAttachmentParams,
      reply: { 200: ReceivedAttachment },
      example: { reply: { object: 'attachment', ...RECEIVED_ATTACHMENTS.example } },
    }),
    async ({ caller, teamId, params }) => {
      const row = await receivedEmails.findAttachment(teamId, params.received_email_id, params.received_attachment_id)
      if (!row) throw notFound(RECEIVED_ATTACHMENTS.noun)
      return { object: 'attachment' as const, ...withLink(row, await withheldFrom(caller, [row])) }
    },
  )
}

// The HTML of a received email with its inline images within itself, because `cid:` leads nowhere outside of a mail program.

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

export const receivedEmailRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories, gateways, log } = context

  const { receivedEmails } = repositories

  app.get(
    '/emails/receiving',
    receivedEmailsOperation({
      id: 'emails.receiving.list',
      summary: 'List received emails',
      description: `Returns the emails that the team has received, newest first, without their content. An email is listed as soon as it has been read. With both \`to\` and \`from\`, one request looks at the ${RECEIVED_SEARCHED_MAX.toLocaleString('en')} newest emails to the address beyond the cursor. If it finds too few among them, \`has_more\` is true, and \`searched_to\` says where to go on, although there may be no more.`,
      access: 'full',
      audit: 'never',
      query: ReceivedEmailListQuery,
      reply: { 200: ReceivedEmailList },
      example: { reply: { object: 'list', has_more: false, data: [RECEIVED_EMAILS.example] } },
    }),
    async ({ teamId, query }) => {
      const filter = { to: query.to ?? null, from: query.from ?? null }
      return toSearchedList(await receivedEmails.list(teamId, filter, pageRequest(query, 'optional')), toReceivedSummary)
    },
  )

  app.get(
    '/emails/receiving/:received_email_id',
    receivedEmailsOperation({
      id: 'emails.receiving.retrieve',
      summary: 'Retrieve a received email',
      description: 'Returns a received email with its content, and with a signed link to the raw message that is valid for one hour.',
      access: 'full',
      audit: 'never',
      params: ReceivedEmailParams,
      query: ReceivedEmailQuery,
      reply: { 200: ReceivedEmail },
      example: {
        reply: {
          object: 'email',
          ...RECEIVED_EMAILS.example,
          html: '<p>Thank you!</p>',
          html_format: 'data_uri',
          text: 'Thank you!',
          headers: { from: 'Ada Lovelace <ada@example.org>', subject: 'Re: Your receipt' },
          authentication: { spf: 'pass', dkim: 'pass', dmarc: 'pass', arc: 'gray' },
          filter: { name: 'rspamd', verdict: 'clean', score: -1.2, detail: 'no action' },
          raw: {
            download_url: 'http://localhost:3000/downloads/1.eyJwYXlsb2FkIjp7fX0.Zm9yIGV4YW1wbGU',
            expires_at: '2026-11-20T10:30:00.123Z',
          },
          is_auto_reply: false,
          in_reply_to_email_id: null,
          sent_email_id: null,
        },
      },
    }),
    async ({ caller, teamId, params, query }, { takeRoom }) => {
      // Before the row is in memory.
      takeRoom((await receivedEmails.contentBytes(teamId, params.received_email_id)) ?? 0)
      const row = await receivedEmails.find(teamId, params.received_email_id)
      if (!row) throw notFound(RECEIVED_EMAILS.noun)
      const shown = await showReceivedHtml(context, row, { wanted: query.html_format ?? 'data_uri', takeRoom })
      const holdsLink = async (files: SearchedFile[]) => (await filesWithPersonalLinks(context, files)).size > 0
      // What was not read can hold a link too, and so can what is not shown, such as the second best of alternatives.
      const isWithheld =
        !mayChangeContacts(caller) &&
        (row.problem !== null || holdsPersonalLink(row) || (await holdsLink(row.attachments)) || (await holdsLink([rawFile(row)])))
      return toReceivedEmail(row, { ...shown, raw: isWithheld ? null : downloadLink(context, { receivedEmailId: row.id }) })
    },
  )

  app.delete(
    '/emails/receiving/:received_email_id',
    receivedEmailsOperation({
      id: 'emails.receiving.delete',
      summary: 'Delete a received email',
      description: 'Deletes a received email, its attachments, its raw message, and the data of its `email.received` event.',
      access: 'full',
      audit: 'people',
      params: ReceivedEmailParams,
      reply: { 200: ReceivedEmailDeletion },
      example: { reply: { object: 'email', id: RECEIVED_EMAILS.example.id, deleted: true } },
    }),
    async ({ teamId, params }) => {
      const { rows, blobKeys } = await receivedEmails.remove(teamId, params.received_email_id)
      if (rows === 0) throw notFound(RECEIVED_EMAILS.noun)
      // Rows before blobs: the sweep finds those that are left.
      for (const key of blobKeys)
        await gateways.blobs.remove(key).catch((error) => log.warn({ err: error, blobKey: key }, 'file of a received email not removed'))
      return { object: 'email' as const, id: params.received_email_id.toLowerCase(), deleted: true }
    },
  )
}

/** The raw message is never changed, so credentials that may not see such a link do not get it. */
const holdsPersonalLink = ({ html, text, headers, subject }: ReceivedEmailRow): boolean =>
  [html, text, subject, JSON.stringify(headers)].some((one) => one !== null && hasPersonalLink(one))

const rawFile = ({ id, blobKey, bytes }: ReceivedEmailRow): SearchedFile => ({
  id,
  blobKey,
  size: bytes,
  filename: null,
  contentType: '',
})
