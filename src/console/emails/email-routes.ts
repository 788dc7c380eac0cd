// What a signed-in person can read: the list, an email, and the parts of both that update themselves.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { noteOf } from '../shell/notes.ts'
import { isFirstAgain, LINES_PER_PAGE, placeFields } from '../shell/pager.ts'
import { linesFragment } from './email-lines.ts'
import { EMAIL_VIEWS, emailPage } from './email-page.ts'
import { progressFragment } from './email-progress.ts'
import { searchOf } from './email-search.ts'
import { emailViews } from './email-views.ts'
import { listPage } from './list-page.ts'
import { FILTER_LENGTH_MAX, isSought, SOUGHT_STATES, type Sought, WORDS_LENGTH_MAX } from './search-form.ts'
import { searchPage } from './search-page.ts'

const FIRST_PAGE = { limit: LINES_PER_PAGE, after: null, before: null }
const access = 'public' as const

const Filter = Type.Optional(Type.String({ maxLength: FILTER_LENGTH_MAX, pattern: '^[^\\u0000]*$' }))
const ListQuery = Type.Object({
  /** Without NUL, which no text in the database has. */
  q: Type.Optional(Type.String({ maxLength: WORDS_LENGTH_MAX, pattern: '^[^\\u0000]*$' })),
  /** An unknown state means any. */
  state: Type.Optional(Type.String()),
  ...{ to: Filter, broadcast: Filter, domain: Filter, tag: Filter, since: Filter, until: Filter },
  ...placeFields,
})
const EmailParams = Type.Object({ id: Type.String() })
const EmailQuery = Type.Object({
  view: Type.Optional(Type.Union(EMAIL_VIEWS.map((view) => Type.Literal(view)))),
  remote: Type.Optional(Type.Literal('yes')),
  done: Type.Optional(Type.String()),
})

export const emailPageRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { repositories, publicUrl, clock } = context
  const { emailLines } = repositories
  const views = emailViews(context)

  app.get('/', { config: { access }, schema: { hide: true, querystring: ListQuery } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { after, before } = pageRequest(request.query, 'always')
    const now = clock.now()
    const sought = soughtIn(request.query)
    if (isSought(sought)) {
      const shown = { ...(await views.frame(teamId, sought.broadcast)), now, sought, after, publicUrl }
      const result = await attempt(async () => searchOf(sought))
      if ('problem' in result)
        return refuse(reply, result.problem).send(searchPage({ ...shown, findings: NO_FINDINGS, problem: result.problem }))
      const findings = await emailLines.search(teamId, { ...result.done, after, limit: LINES_PER_PAGE })
      return reply.send(searchPage({ ...shown, findings, problem: null }))
    }
    const page = await emailLines.list(teamId, { limit: LINES_PER_PAGE, after, before })
    if (isFirstAgain(page, before)) return reply.redirect('/console/emails', 303)
    return reply.send(listPage({ ...(await views.frame(teamId)), now, page, after: after ?? before, publicUrl }))
  })

  app.get('/lines', { config: { access }, schema: { hide: true } }, async (request, reply) => {
    return reply.sendPart(async () => {
      const { rows } = await emailLines.list(requireSession(request).teamId, FIRST_PAGE)
      return linesFragment(rows, { publicUrl, now: clock.now() })
    })
  })

  app.get('/:id', { config: { access }, schema: { hide: true, params: EmailParams, querystring: EmailQuery } }, async (request, reply) => {
    const { view, remote } = request.query
    const page = await views.email(requireSession(request), request.params.id, { view, remote })
    return reply.send(emailPage({ ...page, note: noteOf(NOTES, request.query) }))
  })

  app.get('/:id/progress', { config: { access }, schema: { hide: true, params: EmailParams } }, async (request, reply) =>
    reply.sendPart(async () => progressFragment(await views.progress(requireSession(request).teamId, request.params.id))),
  )
}

const NOTES: ReadonlyMap<string, string> = new Map([
  ['first', 'The email was accepted. Its progress is below.'],
  ['canceled', 'The email is canceled.'],
  ['rescheduled', 'The email has a new time.'],
])

const NO_FINDINGS = { rows: [], searchedMax: 0, next: null }

function soughtIn({
  q = '',
  state,
  to = '',
  broadcast = '',
  domain = '',
  tag = '',
  since = '',
  until = '',
}: Static<typeof ListQuery>): Sought {
  const typed = Object.entries({ to, broadcast, domain, tag, since, until }).map(([name, text]) => [name, text.trim()])
  const known = SOUGHT_STATES.find((one) => one === state) ?? ''
  return {
    words: q.trim(),
    state: known,
    ...(Object.fromEntries(typed) as Pick<Sought, 'to' | 'broadcast' | 'domain' | 'tag' | 'since' | 'until'>),
  }
}
