// A request whose body was read already, as the library can read it again.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { createSignInSecret, digestToken } from '../../../lib/ids.ts'

// The browser that began a request for access, known by a cookie. The cookies of the library could be planted in another browser from a name under
// our domain; with TLS this one cannot (RFC 6265bis, section 4.1.3).

export function createBrowserCookie({ publicUrl }: { publicUrl: string }) {
  const isSecure = publicUrl.startsWith('https:')
  const name = isSecure ? '__Host-posthaste-browser' : 'posthaste-browser'

  /** The digest of what the browser sent; null if it sent nothing. */
  function read({ headers }: IncomingMessage): string | null {
    const pair = (headers.cookie ?? '').split(';').find((each) => each.trim().startsWith(`${name}=`))
    const value = pair?.trim().slice(name.length + 1) ?? ''
    return value === '' ? null : digestToken(value)
  }

  return {
    read,
    /** Returns the value, and sets the cookie in a browser that has none. */
    ensure(request: IncomingMessage, response: ServerResponse): string {
      const known = read(request)
      if (known !== null) return known
      const value = createSignInSecret()
      response.appendHeader('set-cookie', `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`)
      return digestToken(value)
    },
  }
}

/** The library's cookies: here, because provider.ts is loaded late. */
export const COOKIES = { interaction: 'posthaste-oauth', resume: 'posthaste-oauth-resume', session: 'posthaste-oauth-session' }
const ORIGIN_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port']

/** With the address under which people know the service, whatever the request or a proxy called it. */
export function replayedRequest(raw: IncomingMessage, { body, publicUrl }: { body: Buffer; publicUrl: string }): IncomingMessage {
  const { protocol, host } = new URL(publicUrl)
  const { 'content-type': type = '', cookie, ...headers } = raw.headers
  for (const name of ORIGIN_HEADERS) delete headers[name]
  delete headers['transfer-encoding']
  const content = type.startsWith('application/json') && !isRegistration(raw) ? { type: FORM, body: toForm(body) } : { type, body }
  return Object.assign(Readable.from(content.body.length > 0 ? [content.body] : []), {
    method: raw.method,
    url: withoutResponseMode(raw.url ?? '/'),
    httpVersion: raw.httpVersion,
    httpVersionMajor: raw.httpVersionMajor,
    httpVersionMinor: raw.httpVersionMinor,
    socket: raw.socket,
    headers: {
      ...headers,
      host,
      'x-forwarded-proto': protocol.slice(0, -1),
      ...(content.type !== '' && { 'content-type': content.type }),
      ...(raw.method === 'POST' && { 'content-length': String(content.body.length) }),
      ...(cookie !== undefined && { cookie: withoutSession(cookie) }),
    },
  }) as unknown as IncomingMessage
}

const FORM = 'application/x-www-form-urlencoded'

const isRegistration = ({ url }: IncomingMessage): boolean => url?.startsWith('/oauth/register') ?? false

/** RFC 6749 has forms only; the official clients send JSON. What is no object of text stays as it is, and is refused. */
function toForm(body: Buffer): Buffer {
  try {
    const fields: unknown = JSON.parse(body.toString('utf8'))
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return body
    const given = Object.entries(fields).flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : []))
    return Buffer.from(new URLSearchParams(given).toString())
  } catch {
    return body
  }
}

/** Parsed and written anew: what is left out here, the library cannot find by another spelling. */
function withoutResponseMode(url: string): string {
  const parameters = queryOf(url)
  if (parameters.size === 0) return pathOf(url)
  parameters.delete('response_mode')
  return `${pathOf(url)}?${parameters}`
}

/** Answers are in the query only. A page that posts to another site by itself would need a script. */
export const asksForAnotherResponseMode = (url: string): boolean =>
  queryOf(url)
    .getAll('response_mode')
    .some((mode) => mode !== 'query')

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '/'
const queryOf = (url: string): URLSearchParams => new URLSearchParams(url.slice(pathOf(url).length))

/** Who is signed in is said by the console alone. */
const withoutSession = (cookie: string): string =>
  cookie
    .split(';')
    .filter((pair) => !pair.trim().startsWith(COOKIES.session))
    .join(';')
