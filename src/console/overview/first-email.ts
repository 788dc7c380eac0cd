// The first email of a new team, sent from the overview: the same as the command shown there sends, to an address that only simulates a recipient.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { takeForms } from '../../http/pages/document.ts'
import { CONSOLE } from '../../http/pages/paths.ts'
import { invalid } from '../../lib/failure.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { callerOf } from '../../modules/accounts/sessions/sessions.service.ts'
import { acceptEmails } from '../../modules/emails/accept-email.service.ts'
import { validateEmail } from '../../modules/emails/validate-emails.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { formIdOf } from '../shell/form-ids.ts'
import { overviewPage } from './overview-page.ts'
import { FIRST_EMAIL, overviewViews } from './overview-view.ts'

const access = 'public' as const
/** The id of a form. */
const FORM_BYTES_MAX = 1_024
/** Under which operation the keys of idempotency are those of forms. */
const OPERATION = 'console first email'
const FirstEmailForm = Type.Object({ form_id: Type.Optional(Type.String()) })

export const firstEmailRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = overviewViews(context)
  await takeForms(app, { bytesMax: FORM_BYTES_MAX })

  app.post('/', { config: { access }, schema: { hide: true, body: FirstEmailForm } }, async (request, reply) => {
    const session = requireSession(request)
    const { teamId } = session
    const view = await views.overview(teamId)
    const result = await attempt(async () => {
      const { from, to, isSimulated } = view.first
      if (from === null) throw invalid('Mail is sent from verified domains only. Add one first.')
      if (!isSimulated) throw invalid('No address simulates a recipient here. Send your first email by the command.')
      const formId = formIdOf(request.body, context.clock.now())
      // Only keys with full access have sessions.
      const holder = callerOf(session)
      const email = { from, to, ...FIRST_EMAIL }
      const validated = await validateEmail(context, holder, email)
      // The form is remembered by the statement that accepts the email. One that is sent again leads to the same email.
      const idempotency = formId === undefined ? null : { operation: OPERATION, key: formId, body: email }
      return acceptEmails(context, { mode: 'one', holder, validated, idempotency })
    })
    if ('done' in result) return reply.redirect(`${CONSOLE}/emails/${result.done.id}?done=first`, 303)
    return refuse(reply, result.problem).send(overviewPage({ ...view, problem: result.problem }))
  })

  // Where a refusal was shown: typing the address again leads back to the overview.
  app.get('/', { config: { access }, schema: { hide: true } }, async (_request, reply) => reply.redirect(CONSOLE, 303))
}
