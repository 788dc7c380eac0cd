// An identity provider of others: a real one, at which everyone who comes is signed in as the account that the test says.
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

export type TestIdentityProvider = {
  issuer: string
  /** Who signs in next. */
  account: { sub: string; email?: string; email_verified?: boolean; groups?: unknown }
  /** What it answers instead at some paths. */
  answer: ((path: string) => number | 'never' | null) | null
  /** Follows the redirects of a browser at the provider, from the address to which it was sent. Returns where it is sent back. */
  signInAt(address: string): Promise<string>
  close(): Promise<void>
}

const CLIENT = { client_id: 'posthaste', client_secret: 'a-secret-of-the-test-that-is-long-enough' }

export const identityProviderVariables = (issuer: string, groups: string): Record<string, string> => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: CLIENT.client_id,
  OIDC_CLIENT_SECRET: CLIENT.client_secret,
  OIDC_GROUPS: groups,
})

/** @param groupsIn where it names groups: in the ID token, or only for who asks with the access token. */
export async function startIdentityProvider(
  redirectUri: string,
  { groupsIn = 'token' as 'token' | 'userinfo' } = {},
): Promise<TestIdentityProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const state: Pick<TestIdentityProvider, 'account' | 'answer'> = { account: { sub: 'a' }, answer: null }
  const provider: Provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [redirectUri], response_types: ['code'], grant_types: ['authorization_code'] }],
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: groupsIn === 'userinfo',
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    cookies: { keys: ['k'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: (use) => {
        const { groups, ...account } = state.account
        return { ...account, ...((groupsIn === 'token' || use === 'userinfo') && groups !== undefined && { groups }) }
      },
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ accountId: oidc.session?.accountId ?? '', clientId: CLIENT.client_id })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const answerOf = provider.callback()
  server.on('request', (request, response) => {
    const path = new URL(request.url ?? '/', issuer).pathname
    const instead = state.answer?.(path) ?? null
    if (instead === 'never') return
    if (instead !== null) return response.writeHead(instead).end()
    if (!path.startsWith('/interaction/')) return void answerOf(request, response)
    void provider.interactionFinished(request, response, { login: { accountId: state.account.sub } })
  })

  return Object.assign(state, {
    issuer,
    async signInAt(from: string): Promise<string> {
      const cookies = new Map<string, string>()
      let at = from
      while (at.startsWith(issuer)) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const seen = await fetch(at, { redirect: 'manual', headers: { cookie } })
        for (const set of seen.headers.getSetCookie()) {
          const [name = '', value = ''] = (set.split(';', 1)[0] ?? '').split(/=(.*)/s)
          cookies.set(name, value)
        }
        const location = seen.headers.get('location')
        if (location === null) throw new Error(`The provider did not redirect: ${seen.status} ${await seen.text()}`)
        at = new URL(location, at).href
      }
      return at
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
