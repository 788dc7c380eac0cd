import type { Static } from '@sinclair/typebox'
import { EMAILS_SEARCHED_MAX } from '../../db/bounded-queries.ts'
import { hasFilter, searchedSentence, toTimeRange } from '../../http/list-filters.ts'
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toList, toSearchedList } from '../../http/resource.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { invalid, notFound } from '../../lib/failure.ts'
import { type Warning, warningCodes } from '../../lib/header-codes.ts'
import { type PageRequest, pageRequest } from '../../lib/page-request.ts'
import { quotedValue } from '../../lib/problem.ts'
import { contactAddress } from '../../mail/address-forms.ts'
import { canonicalDomain } from '../../mail/addresses.ts'
import { contentWarnings } from '../../mail/rendering/placeholder-look-alikes.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import type { SecretsContext } from '../secrets/secrets.context.ts'
import type { TemplatesContext } from '../templates/templates.context.ts'
import { acceptEmails } from './accept-email.service.ts'
import { explainEvent, UNEXPLAINED } from './email-explanations.ts'
import type { EmailSearch } from './email-searches.repository.ts'
import { LAST_EVENTS } from './email-states.ts'
import type { NotificationRow } from './email-timeline.repository.ts'
import type { EmailEvent } from './email-timeline.schema.ts'
import type { EmailsContext } from './emails.context.ts'
import type { EmailRow, EmailSummaryRow } from './emails.repository.ts'
import {
  EMAILS,
  Email,
  EmailBatch,
  EmailBatchHeaders,
  EmailBatchSent,
  EmailList,
  EmailListQuery,
  EmailParams,
  EmailReference,
  EmailSend,
  EmailSent,
  type EmailSummary,
  EmailUpdate,
  type Tag,
} from './emails.schema.ts'
import { fillTemplates } from './fill-templates.service.ts'
import { messageIdOf } from './message-ids.ts'
import { resendEmail } from './resend-email.service.ts'
import { cancelEmail, rescheduleEmail } from './scheduled-emails.service.ts'
import { checkedEntries, validateEmails } from './validate-emails.service.ts'

type Context = PlatformContext & AccountsContext & SecretsContext & DomainsContext & AudienceContext & TemplatesContext & EmailsContext

const operation = declareOperations(EMAILS)

export const emailBatchRoutes: Routes<Context> = async (app, { context }) => {
  app.post(
    '/emails/batch',
    operation({
      id: 'emails.send-batch',
      names: 'Template',
      summary: 'Send up to 100 emails',
      description:
        'Accepts up to 100 emails in one request, each in the form that `POST /emails` accepts, including attachments and templates. Either all emails are accepted or none; with `x-batch-validation: permissive`, all valid ones are.',
      access: 'sending',
      audit: 'people',
      isIdempotent: true,
      warns: true,
      headers: EmailBatchHeaders,
      body: EmailBatch,
      checksEntries: true,
      reply: { 200: EmailBatchSent },
      example: {
        body: [
          { from: 'Acme <hello@example.com>', to: 'delivered@simulator.test', subject: 'Your receipt', text: 'Thank you.' },
          { from: 'Acme <hello@example.com>', to: 'bounced@simulator.test', subject: 'Your receipt', text: 'Thank you.' },
        ],
        reply: { data: [{ id: EMAILS.example.id }, { id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c11' }] },
      },
    }),
    async ({ caller, body, headers, idempotencyKey, span }, { takeRoom, warn }) => {
      const entries = await fillTemplates(context, caller.teamId, { entries: checkedEntries(body), takeRoom })
      const validated = await validateEmails(context, caller, entries)
      const accepted = await acceptEmails(context, {
        mode: headers['x-batch-validation'] === 'permissive' ? 'valid' : 'all',
        holder: caller,
        validated,
        idempotency: idempotencyKey === null ? null : { operation: 'emails.send-batch', key: idempotencyKey, body },
        span,
      })
      warn(await contentWarnings(validated.drafts))
      return accepted
    },
  )
}

export const toEmailSummary = (row: EmailSummaryRow): Static<typeof EmailSummary> => ({
  object: 'email',
  id: row.id,
  message_id: messageIdOf(row),
  to: row.to,
  from: row.from,
  created_at: toTimestamp(row.createdAt),
  subject: row.subject,
  bcc: row.bcc,
  cc: row.cc,
  reply_to: row.replyTo,
  last_event: lastEvent(row.lastEvent),
  scheduled_at: toTimestamp(row.scheduledAt),
  topic_id: row.topicId,
})

export const toEmail = (row: EmailRow, warnings: readonly Warning[] = []): Static<typeof Email> => ({
  ...toEmailSummary(row),
  html: row.html,
  text: row.text,
  tags: tags(row.tags),
  template_id: row.templateId,
  template_version_id: row.templateVersionId,
  ...(warnings.length > 0 && { warnings: warningCodes(warnings) }),
})

export const toEmailEvent = (row: NotificationRow): Static<typeof EmailEvent> => ({
  id: row.id,
  type: row.type,
  to: row.data.to,
  detail: row.data.detail ?? null,
  ...(explainEvent(row.type, row.data.detail ?? null) ?? UNEXPLAINED),
  created_at: toTimestamp(row.createdAt),
})

function lastEvent(text: string): Static<typeof Email>['last_event'] {
  const known = LAST_EVENTS.find((event) => event === text)
  if (!known) throw new Error(`An email has the unknown last event ${text}`)
  return known
}

/** Stored as they were validated: a list of names and values. */
const tags = (stored: EmailRow['tags']): Static<typeof Tag>[] =>
  Array.isArray(stored)
    ? stored.flatMap((tag) =>
        tag !== null && typeof tag === 'object' && 'name' in tag && 'value' in tag
          ? [{ name: String(tag.name), value: String(tag.value) }]
          : [],
      )
    : []

export const emailRoutes: Routes<Context> = async (app, { context }) => {
  const { emailLines, emails } = context.repositories

  app.post(
    '/emails',
    operation({
      id: 'emails.send',
      names: 'Template',
      aliases: ['/email', '/emails/sending', '/email/sending'],
      summary: 'Send an email',
      description:
        "Accepts an email for delivery. The response is sent when the email is stored: from then on, a crash or restart of the service does not lose it. Track it with `GET /emails/{email_id}`. With `scheduled_at`, it is sent at that time. With `template`, its content is that of the template's published version; the response is a 404 if there is no such template.",
      access: 'sending',
      audit: 'people',
      isIdempotent: true,
      warns: true,
      body: EmailSend,
      reply: { 200: EmailSent },
      example: {
        body: {
          from: 'Acme <hello@example.com>',
          to: ['delivered@simulator.test'],
          subject: 'Your receipt',
          html: '<p>Thank you for your order.</p>',
        },
        reply: { id: EMAILS.example.id },
      },
    }),
    async ({ caller, body, idempotencyKey, span }, { takeRoom, warn }) => {
      const entries = await fillTemplates(context, caller.teamId, { entries: [{ input: body, template: null }], takeRoom })
      const validated = await validateEmails(context, caller, entries)
      const idempotency = idempotencyKey === null ? null : { operation: 'emails.send', key: idempotencyKey, body }
      const accepted = await acceptEmails(context, { mode: 'one', holder: caller, validated, idempotency, span })
      warn(await contentWarnings(validated.drafts))
      return accepted
    },
  )

  app.get(
    '/emails',
    operation({
      id: 'emails.list',
      summary: 'List emails',
      description: `Returns the emails of the team without their content, newest first, 20 by default. ${searchedSentence(EMAILS_SEARCHED_MAX)}`,
      access: 'full',
      audit: 'never',
      query: EmailListQuery,
      reply: { 200: EmailList },
      example: { reply: { object: 'list', has_more: false, data: [EMAILS.example] } },
    }),
    async ({ teamId, query }) => {
      const request = pageRequest(query, 'always')
      const search = emailSearch(query, request)
      if (search === null) return toList(await emails.list(teamId, request), toEmailSummary)
      const found = await emailLines.searchPage(teamId, search)
      return toSearchedList({ ...found, rows: await emails.listOfIds(teamId, found.rows) }, toEmailSummary)
    },
  )

  app.get(
    '/emails/:email_id',
    operation({
      id: 'emails.retrieve',
      summary: 'Retrieve an email',
      description: 'Returns an email as it was given, with its state (`last_event`).',
      access: 'full',
      audit: 'never',
      params: EmailParams,
      reply: { 200: Email },
      example: {
        reply: {
          ...EMAILS.example,
          html: '<p>Thank you for your order.</p>',
          text: null,
          tags: [{ name: 'category', value: 'receipt' }],
          template_id: null,
          template_version_id: null,
        },
      },
    }),
    async ({ teamId, params }, { takeRoom }) => {
      takeRoom((await emails.contentBytes(teamId, params.email_id)) ?? 0)
      const email = await emails.find(teamId, params.email_id)
      if (!email) throw notFound(EMAILS.noun)
      const shown = await context.asBroadcastEmail(email)
      return toEmail(shown, await contentWarnings([shown]))
    },
  )

  app.patch(
    '/emails/:email_id',
    operation({
      id: 'emails.update',
      summary: 'Reschedule an email',
      description: 'Changes the time of an email that is still scheduled.',
      access: 'full',
      audit: 'people',
      sends: true,
      params: EmailParams,
      body: EmailUpdate,
      reply: { 200: EmailReference },
      example: { body: { scheduled_at: 'in 1 hour' }, reply: { object: 'email', id: EMAILS.example.id } },
    }),
    async ({ teamId, params, body }) => {
      await rescheduleEmail(context, teamId, { id: params.email_id, scheduledAt: body.scheduled_at })
      return { object: 'email' as const, id: params.email_id.toLowerCase() }
    },
  )

  app.post(
    '/emails/:email_id/cancel',
    operation({
      id: 'emails.cancel',
      summary: 'Cancel an email',
      description: 'Cancels an email that is still scheduled. A canceled email stays canceled.',
      access: 'full',
      audit: 'people',
      params: EmailParams,
      reply: { 200: EmailReference },
      example: { reply: { object: 'email', id: EMAILS.example.id } },
    }),
    async ({ teamId, params }) => {
      await cancelEmail(context, teamId, params.email_id)
      return { object: 'email' as const, id: params.email_id.toLowerCase() }
    },
  )

  app.post(
    '/emails/:email_id/resend',
    operation({
      id: 'emails.resend',
      summary: 'Send an email again',
      description:
        'Sends the stored content of an email to its own recipients again, as a new email, at most once a minute. Recipients who are suppressed by now, or do not want its topic, are left out. An email that is scheduled, was canceled or is part of a broadcast is refused, and so is one whose content is no longer kept.',
      access: 'full',
      audit: 'people',
      scope: 'emails:resend',
      isIdempotent: true,
      params: EmailParams,
      reply: { 200: EmailSent },
      example: { reply: { id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c11' } },
    }),
    ({ caller, params, idempotencyKey, span }, { takeRoom }) =>
      resendEmail(context, caller, { emailId: params.email_id, idempotencyKey, span, takeRoom }),
  )
}

/**
 * Null if the query has no filter: then the list is not searched.
 *
 * @throws Failure `validation` about the first parameter that is wrong
 */
export function emailSearch(query: Static<typeof EmailListQuery>, request: PageRequest): EmailSearch | null {
  if (!hasFilter(query)) return null
  return {
    ...request,
    words: null,
    subject: query.subject ?? null,
    state: query.status ?? null,
    to: query.to === undefined ? null : parseRecipient(query.to),
    ...parseSender(query.from),
    broadcast: query.broadcast_id?.toLowerCase() ?? null,
    template: query.template_id?.toLowerCase() ?? null,
    tag: query.tag === undefined ? null : parseTag(query.tag),
    ...toTimeRange(query),
  }
}

export function parseRecipient(text: string): string {
  const address = contactAddress(text)
  if (typeof address !== 'string')
    throw invalid(`The \`to\` parameter must be an email address, such as ada@example.com.${quotedValue(text)}`)
  return address
}

/** An address, or a domain with all of its addresses. */
export function parseSender(text: string | undefined): { from: string | null; domain: string | null } {
  if (text === undefined) return { from: null, domain: null }
  const address = contactAddress(text)
  if (typeof address === 'string') return { from: address, domain: null }
  const domain = canonicalDomain(text)
  if (typeof domain === 'string') return { from: null, domain }
  throw invalid(`The \`from\` parameter must be an email address or a domain, such as ada@example.com or example.com.${quotedValue(text)}`)
}

/** No tag has an empty name or value: a search for one is a mistake, and not a list without emails. */
export function parseTag(tag: string): { name: string; value: string | null } {
  const [name = '', ...rest] = tag.split(':')
  const value = rest.length === 0 ? null : rest.join(':')
  if (name === '' || value === '')
    throw invalid(`The \`tag\` parameter must be the name of a tag, or \`name:value\`, such as category:receipt.${quotedValue(tag)}`)
  return { name, value }
}
