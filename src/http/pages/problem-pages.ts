// What a browser shows instead of a page: nothing at the address, or an error.
import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { type FrontPage, frontPageHeaders, frontPageText } from './front-page.ts'
import { CONSOLE } from './paths.ts'

const STATUS_OF_NOT_FOUND = 404
const STATUS_OF_NOT_ALLOWED = 405
const STATUS_OF_ERRORS = 400

export const NOT_FOUND_HEADERS = frontPageHeaders({})

/** Null for a status that is not about the address. */
export function notFoundPage(status: number): string | null {
  if (status === STATUS_OF_NOT_FOUND) return frontPageText(problemPage({ title: 'Page not found', message: NOTHING_THERE, way: HOME }))
  if (status === STATUS_OF_NOT_ALLOWED)
    return frontPageText(
      problemPage({
        title: 'Not a page',
        message: 'This address is for programs: it answers requests that a browser does not send.',
        way: HOME,
      }),
    )
  return null
}

/** An error of these routes whose sentence was written for programs becomes a page with the same status and the same sentence. */
export function problemPages(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const { statusCode } = reply
    if (statusCode < STATUS_OF_ERRORS || typeof payload !== 'string' || !isJson(reply.getHeader('content-type'))) return payload
    const { message } = JSON.parse(payload) as { message: string }
    const page = problemPage({ title: TITLES[statusCode] ?? 'This did not work', message, way: TO_CONSOLE, requestId: request.id })
    const text = frontPageText(page)
    reply.headers({ ...frontPageHeaders(page), 'content-length': Buffer.byteLength(text) })
    return text
  })
}

type Problem = { title: string; message: string; way: { address: string; name: string }; requestId?: string }

const problemPage = ({ title, message, way, requestId }: Problem): FrontPage => ({
  title,
  main: html`<h1>${title}</h1>
<p>${message}</p>
${requestId === undefined ? '' : html`<p>Request <code>${requestId}</code></p>`}
<p><a href="${way.address}">${way.name}</a></p>`,
})

const NOTHING_THERE = 'There is nothing at this address.'
const HOME = { address: '/', name: 'Go to the home page' }
const TO_CONSOLE = { address: CONSOLE, name: 'Go to the console' }

const TITLES: Partial<Record<number, string>> = {
  403: 'Not allowed',
  404: 'Not found',
  422: 'Not valid',
  429: 'Too many requests',
  503: 'Not available at the moment',
}

const isJson = (type: unknown): boolean => typeof type === 'string' && type.startsWith('application/json')
