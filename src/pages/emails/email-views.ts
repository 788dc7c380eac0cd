// What the page of an email shows, read for the team of the session.
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import type { EmailRow } from '../../repositories/emails/emails.ts'
import { readMessageSource } from './email-message.ts'
import type { EmailPage, EmailView } from './email-page.ts'
import type { Progress } from './email-standing.ts'

const NOTIFICATIONS_SHOWN_MAX = 200

export function emailViews(context: Context) {
  const { repositories, clock } = context
  const { capturedEmails, emails, notifications } = repositories

  /** @throws Failure `notFound`, also for the email of another team. */
  async function find(teamId: string, id: string): Promise<EmailRow> {
    const found = isId(id) ? await emails.find(teamId, id) : null
    const email = found && (await context.asBroadcastEmail(found))
    if (!email) throw notFound('Email')
    return email
  }

  async function progressOf(teamId: string, { id: emailId, lastEvent }: Pick<EmailRow, 'id' | 'lastEvent'>): Promise<Progress> {
    // First, so that the reason for a recipient's state is present when the rest is read.
    const recipients = await capturedEmails.recipientsOf(teamId, emailId)
    const [attempts, pending, happenings] = await Promise.all([
      capturedEmails.attemptsOf(teamId, emailId),
      capturedEmails.pendingOf(teamId, emailId),
      notifications.listOf(teamId, emailId, { limit: NOTIFICATIONS_SHOWN_MAX, after: null, before: null }),
    ])
    return { lastEvent, recipients, attempts, pending, notifications: happenings.rows, now: clock.now() }
  }

  return {
    async email(teamId: string, id: string, wanted: { view?: EmailView | undefined; remote?: 'yes' | undefined } = {}): Promise<EmailPage> {
      const email = await find(teamId, id)
      const view = wanted.view ?? (email.html === null ? 'text' : 'html')
      const attachments = await capturedEmails.attachmentsOf(teamId, email.id)
      const isComplete = attachments.every(({ blobKey }) => blobKey !== null)
      const needsSource = isComplete && (view === 'headers' || view === 'source')
      return {
        teamName: (await repositories.teams.find(teamId))?.name ?? '',
        ...{ email, view, attachments, showsRemoteImages: wanted.remote === 'yes' },
        source: needsSource ? await readMessageSource(context, { teamId, emailId: email.id }) : null,
        progress: await progressOf(teamId, email),
        ...{ sharedUrl: null, typed: '', problem: null, note: '' },
      }
    },

    /** @throws Failure `notFound`, also for the email of another team. */
    async progress(teamId: string, id: string): Promise<Progress> {
      const lastEvent = isId(id) ? await capturedEmails.lastEventOf(teamId, id) : null
      if (lastEvent === null) throw notFound('Email')
      return progressOf(teamId, { id, lastEvent })
    },
  }
}
