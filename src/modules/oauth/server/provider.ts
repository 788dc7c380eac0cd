// The protocol is that of oidc-provider, which is certified. Here stands only what it may do.
import { timingSafeEqual } from 'node:crypto'
import Provider, { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { createId, createSignInSecret, digestToken } from '../../../lib/ids.ts'
import { FULL_ACCESS, SCOPE_NAMES } from '../../accounts/scopes.ts'
import { isOwnMachine } from '../clients.ts'
import type { SigningJwk } from '../oauth-keys.ts'
import { DEFAULT_RESOURCE, isOwnResource } from './access-tokens.ts'
import { adapterFor } from './records-adapter.ts'
import { COOKIES } from './replayed-request.ts'

export type ProviderOptions = {
  publicUrl: string
  /** The one that signs comes first. */
  keys: SigningJwk[]
  cookieKeys: string[]
  /** Fetches the metadata document of a client, checked. */
  fetchDocument: (url: string) => Promise<Response>
  /** The address of the page where people decide, without a host. */
  consentPath: (uid: string) => string
  /** The address of the page where people enter the code of a command line, without a host. */
  devicePath: string
  /** The page in place of a redirect to an address that no one has verified. */
  answerPage: (view: AnswerView) => { headers: Record<string, string>; text: string }
}
type AnswerView = { acceptLanguage: string | undefined; isRefusal: boolean; client: string | null; address: string }

const MINUTE = 60
const DAY = 24 * 60 * MINUTE
export const ACCESS_TOKEN_SECONDS = 15 * MINUTE
const CODE_SECONDS = 10 * MINUTE
const REFRESH_TOKEN_SECONDS = 60 * DAY
/** For signing in, and for deciding. */
const CONSENT_SECONDS = 60 * MINUTE
const STATE_LENGTH_MAX = 1_024

type Needs = Parameters<typeof adapterFor>[0]

export function createProvider(needs: Needs, options: ProviderOptions): Provider {
  const provider = new Provider(options.publicUrl, createConfiguration(needs, options))
  // The address of a proxy is known: what it says is written into the request beforehand.
  provider.proxy = true
  provider.Client.prototype.compareClientSecret = function (given: string) {
    return timingSafeEqual(Buffer.from(digestToken(given)), Buffer.from(this.clientSecret ?? digestToken('')))
  }
  provider.use(async (ctx, next) => {
    await next()
    hideOpenRedirect(ctx as KoaContextWithOIDC, options)
    describePlainly(ctx as KoaContextWithOIDC)
  })
  return provider
}

function createConfiguration(needs: Needs, options: ProviderOptions): Configuration {
  const { publicUrl, keys, cookieKeys, fetchDocument, consentPath } = options
  return {
    adapter: adapterFor(needs),
    jwks: { keys: structuredClone(keys) },
    cookies: { keys: cookieKeys, names: COOKIES, long: { path: '/oauth/authorize', sameSite: 'lax', httpOnly: true } },
    scopes: [...SCOPE_NAMES],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      id_token_signed_response_alg: 'ES256',
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_basic',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      revocation: '/oauth/revoke',
      registration: '/oauth/register',
      jwks: '/oauth/jwks',
      device_authorization: '/oauth/device',
      // Our page answers there, not the library.
      code_verification: options.devicePath,
    },
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      RefreshToken: REFRESH_TOKEN_SECONDS,
      DeviceCode: CODE_SECONDS,
      Interaction: CONSENT_SECONDS,
      Session: CONSENT_SECONDS,
    },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => false,
    findAccount: async (_ctx, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    // Only what was decided for this request counts. What a team decided before is known where people are asked.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId)
    },
    interactions: { policy: policy(), url: (_ctx, { uid }) => consentPath(uid) },
    extraTokenClaims: (_ctx, token) => ('grantId' in token ? { grant_id: token.grantId } : undefined),
    fetch: (url) => fetchDocument(String(url)),
    renderError: (ctx, out) => {
      ctx.type = 'json'
      ctx.body = out
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****', deviceInfo: () => ({}) },
      claimsParameter: { enabled: false },
      registration: {
        enabled: true,
        idFactory: () => createId(needs.clock),
        secretFactory: createSignInSecret,
        issueRegistrationAccessToken: false,
      },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: async (ctx) => ctx === undefined || ctx.oidc?.route === 'authorization',
        allowClient: async () => true,
        cacheDuration: { min: 5 * MINUTE, max: DAY },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: async (_ctx, _client, oneOf) => oneOf?.[0] ?? DEFAULT_RESOURCE,
        useGrantedResource: async () => true,
        async getResourceServerInfo(ctx, resource) {
          if (!isOwnResource(resource, publicUrl)) throw new errors.InvalidTarget('resource is not this service')
          checkRequest(ctx)
          return {
            scope: SCOPE_NAMES.join(' '),
            audience: publicUrl,
            accessTokenTTL: ACCESS_TOKEN_SECONDS,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256', kid: keys[0]?.kid ?? '' } },
          }
        },
      },
    },
  }
}

/** What the library would let pass: scopes that no one knows, and a `state` of any length. */
function checkRequest({ oidc: { params, client, route } }: KoaContextWithOIDC): void {
  if (!params || (route !== 'authorization' && route !== 'device_authorization')) return
  // RFC 6749, section 3.3: a request without a scope gets the ones that the client has.
  params.scope ??= client?.scope ?? FULL_ACCESS
  const unknown = String(params.scope)
    .split(' ')
    .find((scope) => !SCOPE_NAMES.includes(scope))
  if (unknown !== undefined) throw new errors.InvalidScope('scope does not exist', unknown)
  if (String(params.state ?? '').length > STATE_LENGTH_MAX)
    throw new errors.InvalidRequest(`state must have at most ${STATE_LENGTH_MAX} characters`)
}

/** Each request for access is shown to a person, or at least to their session of the console. */
function policy(): interactionPolicy.DefaultPolicy {
  const { Check, Prompt } = interactionPolicy
  const undecided = new Check('undecided', 'a person must decide', 'login_required', ({ oidc }) => oidc.result?.consent === undefined)
  const prompts = interactionPolicy.base()
  prompts.clear()
  prompts.add(new Prompt({ name: 'login', requestable: true }))
  prompts.add(new Prompt({ name: 'consent', requestable: true }, undecided))
  return prompts
}

/**
 * Anyone can register a client, and could then send people from our address to theirs by a request that is wrong on purpose, or that they refuse.
 * Such an error is shown here, unless the client answers on the person's own machine or is known by its host. A person who was asked gets a page
 * that leads on; a request that was wrong before anyone was asked is answered as JSON.
 */
function hideOpenRedirect(ctx: KoaContextWithOIDC, { answerPage }: Pick<ProviderOptions, 'answerPage'>): void {
  const { oidc } = ctx
  const location = URL.parse(String(ctx.response.get('location')))
  // An answer to a request for a token right away comes after `#`.
  const answered = new URLSearchParams(location?.hash ? location.hash.slice(1) : location?.search)
  const isAfterAsking = oidc?.route === 'resume'
  if ((!isAfterAsking && oidc?.route !== 'authorization') || location === null || !answered.has('error')) return
  if (isOwnMachine(location.href) || oidc.client?.clientIdMetadataDocument === true) return
  ctx.remove('location')
  if (!isAfterAsking) {
    ctx.status = 400
    ctx.type = 'json'
    ctx.body = Object.fromEntries([...answered].filter(([name]) => name.startsWith('error')))
    return
  }
  const isRefusal = answered.get('error') === 'access_denied'
  const { headers, text } = answerPage({
    acceptLanguage: ctx.get('accept-language'),
    isRefusal,
    client: oidc.client?.clientName ?? null,
    address: location.href,
  })
  ctx.status = isRefusal ? 200 : 400
  ctx.set(headers)
  ctx.body = text
}

/** The document of the library also describes OpenID Connect, which is not offered. */
function describePlainly(ctx: KoaContextWithOIDC): void {
  if (ctx.oidc?.route !== 'discovery' || typeof ctx.body !== 'object' || ctx.body === null) return
  const described = Object.entries(ctx.body).filter(([name]) => DESCRIBED.has(name))
  ctx.body = { ...Object.fromEntries(described), response_modes_supported: ['query'] }
}

const DESCRIBED = new Set([
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'registration_endpoint',
  'revocation_endpoint',
  'device_authorization_endpoint',
  'revocation_endpoint_auth_methods_supported',
  'scopes_supported',
  'response_types_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
])
