// The authorization server: programs ask for access here, people decide, and programs get tokens (OAuth 2.1).
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import type { InteractionResults } from 'oidc-provider'
import type { AuthorizationServer, ConsentDecision, ConsentRequest, Context } from '../context.ts'
import type { KeyVersions } from '../lib/signing/data-keys.ts'
import { cookieKeys, signingKeys } from '../lib/signing/oauth-keys.ts'
import { OAUTH_GRANTS_MAX } from '../schemas/oauth-grants.ts'
import { createAccessTokens } from './access-tokens.ts'
import { createBrowserCookie } from './browser-cookie.ts'
import { createDocumentFetch } from './client-documents.ts'
import type { ProviderOptions } from './provider.ts'
import { asksForAnotherResponseMode, replayedRequest } from './replayed-request.ts'
import { DEFAULT_RESOURCE } from './resources.ts'

type CreateProvider = typeof import('./provider.ts').createProvider
type Needs = Pick<Context, 'repositories' | 'clock' | 'publicUrl' | 'log'> & { documents: Context['gateways']['clientDocuments'] }
export type AuthorizationServerOptions = Pick<ProviderOptions, 'consentPath' | 'answerPage'> & { versionsOf: () => KeyVersions }

export function createAuthorizationServer(needs: Needs, { versionsOf, ...pages }: AuthorizationServerOptions): AuthorizationServer {
  const { repositories, publicUrl, log } = needs
  const cookie = createBrowserCookie(needs)
  // The library finds interactions by its own cookies; the one of the browser must say the same.
  const browsers = new AsyncLocalStorage<string | null>()
  const fetchDocument = createDocumentFetch(needs.documents)
  let made: { versions: KeyVersions; keys: ReturnType<typeof signingKeys>; provider: Provider | null } | undefined

  /** The server for the current keys, which change while the process runs. */
  function current() {
    const versions = versionsOf()
    if (made?.versions !== versions) {
      const keys = signingKeys(versions)
      const isSame = made?.keys.map(({ kid }) => kid).join() === keys.map(({ kid }) => kid).join()
      made = { versions, keys: isSame && made ? made.keys : keys, provider: isSame && made ? made.provider : null }
    }
    return made
  }

  async function provider(): Promise<Provider> {
    // Loaded when a program first asks, so that every start is quicker.
    const { createProvider } = await import('./provider.ts')
    const state = current()
    state.provider ??= begin(createProvider, state.keys, cookieKeys(state.versions))
    return state.provider
  }

  function begin(create: CreateProvider, keys: ReturnType<typeof signingKeys>, cookies: string[]): Provider {
    const begun = create(
      { ...needs, browserOf: () => browsers.getStore() ?? null },
      { publicUrl, keys, cookieKeys: cookies, fetchDocument, ...pages },
    )
    begun.on('server_error', (_ctx, error) => log.error({ err: error }, 'authorization request failed'))
    return begun
  }

  async function interactionOf(request: IncomingMessage, response: ServerResponse) {
    const asked = await provider()
    try {
      return await browsers.run(cookie.read(request), () => asked.interactionDetails(request, response))
    } catch {
      // It was decided or has expired, or another browser asked.
      return null
    }
  }

  return {
    ...createAccessTokens(needs, () => current().keys),

    async handle(request, response, body) {
      if (asksForAnotherResponseMode(request.url ?? '/')) return refuse(response, 'response_mode must be query')
      const isBeginning = request.url?.split('?', 1)[0] === '/oauth/authorize'
      const browser = isBeginning ? cookie.ensure(request, response) : cookie.read(request)
      await browsers.run(browser, async () => (await provider()).callback()(replayedRequest(request, { body, publicUrl }), response))
    },

    async requestOf(request, response): Promise<ConsentRequest | null> {
      const interaction = await interactionOf(request, response)
      if (!interaction || interaction.result !== undefined) return null
      const { params, uid } = interaction
      const client = await (await provider()).Client.find(String(params.client_id)).catch(() => undefined)
      if (!client) return null
      const resource = [params.resource].flat()[0]
      return {
        uid,
        client: {
          clientId: client.clientId,
          name: client.clientName ?? client.clientId,
          uri: client.clientUri ?? null,
          logoUri: client.logoUri ?? null,
          isDocument: client.clientIdMetadataDocument === true,
        },
        redirectUri: String(params.redirect_uri),
        scopes: String(params.scope).split(' '),
        resource: resource === undefined || resource === DEFAULT_RESOURCE ? null : String(resource),
        mustAsk: /\b(?:consent|login|select_account)\b/.test(String(params.prompt ?? '')),
      }
    },

    async decide(request, response, asked, decision) {
      const isFirst = await repositories.oauthRecords.consumeInteraction(asked.uid)
      if (!isFirst) return null
      let made: string | null = null
      try {
        if (decision !== 'refused' && decision.grantId === undefined) {
          const grant = await grantFor(decision.teamId, asked)
          if (grant === null || grant === 'full') {
            await repositories.oauthRecords.releaseInteraction(asked.uid)
            return grant
          }
          made = grant.id
        }
        const result = resultOf(decision, made)
        const returnTo = new URL(
          await browsers.run(cookie.read(request), async () => (await provider()).interactionResult(request, response, result)),
        )
        // Without the host: the browser stays at the address at which it has its cookies.
        return { location: `${returnTo.pathname}${returnTo.search}` }
      } catch (error) {
        // It was not decided, so the person can try again. What cannot be taken back now is open again after a minute, and the grant ends unused.
        await takeBack(asked.uid, made).catch(() => {})
        throw error
      }
    },
  }

  async function takeBack(uid: string, grantId: string | null): Promise<void> {
    if (grantId !== null) await repositories.oauthGrants.revokeAcrossTeams(grantId, 'unused')
    await repositories.oauthRecords.releaseInteraction(uid)
  }

  async function grantFor(teamId: string, { client, scopes, resource }: ConsentRequest) {
    const { clientId, name, logoUri } = client
    const stored = client.isDocument
      ? await repositories.oauthClients.recordDocument({ clientId, name, logoUri, metadata: await metadataOf(clientId) })
      : await repositories.oauthClients.find(clientId)
    if (!stored) throw new Error('The client of a request for access is gone')
    return repositories.oauthGrants.create(teamId, { clientId: stored.id, scopes, resource }, OAUTH_GRANTS_MAX)
  }

  async function metadataOf(clientId: string) {
    const client = await (await provider()).Client.find(clientId)
    return JSON.parse(JSON.stringify(client?.metadata() ?? {}))
  }
}

function resultOf(decision: ConsentDecision, made: string | null): InteractionResults {
  if (decision === 'refused') return { error: 'access_denied', error_description: 'the access was refused' }
  const { teamId, grantId = made ?? '' } = decision
  return { login: { accountId: teamId, remember: false }, consent: { grantId } }
}

function refuse(response: ServerResponse, description: string): void {
  response.writeHead(400, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify({ error: 'invalid_request', error_description: description }))
}
