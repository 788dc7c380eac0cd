// A visitor of the console without a browser: keeps the cookie, follows no redirects.
import type { TestService } from '../servers/service.ts'

export type Seen = { status: number; headers: Headers; text: string; location: string | null; cookie: string | null }

type Visit = { cookie?: string | null; origin?: string | null; form?: Record<string, string>; headers?: Record<string, string> }

/** One request; a POST comes from a page of the service unless `origin` says otherwise. */
export async function visit(
  { url }: Pick<TestService, 'url'>,
  method: 'GET' | 'POST',
  path: string,
  { cookie = null, origin = url, form, headers = {} }: Visit = {},
): Promise<Seen> {
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...(cookie !== null && { cookie }), ...(method === 'POST' && origin !== null && { origin }), ...headers },
    ...(form && { body: new URLSearchParams(form) }),
  })
  const setCookie = response.headers.get('set-cookie')
  return {
    status: response.status,
    headers: response.headers,
    text: await response.text(),
    location: response.headers.get('location'),
    cookie: setCookie,
  }
}

/** Signs in with the key, and returns the Cookie header of the session. */
export async function signIn(service: Pick<TestService, 'url' | 'token'>, token: string = service.token): Promise<string> {
  const { status, cookie, text } = await visit(service, 'POST', '/console/sign-in', { form: { api_key: token } })
  if (status !== 303 || cookie === null) throw new Error(`Not signed in: ${text}`)
  return cookie.split(';', 1)[0] ?? ''
}

/** Where a page redirects strangers. */
export const signInFor = (path: string): string =>
  path === '/console' ? '/console/sign-in' : `/console/sign-in?next=${encodeURIComponent(path)}`

/** What a form was refused with, as the API words it. */
export const problemIn = ({ status, text }: Seen): { status: number; problem: string | undefined } => ({
  status,
  problem: /<p class="wrong"[^>]*>(.*?)<\/p>/.exec(text)?.[1]?.replace(/<\/?code>/g, '`'),
})

/** Reads a section of the console, and sends its forms. */
export const sectionVisitor = (section: string, as: () => { service: Pick<TestService, 'url'>; cookie: string }) => ({
  read: (path = section) => visit(as().service, 'GET', path, { cookie: as().cookie }),
  send: (path: string, form?: Record<string, string>) => visit(as().service, 'POST', path, { cookie: as().cookie, ...(form && { form }) }),
})

/** The headers that a browser obeys. */
export const securityHeaders = ({ headers }: Seen): Record<string, string | null> =>
  Object.fromEntries(
    ['content-type', 'content-security-policy', 'x-frame-options', 'x-content-type-options', 'referrer-policy', 'cache-control'].map(
      (name) => [name, headers.get(name)],
    ),
  )
