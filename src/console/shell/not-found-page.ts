// What a browser shows for a wrong address.
import { frontPage } from './front-page.ts'
import { notice } from './notice.ts'

const STATUS_OF_NOT_FOUND = 404
const STATUS_OF_NOT_ALLOWED = 405

/** Null for a status that is not about the address. */
export function notFoundPage(status: number): string | null {
  if (status === STATUS_OF_NOT_FOUND) return page('Page not found', 'There is nothing at this address.')
  if (status === STATUS_OF_NOT_ALLOWED)
    return page('Not a page', 'This address is for programs: it answers requests that a browser does not send.')
  return null
}

const page = (title: string, message: string): string =>
  frontPage({ title, main: notice({ title, message, way: { address: '/', name: 'Go to the home page' } }) })
