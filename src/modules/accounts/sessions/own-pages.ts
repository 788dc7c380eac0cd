// Which requests may use the session of a person: those that a page of this installation has sent. A form, an image or a link of another site sends
// the cookie too, where the browser lets it, but neither the header nor the origin.
import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../../../lib/failure.ts'
import { isThisMachine } from '../../../lib/peer-addresses.ts'

/** Another site cannot send it without asking first (CORS), which is never allowed. */
const CONSOLE_HEADER = 'posthaste-console'

type BrowserRequest = { method: string; headers: IncomingHttpHeaders; host: string }

export function createOwnPages(publicUrl: string) {
  const publicOrigin = new URL(publicUrl)

  /**
   * The service may be reached by other names than PUBLIC_URL, such as localhost; if PUBLIC_URL is https, only by names that a page without TLS cannot have.
   */
  function isOwnOrigin(text: string, host: string): boolean {
    const origin = URL.parse(text)
    if (origin === null) return false
    if (origin.origin === publicOrigin.origin) return true
    if (origin.protocol !== publicOrigin.protocol && !(origin.protocol === 'http:' && isThisMachine(origin.hostname))) return false
    return origin.host === host && (publicOrigin.protocol === 'http:' || isThisMachine(origin.hostname))
  }

  return {
    isOwnOrigin,
    /**
     * Why a request may not use the session whose cookie it has; null if it may.
     *
     * @param isStream an `EventSource` has opened it, which sends no header of its own
     */
    refusal({ method, headers, host }: BrowserRequest, { isStream }: { isStream: boolean }): Failure | null {
      const { origin, 'sec-fetch-site': site } = headers
      if ((origin !== undefined && !isOwnOrigin(origin, host)) || (site !== undefined && site !== 'same-origin'))
        return new Failure('forbidden', FROM_ELSEWHERE)
      if (!isStream && headers[CONSOLE_HEADER] !== '1') return new Failure('forbidden', WITHOUT_HEADER)
      // Browsers send the origin with each request that may change something, and `sec-fetch-site` with each to an origin with TLS.
      const isShown = origin !== undefined || site !== undefined
      return !isShown && (isStream || !READING_METHODS.has(method)) ? new Failure('forbidden', FROM_ELSEWHERE) : null
    },
  }
}

const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

const FROM_ELSEWHERE = 'The session of a person is taken from pages of this installation only, and this request came from none.'
const WITHOUT_HEADER =
  'With the session of a person, a request needs the header `Posthaste-Console: 1`, which pages of other sites cannot send. Without it, send an API key.'
