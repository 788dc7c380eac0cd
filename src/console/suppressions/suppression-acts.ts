// What a signed-in person can do: suppress addresses and remove them, as the API's operations do.
import { setImmediate } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { isId } from '../../lib/ids.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { addSuppressions, importSuppressions } from '../../modules/suppressions/suppressions.service.ts'
import { formProblem } from '../shell/form-problem.ts'
import { type Imported, suppressionListPage } from './list-page.ts'
import { ADDRESS } from './search-form.ts'
import { SuppressionParams } from './suppression-routes.ts'
import { FIRST_PAGE, suppressionViews } from './suppression-views.ts'

const access = 'public' as const

const AddForm = Type.Object({ email: Type.Optional(Type.String()) })
const ImportForm = Type.Object({ list: Type.Optional(Type.String()) })

/** Each is a line on the page. A list with more has another problem than its lines. */
const REFUSALS_SHOWN_MAX = 20

export const suppressionActRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { repositories, config } = context
  const views = suppressionViews(context)

  app.post('/', { config: { access }, schema: { hide: true, body: AddForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const typed = request.body.email ?? ''
    try {
      await addSuppressions(context, teamId, [{ field: 'email', text: typed }])
    } catch (error) {
      const problem = formProblem(error)
      if (problem === null) throw error
      return reply.code(problem.status).send(suppressionListPage({ ...(await views.list(teamId, FIRST_PAGE)), typed, problem }))
    }
    return reply.redirect(`${ADDRESS}?done=added`, 303)
  })

  app.post('/import', { config: { access }, schema: { hide: true, body: ImportForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const refusals: Imported['refusals'] = []
    const onRefused = (line: number, problem: string): void => {
      if (refusals.length < REFUSALS_SHOWN_MAX) refusals.push({ line, problem })
    }
    const { simulatorDomains } = config
    const list = piecesOf(request.body.list ?? '')
    const counts = await importSuppressions(repositories, teamId, list, { simulatorDomains, onRefused, howToName: NAME_COLUMN }).catch(
      (error) => {
        const problem = formProblem(error)
        if (problem === null) throw error
        // Nothing of the list was read.
        refusals.push({ line: 1, problem: problem.sentence })
        return { added: 0, existing: 0, refused: 1 }
      },
    )
    return reply.send(suppressionListPage({ ...(await views.list(teamId, FIRST_PAGE)), imported: { ...counts, refusals } }))
  })

  app.post('/:id/remove', { config: { access }, schema: { hide: true, params: SuppressionParams } }, async (request, reply) => {
    const { id } = request.params
    const removed = isId(id)
      ? await repositories.suppressions.deleteSuppression(requireSession(request).teamId, { id: id.toLowerCase() })
      : null
    return reply.redirect(`${ADDRESS}?done=${removed ? 'removed' : 'gone'}`, 303)
  })
}

const NAME_COLUMN = ' Call the column with the addresses `email`.'

/** Other requests are answered between them. */
const PIECE_LENGTH = 64 * 1024

async function* piecesOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += PIECE_LENGTH) {
    yield text.slice(at, at + PIECE_LENGTH)
    await setImmediate()
  }
}
