// Personal access of the command line: tokens of a person, which they allow in their browser (RFC 8628), in a file that only they can read.
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Static, Type } from '@sinclair/typebox'
import { Command, InvalidArgumentError } from 'commander'
import { StartupProblem, terminalText } from '../../lib/startup-problem.ts'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import { print, say } from '../output.ts'

/** The client that every installation has for its command line. */
export const COMMAND_LINE_CLIENT = '0a6f2c4e-5b1d-4c58-9f43-7c2f7b0a9d11'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const ANSWER_MS_MAX = 30_000
/** A token that ends sooner is replaced before it is used. */
const RENEWED_BEFORE_MS = 60_000
const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700
/** RFC 8628, section 3.5: added when the service asks to be asked less often. */
const SLOWER_BY_SECONDS = 5
const DEFAULT_INTERVAL_SECONDS = 5

const DeviceAnswer = Type.Object({
  device_code: Type.String(),
  user_code: Type.String(),
  verification_uri: Type.String(),
  verification_uri_complete: Type.Optional(Type.String()),
  expires_in: Type.Number(),
  interval: Type.Optional(Type.Number()),
})
const TokenAnswer = Type.Object({
  access_token: Type.String(),
  refresh_token: Type.String(),
  expires_in: Type.Number(),
  scope: Type.String(),
})
const SignedIn = Type.Object({
  url: Type.String(),
  access_token: Type.String(),
  refresh_token: Type.String(),
  expires_at: Type.String(),
  scope: Type.String(),
})
type SignedIn = Static<typeof SignedIn>
const readDevice = createBodyReader(DeviceAnswer)
const readTokens = createBodyReader(TokenAnswer)
const readSignedIn = createBodyReader(SignedIn)

export const credentialsPath = (environment: NodeJS.ProcessEnv = process.env): string =>
  join(environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config'), 'posthaste', 'credentials.json')

const NOT_SIGNED_IN = 'You are not signed in. Run `posthaste login --url <address of the service>`.'
const ENDED = 'Your access has ended. Sign in again with `posthaste login`.'

export async function readCredentials(path: string): Promise<SignedIn> {
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) throw new StartupProblem(NOT_SIGNED_IN)
  try {
    return readSignedIn(JSON.parse(text))
  } catch {
    throw new StartupProblem(`${path} is not as \`posthaste login\` writes it. Sign in again.`)
  }
}

/** Whole or not at all: another command may read it at this moment. */
async function writeCredentials(path: string, signedIn: SignedIn): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
  const unfinished = `${path}.${process.pid}`
  await writeFile(unfinished, `${JSON.stringify(signedIn, null, 2)}\n`, { mode: OWNER_ONLY })
  await chmod(unfinished, OWNER_ONLY)
  await rename(unfinished, path)
}

type Answer = { status: number; body: Record<string, unknown> }

async function post(url: string, path: string, fields: Record<string, string>): Promise<Answer> {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    body: new URLSearchParams({ client_id: COMMAND_LINE_CLIENT, ...fields }),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  }).catch((error: Error) => {
    throw new StartupProblem(`There is no service at ${url}: ${error.cause instanceof Error ? error.cause.message : error.message}.`)
  })
  const body: unknown = await response.json().catch(() => null)
  return { status: response.status, body: typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {} }
}

const refusal = ({ status, body }: Answer): StartupProblem =>
  new StartupProblem(`The service answered ${status}: ${terminalText(String(body.error_description ?? body.message ?? body.error ?? ''))}`)

const toSignedIn = (url: string, body: unknown): SignedIn => {
  const { expires_in: seconds, access_token, refresh_token, scope } = readTokens(body)
  return { url, access_token, refresh_token, scope, expires_at: new Date(Date.now() + seconds * 1_000).toISOString() }
}

type LogIn = { url: string; scope: string; path: string; say: (line: string) => void; pause?: (ms: number) => Promise<unknown> }

/** Asks for access, and waits until the person has decided in their browser. */
export async function logIn({ url, scope, path, say: tell, pause = wait }: LogIn): Promise<SignedIn> {
  const asked = await post(url, '/oauth/device', { scope })
  if (asked.status !== 200) throw refusal(asked)
  const device = readDevice(asked.body)
  tell(`Open ${terminalText(device.verification_uri_complete ?? device.verification_uri)}`)
  tell(`and compare the code: ${terminalText(device.user_code)}`)
  const endsAtMs = performance.now() + device.expires_in * 1_000
  let seconds = device.interval ?? DEFAULT_INTERVAL_SECONDS
  while (performance.now() < endsAtMs) {
    await pause(seconds * 1_000)
    const answer = await post(url, '/oauth/token', { grant_type: DEVICE_GRANT, device_code: device.device_code })
    if (answer.status === 200) {
      const signedIn = toSignedIn(url, answer.body)
      await writeCredentials(path, signedIn)
      return signedIn
    }
    if (answer.body.error === 'access_denied') throw new StartupProblem('You refused the access.')
    if (answer.body.error === 'expired_token') break
    if (answer.body.error === 'slow_down' || answer.status === 429) seconds += SLOWER_BY_SECONDS
    else if (answer.body.error !== 'authorization_pending') throw refusal(answer)
  }
  throw new StartupProblem('No one allowed it in time. Run `posthaste login` again.')
}

/** Tokens of the person who is signed in. They are replaced before they end. */
export async function freshCredentials(path: string = credentialsPath(), { isForced = false } = {}): Promise<SignedIn> {
  const known = await readCredentials(path)
  if (!isForced && Date.parse(known.expires_at) - Date.now() > RENEWED_BEFORE_MS) return known
  const answer = await post(known.url, '/oauth/token', { grant_type: 'refresh_token', refresh_token: known.refresh_token })
  if (answer.body.error === 'invalid_grant') throw new StartupProblem(ENDED)
  if (answer.status !== 200) throw refusal(answer)
  const signedIn = toSignedIn(known.url, answer.body)
  await writeCredentials(path, signedIn)
  return signedIn
}

/** Ends the access, here and at the service. False if the service could not be told. */
export async function logOut(path: string): Promise<boolean> {
  const { url, refresh_token: token } = await readCredentials(path)
  const answer = await post(url, '/oauth/revoke', { token, token_type_hint: 'refresh_token' }).catch(() => null)
  await rm(path)
  return answer?.status === 200
}

export async function callApi({ method, path, data }: { method: string; path: string; data?: string | undefined }): Promise<Response> {
  const { url, access_token: token } = await freshCredentials()
  const address = new URL(path, url)
  // The token is for this service alone.
  if (address.origin !== new URL(url).origin) throw new StartupProblem('The path must be one of the service, such as /domains.')
  return fetch(address, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(data !== undefined && { 'content-type': 'application/json' }) },
    ...(data !== undefined && { body: data }),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  })
}

const GrantsAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      allowed_by: Type.Union([Type.Object({ name: Type.String(), email: Type.String() }), Type.Null()]),
    }),
  ),
})
const readGrants = createBodyReader(GrantsAnswer)

/** The service, the person and the scopes, a line each. */
export async function describeAccess({ url, access_token: token, scope }: SignedIn): Promise<string> {
  const person = await whoAllowed({ url, access_token: token })
  return [url, person ?? 'Your role does not show who allowed it.', ...scope.split(' ')].join('\n')
}

/** Null if the role may not read grants. */
async function whoAllowed({ url, access_token: token }: Pick<SignedIn, 'url' | 'access_token'>): Promise<string | null> {
  const { grant_id: grantId } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { grant_id?: string }
  const response = await fetch(new URL('/oauth/grants', url), {
    headers: { authorization: `Bearer ${token}` },
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  })
  if (response.status === 403) return null
  if (!response.ok) throw new StartupProblem(`The service answered ${response.status}.`)
  const { data } = readGrants(await response.json())
  const person = data.find(({ id }) => id === grantId)?.allowed_by
  return person ? terminalText(`${person.name} <${person.email}>`) : null
}

export function loginCommands(): Command[] {
  const login = new Command('login')
    .description('Sign in as a person, in your browser. Commands that call a service then need no API key.')
    .requiredOption('--url <url>', 'address of the service, such as https://mail.example.com', parseServiceUrl)
    .option('--scope <scopes>', 'what the command line may do, at most what your role allows', 'full_access')
    .action(async ({ url, scope }: { url: string; scope: string }) => {
      await logIn({ url, scope, path: credentialsPath(), say })
      print(`You are signed in to ${url}.`)
    })
  const logout = new Command('logout').description('End the access of this command line.').action(async () => {
    const isEnded = await logOut(credentialsPath())
    print(isEnded ? 'You are signed out.' : 'The tokens here are removed. The service could not be told: end the grant in the console.')
  })
  const whoami = new Command('whoami')
    .description('Say where the command line is signed in, as whom, and what it may do.')
    .action(async () => {
      const signedIn = await freshCredentials(credentialsPath(), { isForced: true })
      print(await describeAccess(signedIn))
    })
  const api = new Command('api')
    .description('Call an operation of the service that you are signed in to, and print its answer.')
    .argument('<method>', 'GET, POST, PATCH or DELETE', parseMethod)
    .argument('<path>', 'such as /domains')
    .option('--data <json>', 'body of the request')
    .action(async (method: string, path: string, { data }: { data?: string }) => {
      const response = await callApi({ method, path, data })
      print(await response.text())
      if (response.status === 404)
        throw new StartupProblem(`The service answered 404. Its operations and their paths: ${new URL('/docs', response.url)}`)
      if (!response.ok) throw new StartupProblem(`The service answered ${response.status}.`)
    })
  return [login, logout, whoami, api]
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE']

function parseMethod(text: string): string {
  const method = text.toUpperCase()
  if (METHODS.includes(method)) return method
  throw new InvalidArgumentError(`It must be GET, POST, PATCH or DELETE. For example: posthaste api GET /domains`)
}

/** Tokens go over TLS, or stay on this machine. */
function parseServiceUrl(text: string): string {
  const url = URL.parse(text)
  const isHere = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url === null || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)))
    throw new InvalidArgumentError('It must begin with https://, or be http:// on this machine.')
  return url.origin
}
