// The operator's identity provider: OpenID Connect, by code flow with PKCE. It is named in the configuration, so it may be in a private network.
import * as client from 'openid-client'
import { storableText } from '../../../lib/text.ts'

export type IdentityProviderOptions = { issuer: string; clientId: string; clientSecret: string; scopes: string; groupsClaim: string }

/** What binds an answer to the browser that asked: each of them is checked. */
export type SignInChecks = { state: string; nonce: string; verifier: string }

/** `name`: an email address or another name; never empty. `email`: in lower case, only if the provider has verified it. */
export type Identity = { issuer: string; subject: string; name: string; email: string | null; groups: string[] }

/** `away`: it did not answer in time, or with an error of its own. `refused`: it did not sign the person in, or its answer is not for this request. */
export type IdentityResult<Value> = { ok: true; value: Value } | { ok: false; why: 'away' | 'refused'; error: unknown }

export type IdentityProvider = {
  /** Where the browser goes to sign in, and what has to be kept until it returns. */
  begin(redirectUri: string): Promise<IdentityResult<{ address: string; checks: SignInChecks }>>
  /** @param answer the address at which the browser returned, with its query. */
  finish(answer: URL, checks: SignInChecks): Promise<IdentityResult<Identity>>
}

/** The time-out of each request to the identity provider. */
const TIMEOUT_SECONDS = 5
/** What it says of itself is read again after this time. */
const KEPT_MS = 10 * 60_000
const PERSON_LENGTH_MAX = 200
const GROUPS_MAX = 1_000

/** `patience`: how many times as long as usual it may take to answer: 1, except in tests, because many share a machine. */
type AnswerTimes = { patience?: number; timeoutSeconds?: number }

export function createIdentityProvider(
  { issuer, clientId, clientSecret, scopes, groupsClaim }: IdentityProviderOptions,
  { patience = 1, timeoutSeconds = TIMEOUT_SECONDS * patience }: AnswerTimes = {},
): IdentityProvider {
  let known: { found: Promise<client.Configuration>; atMs: number } | null = null

  function discover(): Promise<client.Configuration> {
    if (known !== null && performance.now() - known.atMs < KEPT_MS) return known.found
    const isPlain = issuer.startsWith('http:')
    const found = client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: timeoutSeconds,
      ...(isPlain && { execute: [client.allowInsecureRequests] }),
    })
    known = { found, atMs: performance.now() }
    // A failure is not kept.
    found.catch(() => {
      known = null
    })
    return found
  }

  return {
    begin: (redirectUri) =>
      toResult(async () => {
        const checks = { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
        const address = client.buildAuthorizationUrl(await discover(), {
          ...{ redirect_uri: redirectUri, scope: scopes, state: checks.state, nonce: checks.nonce },
          ...{ code_challenge: await client.calculatePKCECodeChallenge(checks.verifier), code_challenge_method: 'S256' },
        })
        return { address: address.href, checks }
      }),

    finish: (answer, { state, nonce, verifier }) =>
      toResult(async () => {
        const config = await discover()
        const tokens = await client.authorizationCodeGrant(config, answer, {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
        })
        const claims = tokens.claims()
        if (claims === undefined) throw new Error('the identity provider gave no ID token')
        const more =
          claims[groupsClaim] === undefined && config.serverMetadata().userinfo_endpoint !== undefined
            ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
            : {}
        return readIdentity({ ...claims, ...more, iss: claims.iss, sub: claims.sub }, groupsClaim)
      }),
  }
}

async function toResult<Value>(work: () => Promise<Value>): Promise<IdentityResult<Value>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    return { ok: false, why: isAway(error) ? 'away' : 'refused', error }
  }
}

/** Its own faults, and everything between us and it. What else goes wrong concerns this one request. */
function isAway(error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) return error.status >= SERVER_FAULT
  if (error instanceof client.ClientError) return AWAY_CODES.has(error.code ?? '') || error.name === 'TimeoutError'
  return error instanceof TypeError || (error instanceof Error && ['TimeoutError', 'AbortError'].includes(error.name))
}

const SERVER_FAULT = 500
const AWAY_CODES: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
])

function readIdentity(claims: Record<string, unknown>, groupsClaim: string): Identity {
  const names = [claims.email, claims.preferred_username, claims.name, claims.sub]
  const person = names.find((name): name is string => typeof name === 'string' && name.trim() !== '') ?? 'unknown'
  const groups = claims[groupsClaim]
  const list: unknown[] = Array.isArray(groups) ? groups : [groups]
  const { iss, sub, email, email_verified: isVerified } = claims
  return {
    issuer: String(iss),
    subject: String(sub),
    name: storableText(person, PERSON_LENGTH_MAX),
    email: typeof email === 'string' && isVerified === true ? storableText(email.trim().toLowerCase(), PERSON_LENGTH_MAX) : null,
    groups: list.slice(0, GROUPS_MAX).filter((group) => typeof group === 'string'),
  }
}
