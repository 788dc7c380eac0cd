// The home page for people, and the same as JSON for programs. It reveals nothing that a stranger may not know.
import type { FastifyPluginAsync } from 'fastify'
import type { Context } from '../../context.ts'
import { wantsPage } from '../../http/headers.ts'
import { PAGE_HEADERS } from '../../http/pages/document.ts'
import { homePage, PLACES } from './home-page.ts'

const LINKS = Object.fromEntries(PLACES.map(({ key, address }) => [key, address]))

export const homeRoutes: FastifyPluginAsync<Context> = async (app, { config }) => {
  app.get('/', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const { delivery } = config
    reply.headers({ vary: 'Accept', 'cache-control': 'no-store' })
    return wantsPage(request) ? reply.headers(PAGE_HEADERS).send(homePage(delivery)) : { name: 'Posthaste', delivery, links: LINKS }
  })
}
