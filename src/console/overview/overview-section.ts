// The first page of the console, and its part that updates itself.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '../../context.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { firstEmailRoutes } from './first-email.ts'
import { OVERVIEW_EVERY_MS, overviewFragment, overviewPage } from './overview-page.ts'
import { overviewViews } from './overview-view.ts'

const options = { config: { access: 'public' as const }, schema: { hide: true } }

export const overviewSection: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const views = overviewViews(context)
  await app.register((forms) => firstEmailRoutes(forms, context), { prefix: '/first-email' })

  app.get('/', options, async (request, reply) => reply.send(overviewPage(await views.overview(requireSession(request).teamId))))

  app.get('/overview/progress', options, async (request, reply) =>
    reply.sendPart(async () => overviewFragment(await views.state(requireSession(request).teamId)), { everyMs: OVERVIEW_EVERY_MS }),
  )
}
