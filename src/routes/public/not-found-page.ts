import type { FastifyInstance } from 'fastify'
import { html } from '../../lib/html.ts'
import { PAGE_HEADERS, shell } from './page-shell.ts'
import { wantsPage } from './wanted-form.ts'

/** Where a browser is led whose address cannot even be routed. */
export const UNROUTABLE_ADDRESS = '/-'

const STATUS_OF_NOT_FOUND = 404
const STATUS_OF_NOT_ALLOWED = 405

/** A wrong address in a browser is a page with the way home. Programs keep their JSON. */
export function notFoundPages(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!request.is404 || !String(reply.getHeader('content-type')).startsWith('application/json')) return payload
    const page = pageOf(reply.statusCode)
    if (page === null) return payload
    reply.header('vary', 'Accept')
    if (!wantsPage(request)) return payload
    reply.headers({ ...PAGE_HEADERS, 'content-length': Buffer.byteLength(page) })
    return page
  })
}

/** Null: the answer is about something else than the address, such as a key that is not valid. */
function pageOf(status: number): string | null {
  if (status === STATUS_OF_NOT_FOUND) return notFoundPage('Page not found', 'There is nothing at this address.')
  if (status === STATUS_OF_NOT_ALLOWED)
    return notFoundPage('Not a page', 'This address is for programs: it takes requests that a browser does not send.')
  return null
}

const notFoundPage = (title: string, message: string): string =>
  shell({
    title,
    section: null,
    teamName: null,
    main: html`<section class="notice"><h1>${title}</h1><p>${message}</p><p><a class="button" href="/">Go to the home page</a></p></section>`,
  })
