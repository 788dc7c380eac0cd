// Programs do not speak the protocol themselves: these are the libraries that they use.
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { Resend } from 'resend'
import { expect, it } from 'vitest'
import { askForAccess, REDIRECT_URI } from '../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

const PUBLIC_URL = new URL('http://localhost:3000')
/** The service calls itself by its public name, and listens elsewhere. */
const reach = (address: string | URL, init?: object) => fetch(String(address).replace(PUBLIC_URL.origin, service.url), init)
const queryOf = (url: URL) => url.search.slice(1)

it('oauth4webapi discovers the server, registers, asks, redeems, refreshes and revokes', async () => {
  const http = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: reach }
  const resource = await oauth.processResourceDiscoveryResponse(PUBLIC_URL, await oauth.resourceDiscoveryRequest(PUBLIC_URL, http))
  const issuer = new URL(resource.authorization_servers?.[0] ?? '')
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http }))
  const metadata = { client_name: 'Library', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }
  const registered = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(server, metadata, http),
  )
  const verifier = oauth.generateRandomCodeVerifier()
  const asked = new URL(server.authorization_endpoint ?? '')
  asked.search = new URLSearchParams({
    client_id: registered.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'emails:send',
    state: 'state',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: resource.resource,
  }).toString()
  // It refuses an answer whose `iss` is not that of the server.
  const answer = oauth.validateAuthResponse(server, registered, await askForAccess(service, queryOf(asked)), 'state')
  const redeemed = await oauth.authorizationCodeGrantRequest(server, registered, oauth.None(), answer, REDIRECT_URI, verifier, http)
  const tokens = await oauth.processAuthorizationCodeResponse(server, registered, redeemed)
  const request = new Request('http://localhost:3000/emails', { headers: { authorization: `Bearer ${tokens.access_token}` } })
  const claims = await oauth.validateJwtAccessToken(server, request, PUBLIC_URL.origin, http)
  expect(claims).toMatchObject({ sub: service.teamId, scope: 'emails:send' })

  const resend = new Resend(tokens.access_token, { baseUrl: service.url })
  const { data } = await resend.emails.send({ from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't' })
  expect(data).toEqual({ id: expect.any(String) })

  const refreshed = await oauth.refreshTokenGrantRequest(server, registered, oauth.None(), tokens.refresh_token ?? '', http)
  const { refresh_token: next = '' } = await oauth.processRefreshTokenResponse(server, registered, refreshed)
  await oauth.processRevocationResponse(await oauth.revocationRequest(server, registered, oauth.None(), next, http))
  expect((await service.call('GET', '/emails', { token: tokens.access_token })).status).toBe(401)
})

it('openid-client does the same with a client that has a secret', async () => {
  const options = {
    algorithm: 'oauth2' as const,
    execute: [client.allowInsecureRequests],
    [client.customFetch]: reach as client.CustomFetch,
  }
  const metadata = { client_name: 'Library', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'client_secret_basic' }
  const config = await client.dynamicClientRegistration(PUBLIC_URL, metadata, undefined, options)
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const asked = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'domains:read',
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const answer = await askForAccess(service, queryOf(asked))
  const tokens = await client.authorizationCodeGrant(config, answer, { pkceCodeVerifier: verifier, expectedState: state })
  expect((await service.call('GET', '/domains', { token: tokens.access_token })).status).toBe(200)
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  expect(refreshed).toMatchObject({ token_type: 'bearer', scope: 'domains:read', expires_in: 900 })
  await client.tokenRevocation(config, refreshed.refresh_token ?? '')
  expect((await service.call('GET', '/domains', { token: refreshed.access_token })).status).toBe(401)
})
