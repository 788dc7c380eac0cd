import { invalid, notFound } from '../lib/failure.ts'
import { contactReference } from '../mail/audience/contact-addresses.ts'
import { asArray } from '../mail/email-draft.ts'
import type { RenderedContact } from '../mail/rendering/contact-placeholders.ts'
import type { BroadcastRow } from '../repositories/broadcasts/broadcasts.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'
import { BroadcastPreviewed, BroadcastPreviewQuery, BroadcastTest, BroadcastTested } from '../schemas/broadcast-previews.ts'
import { BROADCASTS, BroadcastParams } from '../schemas/broadcasts.ts'
import { CONTACTS } from '../schemas/contacts.ts'
import { EMAILS } from '../schemas/emails.ts'
import { lackingScope, mayRead } from '../schemas/oauth-scopes.ts'
import { acceptEmails } from '../services/accept-email.ts'
import { judgeEmails } from '../services/judge-emails.ts'
import { sentencesOf, warningsOf } from '../services/save-broadcast.ts'
import { nobodyAt, testsOfBroadcast } from '../services/write-broadcast-tests.ts'
import { type Call, operation, routes } from './operation.ts'

export const broadcastPreviewRoutes = routes(BROADCASTS, (context) => {
  const { repositories, previewOf } = context
  const { broadcasts, contacts } = repositories

  async function retrieve({
    holder,
    teamId,
    params,
    query,
    takeRoom,
  }: Call<{ params: typeof BroadcastParams; query: typeof BroadcastPreviewQuery }>) {
    const broadcast = await find(teamId, params.broadcast_id)
    const contact = (await contactNamed(holder, query.contact ?? null)) ?? nobodyAt('anyone@example.com')
    const shown = await previewOf({ teamId, emailId: null, broadcast, contact, address: contact.email })
    const { subject, html, text, previewText } = shown
    takeRoom((html?.length ?? 0) + (text?.length ?? 0))
    return {
      object: 'broadcast_preview' as const,
      subject,
      preview_text: previewText,
      html,
      text,
      warnings: sentencesOf(await warningsOf(context, teamId, broadcast)),
    }
  }

  async function test({ holder, params, body, takeRoom, warn }: Call<{ params: typeof BroadcastParams; body: typeof BroadcastTest }>) {
    const broadcast = await find(holder.teamId, params.broadcast_id)
    const contact = await contactNamed(holder, body.contact ?? null)
    const { entries, ids } = await testsOfBroadcast(context, holder.teamId, { broadcast, addresses: asArray(body.to), contact, takeRoom })
    const judged = await judgeEmails(context, holder, entries)
    const { data } = await acceptEmails(context, { mode: 'all', holder, judged, ids, idempotency: null })
    warn(await warningsOf(context, holder.teamId, broadcast))
    return { object: 'broadcast' as const, id: broadcast.id, emails: data }
  }

  async function find(teamId: string, id: string): Promise<BroadcastRow> {
    const broadcast = await broadcasts.find(teamId, id)
    if (!broadcast) throw notFound(BROADCASTS.noun)
    return broadcast
  }

  /** Null if none is named. */
  async function contactNamed(holder: KeyHolder, named: string | null): Promise<RenderedContact | null> {
    if (named === null) return null
    if (!mayRead(holder, 'contacts')) throw lackingScope('contacts:read')
    const reference = contactReference(named)
    if (!reference) throw invalid('The `contact` field must be the id or the address of a contact.')
    const contact = await contacts.find(holder.teamId, reference)
    if (!contact) throw notFound(CONTACTS.noun)
    return contact
  }

  const preview = {
    object: 'broadcast_preview' as const,
    subject: 'News for Ada',
    preview_text: 'What happened in November',
    html: '<p>Hello Ada!</p>',
    text: null,
    warnings: [],
  }

  return [
    operation({
      id: 'broadcasts.previews.retrieve',
      method: 'GET',
      path: '/broadcasts/:broadcast_id/preview',
      summary: 'Preview a broadcast',
      description:
        'Returns a broadcast with the values of a contact, as the contact would get it. To name a contact, an access token needs `contacts:read` too.',
      access: 'full',
      params: BroadcastParams,
      query: BroadcastPreviewQuery,
      reply: BroadcastPreviewed,
      example: { reply: preview },
      handle: retrieve,
    }),
    operation({
      id: 'broadcasts.test',
      method: 'POST',
      path: '/broadcasts/:broadcast_id/test',
      summary: 'Send a test of a broadcast',
      description:
        'Sends a broadcast in any status to some addresses, with the values of a contact, for which an access token needs `contacts:read` too. The emails do not count for the broadcast. Their unsubscribe links are for the addresses to which they are sent.',
      access: 'full',
      scope: 'emails:send',
      shows: ['broadcasts'],
      warns: true,
      params: BroadcastParams,
      body: BroadcastTest,
      reply: BroadcastTested,
      example: {
        body: { to: ['delivered@simulator.test'] },
        reply: { object: 'broadcast', id: BROADCASTS.example.id, emails: [{ id: EMAILS.example.id }] },
      },
      handle: test,
    }),
  ]
})
