// The home page for people, and the same as JSON for programs. It reveals nothing that a stranger may not know.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { wantsPage } from '../../../http/headers.ts'
import { sendFrontPage } from '../../../http/pages/front-page.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { homePage, PLACES } from './home-page.ts'

const LINKS = Object.fromEntries(PLACES.map(({ key, address }) => [key, address]))

export const homePages: FastifyPluginAsyncTypebox<PlatformContext> = async (app, { config }) => {
  app.get('/', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const { delivery } = config
    reply.headers({ vary: 'Accept', 'cache-control': 'no-store' })
    return wantsPage(request) ? sendFrontPage(reply, homePage(delivery)) : { name: 'Posthaste', delivery, links: LINKS }
  })
}
