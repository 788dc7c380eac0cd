// What the page of an email shows, read for the team of the session.
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import type { Session } from '../../modules/accounts/sessions/sessions.service.ts'
import type { BroadcastStatus } from '../../modules/broadcasts/broadcast-states.ts'
import type { EmailRow } from '../../modules/emails/emails.repository.ts'
import { hasRemoteImages } from '../../modules/sharing/frame/framed-html.ts'
import { findSender } from '../shell/senders.ts'
import { readMessageSource } from './email-message.ts'
import type { EmailPage, EmailView } from './email-page.ts'
import { relationsFor, type ShownRelations } from './email-relations.ts'
import type { Progress } from './email-standing.ts'
import type { BroadcastChoice } from './search-form.ts'

const NOTIFICATIONS_SHOWN_MAX = 200
/** The newest ones. The page of an older one leads to its emails, too. */
const BROADCASTS_OFFERED_MAX = 50
const UNSENT: ReadonlySet<BroadcastStatus> = new Set(['draft', 'scheduled'])

type Viewer = Pick<Session, 'teamId' | 'scopes'>

export function emailViews(context: Context) {
  const { repositories, clock } = context
  const { broadcasts, capturedEmails, emailRelations, emails, notifications } = repositories

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
    const told = await emailRelations.told(
      teamId,
      happenings.rows.map(({ id }) => id),
    )
    return { lastEvent, recipients, attempts, pending, notifications: happenings.rows, told, now: clock.now() }
  }

  async function relationsOf(teamId: string, emailId: string): Promise<ShownRelations> {
    const relations = await emailRelations.find(teamId, emailId)
    // It was removed meanwhile.
    if (!relations) throw notFound('Email')
    const { apiKeyId } = relations
    return { ...relations, sender: apiKeyId === null ? null : await findSender(repositories, teamId, apiKeyId) }
  }

  return {
    /** What is around a list. `sought`: the id of the broadcast that is looked for, as it was typed. */
    async frame(teamId: string, sought = ''): Promise<{ teamName: string; broadcasts: BroadcastChoice[] }> {
      const newest = await broadcasts.list(teamId, { limit: BROADCASTS_OFFERED_MAX, after: null, before: null })
      const offered = newest.rows.filter(({ status }) => !UNSENT.has(status)).map(({ id, name }) => ({ id, name }))
      const isOther = isId(sought) && offered.every(({ id }) => id !== sought.toLowerCase())
      const other = isOther ? await broadcasts.find(teamId, sought) : null
      return {
        teamName: (await repositories.teams.find(teamId))?.name ?? '',
        broadcasts: other === null ? offered : [{ id: other.id, name: other.name }, ...offered],
      }
    },

    async email(
      { teamId, scopes }: Viewer,
      id: string,
      wanted: { view?: EmailView | undefined; remote?: 'yes' | undefined } = {},
    ): Promise<EmailPage> {
      const email = await find(teamId, id)
      const view = wanted.view ?? (email.html === null ? 'text' : 'html')
      const attachments = await capturedEmails.attachmentsOf(teamId, email.id)
      const isComplete = attachments.every(({ blobKey }) => blobKey !== null)
      const needsSource = isComplete && (view === 'headers' || view === 'source')
      return {
        teamName: (await repositories.teams.find(teamId))?.name ?? '',
        relations: relationsFor({ scopes }, await relationsOf(teamId, email.id)),
        ...{ email, view, attachments, showsRemoteImages: wanted.remote === 'yes' },
        hasRemoteImages: view === 'html' && (await hasRemoteImages(context.gateways, teamId, email.html)),
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
