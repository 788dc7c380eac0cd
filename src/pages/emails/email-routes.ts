// What a signed-in person can read: the list, an email, and the parts of both that update themselves.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { pageRequest } from '../../lib/page-request.ts'
import type { EmailRow } from '../../repositories/emails/emails.ts'
import { sessionOf } from '../session/session-gate.ts'
import { sendIfChanged } from '../shell/fragments.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import { linesFragment } from './email-lines.ts'
import { readMessageSource } from './email-message.ts'
import { EMAIL_VIEWS, emailPage } from './email-page.ts'
import { progressFragment } from './email-progress.ts'
import type { Progress } from './email-standing.ts'
import { listPage } from './list-page.ts'
import { SOUGHT_STATES, WORDS_LENGTH_MAX } from './search-form.ts'
import { searchPage } from './search-page.ts'

const NOTIFICATIONS_SHOWN_MAX = 200
const FIRST_PAGE = { limit: LINES_PER_PAGE, after: null, before: null }
const access = 'public' as const

const ListQuery = Type.Object({
  /** Without NUL, which no text in the database has. */
  q: Type.Optional(Type.String({ maxLength: WORDS_LENGTH_MAX, pattern: '^[^\\u0000]*$' })),
  /** An unknown state means any. */
  state: Type.Optional(Type.String()),
  after: Type.Optional(Type.String({ format: 'uuid' })),
  before: Type.Optional(Type.String({ format: 'uuid' })),
})
const EmailParams = Type.Object({ id: Type.String() })
const EmailQuery = Type.Object({
  view: Type.Optional(Type.Union(EMAIL_VIEWS.map((view) => Type.Literal(view)))),
  remote: Type.Optional(Type.Literal('yes')),
})

export const emailPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { repositories, publicUrl, clock } = context
  const { capturedEmails, emails, emailLines, notifications } = repositories

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const { teamId } = sessionOf(request)
    const { after, before } = pageRequest(request.query, 'always')
    const now = clock.now()
    const sought = { words: (request.query.q ?? '').trim(), state: SOUGHT_STATES.find((state) => state === request.query.state) ?? '' }
    if (sought.words !== '' || sought.state !== '') {
      const findings = await emailLines.search(teamId, {
        words: sought.words || null,
        state: sought.state || null,
        after,
        limit: LINES_PER_PAGE,
      })
      return reply.send(searchPage({ teamName: await teamName(teamId), now, sought, after, findings, publicUrl }))
    }
    const page = await emailLines.list(teamId, { limit: LINES_PER_PAGE, after, before })
    // Nothing is newer than this page, so it is the first one, which has its own address.
    if (before !== null && !page.hasMore) return reply.redirect('/console/emails', 303)
    // Between two pages there are always older emails.
    const shown = before === null ? page : { ...page, hasMore: true }
    return reply.send(listPage({ teamName: await teamName(teamId), now, page: shown, after: after ?? before, publicUrl }))
  })

  app.get('/lines', { config: { access }, schema: { hide: true } }, async (request, reply) => {
    const { rows } = await emailLines.list(sessionOf(request).teamId, FIRST_PAGE)
    return sendIfChanged(request, reply, linesFragment(rows, { publicUrl, now: clock.now() }))
  })

  app.get('/:id', { config: { access }, schema: { hide: true, params: EmailParams, querystring: EmailQuery } }, async (request, reply) => {
    const { teamId } = sessionOf(request)
    const email = await findEmail(teamId, request.params.id)
    const view = request.query.view ?? (email.html === null ? 'text' : 'html')
    const files = await capturedEmails.attachmentsOf(teamId, email.id)
    const isComplete = files.every(({ blobKey }) => blobKey !== null)
    const needsSource = isComplete && (view === 'headers' || view === 'source')
    return reply.send(
      emailPage({
        teamName: await teamName(teamId),
        email,
        view,
        showsRemoteImages: request.query.remote === 'yes',
        source: needsSource ? await readMessageSource(context, { teamId, emailId: email.id }) : null,
        attachments: files,
        progress: await progressOf(teamId, email),
      }),
    )
  })

  app.get('/:id/progress', { config: { access }, schema: { hide: true, params: EmailParams } }, async (request, reply) => {
    const { teamId } = sessionOf(request)
    const { id } = request.params
    const lastEvent = isId(id) ? await capturedEmails.lastEventOf(teamId, id) : null
    if (lastEvent === null) throw notFound('Email')
    return sendIfChanged(request, reply, progressFragment(await progressOf(teamId, { id, lastEvent })))
  })

  async function findEmail(teamId: string, id: string): Promise<EmailRow> {
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

  const teamName = async (teamId: string): Promise<string> => (await repositories.teams.find(teamId))?.name ?? ''
}
