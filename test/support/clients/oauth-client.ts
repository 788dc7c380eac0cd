// A program that asks for access, and the browser of the person who decides, over HTTP.
import { createHash, randomBytes } from 'node:crypto'
import type { TestService } from '../servers/service.ts'
import { signIn, signInByKey } from './console.ts'

export const REDIRECT_URI = 'http://127.0.0.1/callback'
/** The one that every installation has. */
export const BUILT_IN_CLIENT = '7136aa0b-625c-4c9c-8820-e9784c8eb141'

/** Its address may have any port. */
const BUILT_IN_REDIRECT_URI = 'http://127.0.0.1:1/oauth/callback'

/** A service with a team that decides. */
export type Site = Pick<TestService, 'url' | 'token' | 'teamId'> & Partial<Pick<TestService, 'service'>>

export type Tokens = { access_token: string; refresh_token: string; token_type: string; expires_in: number; scope: string }
export type Reply = { status: number; headers: Headers; body: Record<string, unknown> }

/** A form, or JSON. */
export async function post(
  { url }: Pick<TestService, 'url'>,
  path: string,
  fields: Record<string, string> | object,
  { as = 'form', headers = {} }: { as?: 'form' | 'json'; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...headers, ...(as === 'json' && { 'content-type': 'application/json' }) },
    body: as === 'json' ? JSON.stringify(fields) : new URLSearchParams(fields as Record<string, string>),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
}

export async function registerClient(service: Pick<TestService, 'url'>, fields: object = {}): Promise<Record<string, string>> {
  const metadata = { client_name: 'Editor', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none', ...fields }
  const { status, body } = await post(service, '/oauth/register', metadata, { as: 'json' })
  if (status !== 201) throw new Error(`Not registered: ${JSON.stringify(body)}`)
  return body as Record<string, string>
}

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const authorizeQuery = (clientId: string, challenge: string, more: Record<string, string | null> = {}): string => {
  const all: Record<string, string | null> = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    state: 'state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  }
  return new URLSearchParams(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)).toString()
}

/** A browser that keeps cookies and follows no redirect by itself. Paths of cookies do not matter here. */
export function openBrowser({ url }: Pick<TestService, 'url'>) {
  const cookies = new Map<string, string>()
  async function go(method: 'GET' | 'POST', address: string, form?: Record<string, string>) {
    const { pathname, search } = new URL(address, url)
    const response = await fetch(`${url}${pathname}${search}`, {
      method,
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '), ...(method === 'POST' && { origin: url }) },
      ...(form && { body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1)
      const [name = '', value = ''] = pair.split('=', 2)
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get('location') ?? '',
    }
  }
  return {
    go,
    cookies,
    async signIn(service: Site, token?: string) {
      const [name = '', value = ''] = (await cookieFor(service, token)).split('=', 2)
      cookies.set(name, value)
    },
  }
}

/** For a service in this process, or in another. */
const cookieFor = ({ service, ...site }: Site, token = site.token): Promise<string> =>
  service ? signIn({ service, token }) : signInByKey({ ...site, token })

export type Browser = ReturnType<typeof openBrowser>

/** From the request for access to where the program is answered: the person allows it unless `act` says otherwise. */
export async function askForAccess(
  service: Site,
  query: string,
  {
    browser = openBrowser(service),
    token = service.token,
    teamId = service.teamId,
    act = 'allow',
  }: {
    browser?: Browser
    token?: string
    teamId?: string
    act?: string
  } = {},
): Promise<URL> {
  await browser.signIn(service, token)
  const asked = await browser.go('GET', `/oauth/authorize?${query}`)
  if (asked.status !== 303) throw new Error(`No page to decide on: ${asked.status} ${asked.text}`)
  const decided = await browser.go('POST', asked.location, { act, team: teamId })
  if (decided.status !== 303) throw new Error(`Not decided: ${decided.status} ${decided.text}`)
  const answered = await browser.go('GET', decided.location)
  if (answered.location === '') throw new Error(`Not answered: ${answered.status} ${answered.text}`)
  return new URL(answered.location)
}

/** A code, with what else the program needs to redeem it. */
export async function codeFor(service: Site, clientId: string, more: Record<string, string | null> = {}) {
  const { verifier, challenge } = pkce()
  const answer = await askForAccess(service, authorizeQuery(clientId, challenge, more))
  const code = answer.searchParams.get('code')
  if (code === null) throw new Error(`No code: ${answer.href}`)
  const fields = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: more.redirect_uri ?? REDIRECT_URI,
    code_verifier: verifier,
  }
  return { answer, code, fields }
}

/** Tokens of a client that is registered for them, or of the one named. */
export async function tokensFor(
  service: Site,
  { clientId, scope = null, resource = null }: { clientId?: string; scope?: string | null; resource?: string | null } = {},
): Promise<Tokens & { clientId: string }> {
  const id = clientId ?? (await registerClient(service)).client_id ?? ''
  const { fields } = await codeFor(service, id, { scope, resource })
  const { status, body } = await post(service, '/oauth/token', fields)
  if (status !== 200) throw new Error(`No tokens: ${JSON.stringify(body)}`)
  return { ...(body as Tokens), clientId: id }
}

/** Tokens of the built-in client with these scopes. */
export async function grantedTokens(service: Site, scope: string): Promise<Tokens> {
  const { fields } = await codeFor(service, BUILT_IN_CLIENT, { scope, redirect_uri: BUILT_IN_REDIRECT_URI })
  const { status, body } = await post(service, '/oauth/token', fields)
  if (status !== 200) throw new Error(`No tokens: ${JSON.stringify(body)}`)
  return body as Tokens
}

/** An access token of the built-in client with these scopes. */
export const grantedToken = async (service: Site, scope: string): Promise<string> => (await grantedTokens(service, scope)).access_token
