import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { EMAILS_SEARCHED_MAX } from '../lib/search-bounds.ts'
import { contentWarnings } from '../mail/rendering/placeholder-look-alikes.ts'
import {
  EMAILS,
  Email,
  EmailList,
  EmailListQuery,
  EmailParams,
  EmailReference,
  EmailSend,
  EmailSent,
  EmailShare,
  EmailShared,
  EmailUpdate,
} from '../schemas/emails.ts'
import { searchedSentence } from '../schemas/list-filters.ts'
import { toEmail, toEmailSummary } from '../serializers/emails.ts'
import { toList, toSearchedList } from '../serializers/list.ts'
import { acceptEmails } from '../services/accept-email.ts'
import { fillTemplates } from '../services/fill-templates.ts'
import { judgeEmails } from '../services/judge-emails.ts'
import { emailSearch } from '../services/list-filters.ts'
import { cancelEmail, rescheduleEmail } from '../services/scheduled-emails.ts'
import { shareEmail } from '../services/share-email.ts'
import { type Call, operation, routes } from './operation.ts'

export const emailRoutes = routes(EMAILS, (context) => {
  const { emailLines, emails } = context.repositories

  async function send({ holder, body, idempotencyKey, takeRoom, warn, span }: Call<{ body: typeof EmailSend }>) {
    const entries = await fillTemplates(context, holder.teamId, { entries: [{ input: body, template: null }], takeRoom })
    const judged = await judgeEmails(context, holder, entries)
    const idempotency = idempotencyKey === null ? null : { operation: 'emails.send', key: idempotencyKey, body }
    const accepted = await acceptEmails(context, { mode: 'one', holder, judged, idempotency, span })
    warn(await contentWarnings(judged.drafts))
    return accepted
  }

  async function list({ teamId, query }: Call<{ query: typeof EmailListQuery }>) {
    const request = pageRequest(query, 'always')
    const sought = emailSearch(query, request)
    if (sought === null) return toList(await emails.list(teamId, request), toEmailSummary)
    const found = await emailLines.searchPage(teamId, sought)
    return toSearchedList({ ...found, rows: await emails.listOfIds(teamId, found.rows) }, toEmailSummary)
  }

  async function retrieve({ teamId, params, takeRoom }: Call<{ params: typeof EmailParams }>) {
    takeRoom((await emails.contentBytes(teamId, params.email_id)) ?? 0)
    const email = await emails.find(teamId, params.email_id)
    if (!email) throw notFound(EMAILS.noun)
    const shown = await context.asBroadcastEmail(email)
    return toEmail(shown, await contentWarnings([shown]))
  }

  async function update({ teamId, params, body }: Call<{ params: typeof EmailParams; body: typeof EmailUpdate }>) {
    await rescheduleEmail(context, teamId, { id: params.email_id, scheduledAt: body.scheduled_at })
    return { object: 'email' as const, id: params.email_id.toLowerCase() }
  }

  async function cancel({ teamId, params }: Call<{ params: typeof EmailParams }>) {
    await cancelEmail(context, teamId, params.email_id)
    return { object: 'email' as const, id: params.email_id.toLowerCase() }
  }

  async function share({ teamId, params, body }: Call<{ params: typeof EmailParams; body: typeof EmailShare }>) {
    const url = await shareEmail(context, teamId, { id: params.email_id, expiresIn: body.expires_in ?? null })
    return { object: 'email' as const, id: params.email_id.toLowerCase(), url }
  }

  return [
    operation({
      id: 'emails.send',
      names: 'Template',
      method: 'POST',
      path: '/emails',
      aliases: ['/email', '/emails/sending', '/email/sending'],
      summary: 'Send an email',
      description:
        "Accepts an email for delivery. The response is sent when the email is stored: from then on, a crash or restart of the service does not lose it. Track it with `GET /emails/{email_id}`. With `scheduled_at`, it is sent at that time. With `template`, its content is that of the template's published version; the answer is a 404 if there is no such template.",
      access: 'sending',
      isIdempotent: true,
      warns: true,
      body: EmailSend,
      reply: EmailSent,
      example: {
        body: {
          from: 'Acme <hello@example.com>',
          to: ['delivered@simulator.test'],
          subject: 'Your receipt',
          html: '<p>Thank you for your order.</p>',
        },
        reply: { id: EMAILS.example.id },
      },
      handle: send,
    }),
    operation({
      id: 'emails.list',
      method: 'GET',
      path: '/emails',
      summary: 'List emails',
      description: `Returns the emails of the team without their content, newest first, 20 by default. ${searchedSentence(EMAILS_SEARCHED_MAX)}`,
      access: 'full',
      query: EmailListQuery,
      reply: EmailList,
      example: { reply: { object: 'list', has_more: false, data: [EMAILS.example] } },
      handle: list,
    }),
    operation({
      id: 'emails.retrieve',
      method: 'GET',
      path: '/emails/:email_id',
      summary: 'Retrieve an email',
      description: 'Returns an email as it was given, with its state (`last_event`).',
      access: 'full',
      params: EmailParams,
      reply: Email,
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
      handle: retrieve,
    }),
    operation({
      id: 'emails.update',
      method: 'PATCH',
      path: '/emails/:email_id',
      summary: 'Reschedule an email',
      description: 'Changes the time of an email that is still scheduled.',
      access: 'full',
      sends: true,
      params: EmailParams,
      body: EmailUpdate,
      reply: EmailReference,
      example: { body: { scheduled_at: 'in 1 hour' }, reply: { object: 'email', id: EMAILS.example.id } },
      handle: update,
    }),
    operation({
      id: 'emails.cancel',
      method: 'POST',
      path: '/emails/:email_id/cancel',
      summary: 'Cancel an email',
      description: 'Cancels an email that is still scheduled. A canceled email stays canceled.',
      access: 'full',
      params: EmailParams,
      reply: EmailReference,
      example: { reply: { object: 'email', id: EMAILS.example.id } },
      handle: cancel,
    }),
    operation({
      id: 'emails.share',
      method: 'POST',
      path: '/emails/:email_id/share',
      summary: 'Share an email',
      description:
        'Creates a link to a page that shows an email, sent or received, to anyone who has the link. It is valid for at most 48 hours.',
      access: 'full',
      params: EmailParams,
      body: EmailShare,
      reply: EmailShared,
      example: {
        body: { expires_in: '2 hours' },
        reply: { object: 'email', id: EMAILS.example.id, url: 'http://localhost:3000/share/1.eyJwYXlsb2FkIjp7fX0.Zm9yIGV4YW1wbGU' },
      },
      handle: share,
    }),
  ]
})
