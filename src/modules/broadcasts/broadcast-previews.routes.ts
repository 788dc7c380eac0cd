import { type Caller, declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { invalid, notFound } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import type { TakeRoom } from '../../lib/limits/shared-room.ts'
import { asArray, contactReference } from '../../mail/address-forms.ts'
import { MESSAGE_BYTES_MAX } from '../../mail/attachments.ts'
import type { RenderedContact } from '../../mail/rendering/contact-placeholders.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import { lackingScope, mayRead } from '../accounts/scopes.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import { CONTACTS } from '../audience/contacts/contacts.schema.ts'
import type { AuditContext } from '../audit/audit.context.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import { acceptEmails } from '../emails/accept-email.service.ts'
import type { WrittenEmail } from '../emails/email-draft.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import { EMAILS } from '../emails/emails.schema.ts'
import { validateEmails } from '../emails/validate-emails.service.ts'
import type { BroadcastsContext } from './broadcasts.context.ts'
import type { BroadcastRow } from './broadcasts.repository.ts'
import {
  BROADCASTS,
  BroadcastParams,
  BroadcastPreviewed,
  BroadcastPreviewQuery,
  BroadcastTest,
  BroadcastTested,
} from './broadcasts.schema.ts'
import { findWarnings, toSentences } from './broadcasts.service.ts'

type Context = PlatformContext & AccountsContext & DomainsContext & AudienceContext & EmailsContext & AuditContext & BroadcastsContext

// Writes tests of a broadcast: emails as its recipients would get them, which do not count for it.

type Dependencies = Pick<Context, 'clock' | 'previewOf'>

export type TestOfBroadcast = {
  broadcast: BroadcastRow
  addresses: string[]
  /** Whose values are filled in; null: each address is someone without any. */
  contact: RenderedContact | null
  takeRoom: TakeRoom
}

/** One after the other, and as long as there is room. `ids`: of the emails, which stand in their links. */
export async function testsOfBroadcast(
  { clock, previewOf }: Dependencies,
  teamId: string,
  { broadcast, addresses, contact, takeRoom }: TestOfBroadcast,
): Promise<{ entries: WrittenEmail[]; ids: string[] }> {
  const ids: string[] = []
  const entries: WrittenEmail[] = []
  let left = MESSAGE_BYTES_MAX
  for (const address of addresses) {
    const emailId = createId(clock)
    const { subject, mail } = await previewOf({ teamId, emailId, broadcast, contact: contact ?? anonymousContact(address), address })
    const length = (mail.html?.length ?? 0) + (mail.text?.length ?? 0)
    left -= length
    if (left < 0) throw invalid(TOO_LONG)
    takeRoom(length)
    ids.push(emailId)
    entries.push({ input: { from: broadcast.from, to: address, subject, reply_to: broadcast.replyTo, ...mail }, template: null })
  }
  return { entries, ids }
}

export const anonymousContact = (email: string): RenderedContact => ({ email, firstName: null, lastName: null, properties: {} })

const TOO_LONG = `The emails of this test have more than ${MESSAGE_BYTES_MAX / 1024 / 1024} million characters together. Send it to fewer addresses.`

const operation = declareOperations(BROADCASTS)

export const broadcastPreviewRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories, previewOf } = context

  const { broadcasts, contacts } = repositories

  async function find(teamId: string, id: string): Promise<BroadcastRow> {
    const broadcast = await broadcasts.find(teamId, id)
    if (!broadcast) throw notFound(BROADCASTS.noun)
    return broadcast
  }

  /** Null if none is named. */
  async function contactNamed(holder: Caller, named: string | null): Promise<RenderedContact | null> {
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

  app.get(
    '/broadcasts/:broadcast_id/preview',
    operation({
      id: 'broadcasts.previews.retrieve',
      summary: 'Preview a broadcast',
      description:
        'Returns a broadcast with the values of a contact, as the contact would get it. To name a contact, an access token needs `contacts:read` too.',
      access: 'full',
      audit: 'never',
      params: BroadcastParams,
      query: BroadcastPreviewQuery,
      reply: { 200: BroadcastPreviewed },
      example: { reply: preview },
    }),
    async ({ caller, teamId, params, query }, { takeRoom }) => {
      const broadcast = await find(teamId, params.broadcast_id)
      const contact = (await contactNamed(caller, query.contact ?? null)) ?? anonymousContact('anyone@example.com')
      const shown = await previewOf({ teamId, emailId: null, broadcast, contact, address: contact.email })
      const { subject, html, text, previewText } = shown
      takeRoom((html?.length ?? 0) + (text?.length ?? 0))
      return {
        object: 'broadcast_preview' as const,
        subject,
        preview_text: previewText,
        html,
        text,
        warnings: toSentences(await findWarnings(context, teamId, broadcast)),
      }
    },
  )

  app.post(
    '/broadcasts/:broadcast_id/test',
    operation({
      id: 'broadcasts.test',
      summary: 'Send a test of a broadcast',
      description:
        'Sends a broadcast in any status to some addresses, with the values of a contact, for which an access token needs `contacts:read` too. The emails do not count for the broadcast. Their unsubscribe links are for the addresses to which they are sent.',
      access: 'full',
      audit: 'always',
      scope: 'broadcasts:send',
      shows: ['broadcasts'],
      warns: true,
      params: BroadcastParams,
      body: BroadcastTest,
      reply: { 200: BroadcastTested },
      example: {
        body: { to: ['delivered@simulator.test'] },
        reply: { object: 'broadcast', id: BROADCASTS.example.id, emails: [{ id: EMAILS.example.id }] },
      },
    }),
    async ({ caller, params, body }, { takeRoom, warn }) => {
      const broadcast = await find(caller.teamId, params.broadcast_id)
      const contact = await contactNamed(caller, body.contact ?? null)
      const { entries, ids } = await testsOfBroadcast(context, caller.teamId, { broadcast, addresses: asArray(body.to), contact, takeRoom })
      const validated = await validateEmails(context, caller, entries)
      const { data } = await acceptEmails(context, { mode: 'all', holder: caller, validated, ids, idempotency: null })
      warn(await findWarnings(context, caller.teamId, broadcast))
      return { object: 'broadcast' as const, id: broadcast.id, emails: data }
    },
  )
}
