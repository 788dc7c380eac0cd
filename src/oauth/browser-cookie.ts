// The browser that began a request for access, known by a cookie. The cookies of the library could be planted in another browser from a name under
// our domain; with TLS this one cannot (RFC 6265bis, section 4.1.3).
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createSignInSecret, digestOf } from '../lib/tokens.ts'

export function createBrowserCookie({ publicUrl }: { publicUrl: string }) {
  const isSecure = publicUrl.startsWith('https:')
  const name = isSecure ? '__Host-posthaste-browser' : 'posthaste-browser'

  /** The digest of what the browser sent; null if it sent nothing. */
  function read({ headers }: IncomingMessage): string | null {
    const pair = (headers.cookie ?? '').split(';').find((each) => each.trim().startsWith(`${name}=`))
    const value = pair?.trim().slice(name.length + 1) ?? ''
    return value === '' ? null : digestOf(value)
  }

  return {
    read,
    /** Returns the value, and sets the cookie in a browser that has none. */
    ensure(request: IncomingMessage, response: ServerResponse): string {
      const known = read(request)
      if (known !== null) return known
      const value = createSignInSecret()
      response.appendHeader('set-cookie', `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`)
      return digestOf(value)
    },
  }
}
