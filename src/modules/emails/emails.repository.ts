// Emails as clients read, cancel and reschedule them; in SQL where one changes together with its deliveries, and where only the
// beginning of its content is read.
import { stored } from '../../db/columns.ts'
import { type Database, statement } from '../../db/database.ts'
import { beginTurn, endTurn, findEarlierAnswer, type Idempotency } from '../../db/idempotent-requests.ts'
import { append } from '../../db/outbox.ts'
import { readPage } from '../../db/page.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { createId } from '../../lib/ids.ts'
import type { NewNotification, NotificationData } from '../../lib/notifications.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { MergeValues } from '../../mail/rendering/contact-placeholders.ts'
import { returnCanceledAcrossTeams } from '../limits/quotas.repository.ts'
import { emailAcceptor } from './accept-emails.repository.ts'
import type { SendingNotificationType } from './email-timeline.schema.ts'

const columns = { id: true, filename: true, contentType: true, contentId: true, size: true, blobKey: true } as const

export type AttachmentRow = Prisma.AttachmentGetPayload<{ select: typeof columns }>
export function attachmentRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    listOf(teamId: string, emailId: string, request: PageRequest): Promise<Page<AttachmentRow>> {
      return readPage(request, ({ where, ...rest }) =>
        tables.attachment.findMany({ where: { teamId, emailId, ...where }, select: columns, ...rest }),
      )
    },
    find(teamId: string, emailId: string, id: string): Promise<AttachmentRow | null> {
      return tables.attachment.findFirst({ where: { teamId, emailId, id }, select: columns })
    },
    /** For signed links only, which name a file and no team. */
    findAcrossTeams(id: string): Promise<AttachmentRow | null> {
      return tables.attachment.findUnique({ where: { id }, select: columns })
    },
  }
}

const summary = {
  id: true,
  fromDomain: true,
  from: true,
  to: true,
  cc: true,
  bcc: true,
  replyTo: true,
  subject: true,
  lastEvent: true,
  scheduledAt: true,
  topicId: true,
  createdAt: true,
} as const
const whole = { ...summary, html: true, text: true, tags: true, templateId: true, templateVersionId: true } as const
const toResend = {
  ...{ fromDomain: true, from: true, to: true, cc: true, bcc: true, replyTo: true, subject: true, html: true, text: true, tags: true },
  ...{ topicId: true, templateId: true, templateVersionId: true, headers: true, contentBytes: true },
  ...{ state: true, isFetching: true, broadcastId: true },
} as const
const fileToResend = { filename: true, contentType: true, contentId: true, size: true, blobKey: true } as const
/** What the content of an email of a broadcast is made of. */
const ofBroadcast = { teamId: true, broadcastId: true, mergeValues: true } as const

export type EmailSummaryRow = Prisma.EmailGetPayload<{ select: typeof summary }>
export type EmailRow = Prisma.EmailGetPayload<{ select: typeof whole }>
/** Its content is that of the row only if it is not a part of a broadcast. */
export type StoredEmailRow = EmailRow & OfBroadcast
export type SharedEmailRow = EmailSummaryRow & Pick<EmailRow, 'html' | 'text'> & OfBroadcast
type OfBroadcast = { teamId: string; broadcastId: string | null; mergeValues: MergeValues | null }

/** `recipients`: the addresses to which it went, whatever its header says. */
export type EmailToResend = Omit<Prisma.EmailGetPayload<{ select: typeof toResend }>, 'headers' | 'tags'> & {
  headers: Record<string, string>
  tags: { name: string; value: string }[]
  recipients: string[]
  attachments: Omit<AttachmentRow, 'id'>[]
}

/** The result of canceling or rescheduling. */
export type ScheduleChange = 'changed' | 'missing' | 'not scheduled'

/** The notification of such a change. Its recipients are those of the email. */
export type ScheduleNotification = Omit<NewNotification<SendingNotificationType>, 'data'> &
  Pick<NotificationData<SendingNotificationType>, 'detail'>

const LENGTH = statement(
  'length of an email',
  'select coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0) as bytes from emails where team_id = $1 and id = $2',
)

export function emailRepository(
  database: Pick<Database, 'tables' | 'execute' | 'transaction'>,
  { simulatorDomains = [] }: { simulatorDomains?: readonly string[] } = {},
) {
  const { tables, execute, transaction } = database

  async function refusal(teamId: string, id: string): Promise<ScheduleChange> {
    return (await tables.email.count({ where: { teamId, id } })) > 0 ? 'not scheduled' : 'missing'
  }

  return {
    accept: emailAcceptor(database),

    findEarlierAnswer: (teamId: string, idempotency: Idempotency, now: Date): Promise<unknown> =>
      findEarlierAnswer(database, teamId, idempotency, now),

    list(teamId: string, request: PageRequest): Promise<Page<EmailSummaryRow>> {
      return readPage(request, ({ where, ...rest }) => tables.email.findMany({ where: { teamId, ...where }, select: summary, ...rest }))
    },

    /** Returns the ones of these ids that exist, newest first. */
    listOfIds(teamId: string, ids: string[]): Promise<EmailSummaryRow[]> {
      return tables.email.findMany({ where: { teamId, id: { in: ids } }, select: summary, orderBy: { id: 'desc' } })
    },

    async find(teamId: string, id: string): Promise<StoredEmailRow | null> {
      const row = await tables.email.findFirst({ where: { teamId, id }, select: { ...whole, ...ofBroadcast } })
      return row && { ...row, mergeValues: stored<MergeValues | null>(row.mergeValues) }
    },

    /** Reads its files in the order in which they were given. */
    async findToResend(teamId: string, id: string): Promise<EmailToResend | null> {
      const row = await tables.email.findFirst({ where: { teamId, id }, select: toResend })
      if (!row) return null
      const [recipients, attachments] = await Promise.all([
        tables.recipient.findMany({ where: { teamId, emailId: id }, select: { address: true }, orderBy: { id: 'asc' } }),
        tables.attachment.findMany({ where: { teamId, emailId: id }, select: fileToResend, orderBy: { position: 'asc' } }),
      ])
      return {
        ...{ ...row, recipients: recipients.map(({ address }) => address), attachments },
        headers: stored<Record<string, string> | null>(row.headers) ?? {},
        tags: stored<EmailToResend['tags'] | null>(row.tags) ?? [],
      }
    },

    /** Whether it may be sent again now: not within this time after the last. */
    beginResending: (teamId: string, id: string, { now, forMs }: { now: Date; forMs: number }): Promise<boolean> =>
      beginTurn(database, teamId, { operation: RESENDING, key: id }, { now, until: new Date(now.getTime() + forMs) }),

    /** It was not sent after all. */
    endResending: (teamId: string, id: string): Promise<void> => endTurn(database, teamId, { operation: RESENDING, key: id }),

    /** The bytes of its HTML and text, without reading them; null if the team has no such email. */
    async contentBytes(teamId: string, id: string): Promise<number | null> {
      const [row] = await execute<{ bytes: number }>(LENGTH, [teamId, id])
      return row?.bytes ?? null
    },

    /**
     * For signed links only, which name an email and no team. Reads only the beginning of its content, because anyone who has a link can request
     * it.
     */
    async findBeginningAcrossTeams(id: string, lengthMax: number): Promise<SharedEmailRow | null> {
      const [email, [content]] = await Promise.all([
        tables.email.findUnique({ where: { id }, select: { ...summary, ...ofBroadcast } }),
        execute<Pick<EmailRow, 'html' | 'text'>>('select left(html, $2) as html, left(text, $2) as text from emails where id = $1', [
          id,
          lengthMax,
        ]),
      ])
      return email && content ? { ...email, ...content, mergeValues: stored<MergeValues | null>(email.mergeValues) } : null
    },

    /** Whether the team has this email. */
    async has(teamId: string, id: string): Promise<boolean> {
      return (await tables.email.count({ where: { teamId, id } })) > 0
    },

    /** That the recipient of an email of a broadcast has unsubscribed by it: only the first time. */
    async recordUnsubscribed(teamId: string, emailId: string, now: Date): Promise<void> {
      await transaction(async (inside) => {
        const [email] = await inside<{ to: string[] }>(
          `update emails set unsubscribed_at = $3 where team_id = $1 and id = $2 and broadcast_id is not null and unsubscribed_at is null returning "to"`,
          [teamId, emailId, now],
        )
        if (email) await append(inside, [{ id: createId(), teamId, type: 'email.unsubscribed', subjectId: emailId, data: email }], now)
      })
    },

    /**
     * Cancels a scheduled email. The email row decides: a worker that has begun it has moved it out of `scheduled`. A fetch of its files that still
     * runs finds nothing left to complete.
     */
    async cancel(teamId: string, id: string, notification: ScheduleNotification, now: Date): Promise<ScheduleChange> {
      const wasChanged = await transaction(async (inside) => {
        const [email] = await inside<{ to: string[]; acceptedAt: Date }>(
          `update emails set state = 'canceled', last_event = 'canceled', is_fetching = false, final_at = $3
            where team_id = $1 and id = $2 and state = 'scheduled' returning created_at as "acceptedAt", ${RECIPIENTS} as "to"`,
          [teamId, id, now],
        )
        if (!email) return false
        await inside('delete from deliveries where id in (select id from recipients where email_id = $1) and leased_by is null', [id])
        await append(inside, [addressed(notification, email.to)], now)
        await returnCanceledAcrossTeams(inside, [{ teamId, ...email }], simulatorDomains)
        return true
      })
      return wasChanged ? 'changed' : refusal(teamId, id)
    },

    /** Changes the time of a scheduled email, and of its deliveries unless a worker has them. That worker reads the new time before it tries. */
    async reschedule(
      teamId: string,
      id: string,
      scheduledAt: Date,
      notification: ScheduleNotification,
      now: Date,
    ): Promise<ScheduleChange> {
      const wasChanged = await transaction(async (inside) => {
        const [email] = await inside<{ to: string[] }>(
          `update emails set scheduled_at = $3 where team_id = $1 and id = $2 and state = 'scheduled' returning ${RECIPIENTS} as "to"`,
          [teamId, id, scheduledAt],
        )
        if (!email) return false
        await inside(
          'update deliveries set due_at = $2, is_ready = false where id in (select id from recipients where email_id = $1) and leased_by is null',
          [id, scheduledAt],
        )
        await append(inside, [addressed(notification, email.to)], now)
        return true
      })
      return wasChanged ? 'changed' : refusal(teamId, id)
    },
  }
}

const RESENDING = 'emails.resend within a minute'

const RECIPIENTS = 'array(select address from recipients r where r.email_id = emails.id order by r.id)'

const addressed = ({ detail, ...notification }: ScheduleNotification, to: string[]): NewNotification<SendingNotificationType> => ({
  ...notification,
  data: { to, ...(detail && { detail }) },
})
