// A visitor of the console without a browser: keeps the cookie, follows no redirects.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Context } from '../../../src/context.ts'
import { digestToken } from '../../../src/lib/ids.ts'
import type { MemberRole } from '../../../src/lib/member-roles.ts'
import { sessionCookieName } from '../../../src/modules/accounts/sessions/sessions.pages.ts'
import { beginSession, createDocumentationToken, openPersonSession } from '../../../src/modules/accounts/sessions/sessions.service.ts'
import { until } from '../clocks/until.ts'
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

/** Signs in a person of this role in the team of the key, who is made if there is none, and returns the Cookie header of the session. */
export async function signIn(
  service: Pick<TestService, 'service' | 'token'>,
  token: string = service.token,
  role: MemberRole = 'owner',
): Promise<string> {
  const { context } = service.service
  const holder = await context.repositories.apiKeys.recognizeAcrossTeams(digestToken(token))
  if (!holder) throw new Error('There is no such key')
  return signInAs(context, holder.teamId, role)
}

const cookiesOfProcesses = new Map<string, string>()

/** Signs in to a service of another process, as the first owner of the team of the key. */
export async function signInByKey(site: Pick<TestService, 'url' | 'token'>): Promise<string> {
  const known = cookiesOfProcesses.get(site.token)
  if (known !== undefined) return known
  const led = await visit(site, 'POST', '/console/sign-in/key', { form: { api_key: site.token } })
  // An address for this team only: the link signs in no one who is a person already.
  const email = `owner-${digestToken(site.token).slice(0, 12)}@people.example`
  const entered = await visit(site, 'POST', led.location ?? '', { form: { email, name: 'Owner' } })
  if (entered.status !== 303 || entered.cookie === null) throw new Error(`Not signed in: ${led.text}${entered.text}`)
  const cookie = entered.cookie.split(';', 1)[0] ?? ''
  cookiesOfProcesses.set(site.token, cookie)
  return cookie
}

/** A token that acts as the owner of the team of a key, who is signed in. */
export async function personToken(service: Pick<TestService, 'service' | 'token'>, token: string = service.token): Promise<string> {
  const cookie = await signIn(service, token)
  const created = await createDocumentationToken(service.service.context, cookie.slice(cookie.indexOf('=') + 1))
  if (!created) throw new Error('Not signed in')
  return created.token
}

export async function signInAs(context: Context, teamId: string, role: MemberRole = 'owner'): Promise<string> {
  const { persons } = context.repositories
  const person = await persons.ensureAcrossTeams(`${role}-${teamId}@people.example`, `The ${role}`)
  await persons.addMember(teamId, person.id, role)
  const signedIn = { method: 'link', address: '127.0.0.1', browser: 'Firefox/140 Linux' } as const
  const session = await beginSession(context, { personId: person.id, teamId }, signedIn)
  const opened = await openPersonSession(context, session)
  if (session === null || opened === null) throw new Error('Not signed in')
  // They have confirmed that it is them: what asks for it has tests of its own.
  await context.repositories.sessions.confirmAcrossTeams(opened.id, person.id, context.clock.now())
  return `${sessionCookieName(context.publicUrl)}=${session}`
}

/** The headers that a browser obeys. */
export const securityHeaders = ({ headers }: Seen): Record<string, string | null> =>
  Object.fromEntries(
    ['content-type', 'content-security-policy', 'x-frame-options', 'x-content-type-options', 'referrer-policy', 'cache-control'].map(
      (name) => [name, headers.get(name)],
    ),
  )

// A stream of server-sent events over a TCP connection of its own, as bytes arrive.

export type OpenStream = {
  socket: Socket
  status: number
  /** The head of the answer. */
  head: string
  /** All that has arrived after the head. */
  body: () => string
  /** Waits until this has arrived. */
  receives: (part: string) => Promise<void>
  /** Waits until the server has ended the connection. */
  ended: () => Promise<void>
  close: () => void
}

export async function openStream(
  { url }: { url: string },
  path: string,
  { cookie, headers = {} }: { cookie: string; headers?: Record<string, string> },
): Promise<OpenStream> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  let text = ''
  let hasEnded = false
  socket.on('data', (chunk) => {
    text += chunk.toString()
  })
  socket.on('close', () => {
    hasEnded = true
  })
  await once(socket, 'connect')
  const lines = Object.entries({ host, cookie, accept: 'text/event-stream', ...headers }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  const holds = (check: () => boolean, what: string) =>
    until(() => {
      if (!check()) throw new Error(`${what} after ${JSON.stringify(text.slice(-500))}`)
    })
  await holds(() => text.includes('\r\n\r\n') || hasEnded, 'No answer')
  const end = text.indexOf('\r\n\r\n')
  const body = () => text.slice(end + 4)
  return {
    socket,
    status: Number(text.split(' ', 2)[1]),
    head: text.slice(0, end).toLowerCase(),
    body,
    receives: (part) => holds(() => body().includes(part), `No ${part}`),
    ended: () => holds(() => hasEnded, 'No end'),
    close: () => void socket.destroy(),
  }
}

// What the pages of webhooks say.
