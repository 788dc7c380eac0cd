// What to look at before a broadcast is sent: what is wrong with its content, and what sending it would be refused for.

import type { PlatformContext } from '../../http/platform.context.ts'
import { Failure } from '../../lib/failure.ts'
import { senderDomain } from '../../mail/addresses.ts'
import { checkSize } from '../../mail/checks/html-checks.ts'
import type { MailCheck } from '../../mail/checks/mail-checks.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { AuditContext } from '../audit/audit.context.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import { type CheckedMail, checkHtmlOf } from '../templates/template-checks.service.ts'
import { trackContent } from '../tracking/track-content.service.ts'
import type { TrackingContext } from '../tracking/tracking.context.ts'
import { broadcastRefusal } from './broadcast-quotas.service.ts'
import { statusesFor } from './broadcast-states.ts'
import type { BroadcastsContext } from './broadcasts.context.ts'
import type { BroadcastRow } from './broadcasts.repository.ts'
import { type BroadcastSender, findWarnings, refuseUnsendable } from './broadcasts.service.ts'

type Context = PlatformContext &
  AccountsContext &
  AuditContext &
  AudienceContext &
  DomainsContext &
  EmailsContext &
  TrackingContext &
  BroadcastsContext

export async function checkBroadcast(context: Context, sender: BroadcastSender, broadcast: BroadcastRow): Promise<CheckedMail> {
  const { teamId } = sender.holder
  const { html } = broadcast
  const warnings = (await findWarnings(context, teamId, broadcast)).map(
    ({ code, message, about = null }): MailCheck => ({ code, level: isRefused(context, code) ? 'error' : 'warning', message, about }),
  )
  const ofHtml = html === null ? [] : await checkHtmlOf(context.gateways.texts, teamId, html)
  const found = [...warnings, ...ofHtml]
  const refusals = statusesFor('update').includes(broadcast.status) ? await findRefusals(context, sender, { broadcast, found }) : []
  const htmlBytes = await sentBytes(context, teamId, broadcast)
  return { checks: [...refusals, ...found, ...checkSize(htmlBytes ?? 0)], htmlBytes }
}

/** What is a warning while one writes, and keeps the broadcast from being sent. */
const isRefused = ({ config }: Pick<Context, 'config'>, code: string): boolean =>
  code === 'placeholder_unknown' ||
  (config.senderPolicy === 'verified' && (code === 'domain_not_verified' || code === 'domain_not_registered'))

type Found = { broadcast: BroadcastRow; found: readonly MailCheck[] }

/** What else sending it now would be refused for. */
async function findRefusals(context: Context, sender: BroadcastSender, { broadcast, found }: Found): Promise<MailCheck[]> {
  if (found.some(({ code }) => isRefused(context, code))) return []
  const refusal = await refuseUnsendable(context, sender, broadcast).then(() => null, asFailure)
  if (refusal) return [{ code: 'sending_refused', level: 'error', message: refusal.message, about: null }]
  const beyond = await broadcastRefusal(context, sender.holder.teamId, broadcast)
  // A scheduled one is counted when it begins, under the limits of that day.
  return beyond
    ? [{ code: 'limit_exceeded', level: broadcast.status === 'draft' ? 'error' : 'warning', message: beyond.message, about: null }]
    : []
}

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  throw error
}

/** With the values of someone who has none, the hidden preview text, and tracked links. Null without HTML. */
async function sentBytes(context: Context, teamId: string, broadcast: BroadcastRow): Promise<number | null> {
  if (!broadcast.html) return null
  const contact = { email: 'anyone@example.com', firstName: null, lastName: null, properties: {} }
  const { mail } = await context.previewOf({ teamId, emailId: broadcast.id, broadcast, contact, address: contact.email })
  const { html, headers } = mail
  if (html === null) return null
  const { tracking } = await context.senderIdentityOf(teamId, senderDomain(broadcast.from))
  const email = { id: broadcast.id, teamId, html, headers, submitted: null }
  const tracked = tracking && (await trackContent(context, { email, recipientId: broadcast.id, tracking }))
  return Buffer.byteLength(tracked ?? html)
}
