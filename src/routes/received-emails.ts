import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { hasPersonalLink } from '../lib/personal-links.ts'
import { RECEIVED_SEARCHED_MAX } from '../lib/search-bounds.ts'
import type { ReceivedEmailRow } from '../repositories/inbound/received-emails.ts'
import { mayChangeContacts } from '../schemas/oauth-scopes.ts'
import {
  RECEIVED_EMAILS,
  ReceivedEmail,
  ReceivedEmailDeletion,
  ReceivedEmailList,
  ReceivedEmailListQuery,
  ReceivedEmailParams,
  ReceivedEmailQuery,
} from '../schemas/received-emails.ts'
import { toSearchedList } from '../serializers/list.ts'
import { toReceivedEmail, toReceivedSummary } from '../serializers/received-emails.ts'
import { downloadLink } from '../services/download-links.ts'
import { filesWithPersonalLinks, type SearchedFile } from '../services/personal-link-files.ts'
import { showReceivedHtml } from '../services/show-received-html.ts'
import { type Call, operation, routes } from './operation.ts'

export const receivedEmailRoutes = routes(RECEIVED_EMAILS, (context) => {
  const { repositories, gateways, log } = context
  const { receivedEmails } = repositories

  async function list({ teamId, query }: Call<{ query: typeof ReceivedEmailListQuery }>) {
    const filter = { to: query.to ?? null, from: query.from ?? null }
    return toSearchedList(await receivedEmails.list(teamId, filter, pageRequest(query, 'optional')), toReceivedSummary)
  }

  async function retrieve({
    holder,
    teamId,
    params,
    query,
    takeRoom,
  }: Call<{ params: typeof ReceivedEmailParams; query: typeof ReceivedEmailQuery }>) {
    // Before the row is in memory.
    takeRoom((await receivedEmails.contentBytes(teamId, params.received_email_id)) ?? 0)
    const row = await receivedEmails.find(teamId, params.received_email_id)
    if (!row) throw notFound(RECEIVED_EMAILS.noun)
    const shown = await showReceivedHtml(context, row, { wanted: query.html_format ?? 'data_uri', takeRoom })
    const holdsLink = async (files: SearchedFile[]) => (await filesWithPersonalLinks(context, files)).size > 0
    // What was not read can hold a link too, and so can what is not shown, such as the second best of alternatives.
    const isWithheld =
      !mayChangeContacts(holder) &&
      (row.problem !== null || holdsPersonalLink(row) || (await holdsLink(row.attachments)) || (await holdsLink([rawFile(row)])))
    return toReceivedEmail(row, { ...shown, raw: isWithheld ? null : downloadLink(context, { receivedEmailId: row.id }) })
  }

  async function remove({ teamId, params }: Call<{ params: typeof ReceivedEmailParams }>) {
    const { emails, blobKeys } = await receivedEmails.remove(teamId, params.received_email_id)
    if (emails === 0) throw notFound(RECEIVED_EMAILS.noun)
    // Rows before blobs: the sweep finds those that are left.
    for (const key of blobKeys)
      await gateways.blobs.remove(key).catch((error) => log.warn({ err: error, blobKey: key }, 'file of a received email not removed'))
    return { object: 'email' as const, id: params.received_email_id.toLowerCase(), deleted: true }
  }

  return [
    operation({
      id: 'emails.receiving.list',
      method: 'GET',
      path: '/emails/receiving',
      summary: 'List received emails',
      description: `Returns the emails that the team has received, newest first, without their content. An email is listed as soon as it has been read. With both \`to\` and \`from\`, one request looks at the ${RECEIVED_SEARCHED_MAX.toLocaleString('en')} newest emails to the address beyond the cursor. If it finds too few among them, \`has_more\` is true, and \`searched_to\` says where to go on, although there may be no more.`,
      access: 'full',
      query: ReceivedEmailListQuery,
      reply: ReceivedEmailList,
      example: { reply: { object: 'list', has_more: false, data: [RECEIVED_EMAILS.example] } },
      handle: list,
    }),
    operation({
      id: 'emails.receiving.retrieve',
      method: 'GET',
      path: '/emails/receiving/:received_email_id',
      summary: 'Retrieve a received email',
      description: 'Returns a received email with its content, and with a signed link to the raw message that is valid for one hour.',
      access: 'full',
      params: ReceivedEmailParams,
      query: ReceivedEmailQuery,
      reply: ReceivedEmail,
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
      handle: retrieve,
    }),
    operation({
      id: 'emails.receiving.delete',
      method: 'DELETE',
      path: '/emails/receiving/:received_email_id',
      summary: 'Delete a received email',
      description: 'Deletes a received email, its attachments, its raw message, and the data of its `email.received` event.',
      access: 'full',
      params: ReceivedEmailParams,
      reply: ReceivedEmailDeletion,
      example: { reply: { object: 'email', id: RECEIVED_EMAILS.example.id, deleted: true } },
      handle: remove,
    }),
  ]
})

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
