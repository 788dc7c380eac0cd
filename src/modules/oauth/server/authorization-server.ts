// The authorization server: programs ask for access here, people decide, and programs get tokens (OAuth 2.1).
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import type { InteractionResults } from 'oidc-provider'
import { performAct } from '../../../db/acts.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { KeyVersions } from '../../secrets/data-keys.ts'
import { createDocumentFetch } from '../client-documents.client.ts'
import { OAUTH_GRANTS_MAX } from '../grants.schema.ts'
import type { Allowance, AuthorizationServer, ConsentDecision, ConsentRequest, DeviceRequest, OauthContext } from '../oauth.context.ts'
import { cookieKeys, signingKeys } from '../oauth-keys.ts'
import { createAccessTokens, DEFAULT_RESOURCE } from './access-tokens.ts'
import type { ProviderOptions } from './provider.ts'
import { asksForAnotherResponseMode, createBrowserCookie, replayedRequest } from './replayed-request.ts'

type Context = PlatformContext & OauthContext

type CreateProvider = typeof import('./provider.ts').createProvider
type Needs = Pick<Context, 'repositories' | 'clock' | 'publicUrl' | 'log'> & { documents: Context['gateways']['clientDocuments'] }
export type AuthorizationServerOptions = Pick<ProviderOptions, 'consentPath' | 'devicePath' | 'answerPage'> & {
  versionsOf: () => KeyVersions
}

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

  async function findInteraction(request: IncomingMessage, response: ServerResponse) {
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
      const interaction = await findInteraction(request, response)
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

    async deviceRequestOf(userCode): Promise<DeviceRequest | null> {
      const device = await repositories.oauthRecords.findDevice(normalizedCode(userCode))
      if (!device) return null
      const { clientId, params } = device.payload as { clientId: string; params: { scope?: string; resource?: string | string[] } }
      const client = await repositories.oauthClients.find(clientId)
      if (!client) return null
      const resource = [params.resource].flat()[0] ?? DEFAULT_RESOURCE
      return {
        digest: device.digest,
        client: { clientId, name: client.name },
        scopes: String(params.scope).split(' '),
        resource: resource === DEFAULT_RESOURCE ? null : resource,
      }
    },

    async decideDevice(asked, decision) {
      if (decision === 'refused') {
        const refused = { error: 'access_denied', errorDescription: 'the access was refused' }
        return (await repositories.oauthRecords.decideDevice(asked.digest, refused, null)) ? 'decided' : null
      }
      const grant = await grantForDevice(asked, decision)
      if (grant === 'too many grants') return grant
      const { teamId, scopes } = decision
      const allowed = { accountId: teamId, grantId: grant.id, scope: scopes.join(' '), resource: asked.resource ?? DEFAULT_RESOURCE }
      const isFirst = await repositories.oauthRecords.decideDevice(asked.digest, allowed, grant.id).catch(async (error: unknown) => {
        await repositories.oauthGrants.revokeAcrossTeams(grant.id, 'unused').catch(() => {})
        throw error
      })
      if (isFirst) return 'decided'
      await repositories.oauthGrants.revokeAcrossTeams(grant.id, 'unused')
      return null
    },

    async decide(request, response, asked, decision) {
      const isFirst = await repositories.oauthRecords.consumeInteraction(asked.uid)
      if (!isFirst) return null
      let made: string | null = null
      try {
        if (decision !== 'refused' && decision.grantId === undefined) {
          const grant = await grantFor(decision, asked)
          if (grant === 'too many grants') {
            await repositories.oauthRecords.releaseInteraction(asked.uid)
            return grant
          }
          made = grant.id
        }
        const result = toInteractionResult(decision, made)
        const returnTo = new URL(await browsers.run(cookie.read(request), () => answer(request, response, { decision, result })))
        // Without the host: the browser stays at the address at which it has its cookies.
        return { location: `${returnTo.pathname}${returnTo.search}` }
      } catch (error) {
        // It was not decided, so the person can try again. What cannot be taken back now is open again after a minute, and the grant ends unused.
        await takeBack(asked.uid, made).catch(() => {})
        throw error
      }
    },
  }

  async function grantForDevice(
    { client, resource }: DeviceRequest,
    { teamId, personId, scopes, act }: Allowance,
  ): Promise<{ id: string } | 'too many grants'> {
    const stored = await repositories.oauthClients.find(client.clientId)
    if (!stored) throw new Error('The client of a device is gone')
    const grant = { personId, clientId: stored.id, scopes: [...scopes], resource }
    return performAct(act, () => repositories.oauthGrants.create(teamId, grant, OAUTH_GRANTS_MAX))
  }

  /** What was allowed takes the place of what was asked for: the library gives no other scopes than these. */
  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    { decision, result }: { decision: ConsentDecision; result: InteractionResults },
  ): Promise<string> {
    const interaction = await (await provider()).interactionDetails(request, response)
    interaction.result = result
    if (decision !== 'refused') interaction.params.scope = decision.scopes.join(' ')
    await interaction.save(interaction.exp - Math.floor(Date.now() / 1_000))
    return interaction.returnTo
  }

  async function takeBack(uid: string, grantId: string | null): Promise<void> {
    if (grantId !== null) await repositories.oauthGrants.revokeAcrossTeams(grantId, 'unused')
    await repositories.oauthRecords.releaseInteraction(uid)
  }

  async function grantFor({ teamId, personId, scopes, act }: Allowance, { client, resource }: ConsentRequest) {
    const { clientId, name, logoUri } = client
    const stored = client.isDocument
      ? await repositories.oauthClients.recordDocument({ clientId, name, logoUri, metadata: await findMetadata(clientId) })
      : await repositories.oauthClients.find(clientId)
    if (!stored) throw new Error('The client of a request for access is gone')
    const grant = { personId, clientId: stored.id, scopes: [...scopes], resource }
    return performAct(act, () => repositories.oauthGrants.create(teamId, grant, OAUTH_GRANTS_MAX))
  }

  async function findMetadata(clientId: string) {
    const client = await (await provider()).Client.find(clientId)
    return JSON.parse(JSON.stringify(client?.metadata() ?? {}))
  }
}

/** As the library compares codes: capitals, without what stands between them. */
const normalizedCode = (userCode: string): string => userCode.toUpperCase().replace(/[^A-Z0-9]/g, '')

function toInteractionResult(decision: ConsentDecision, made: string | null): InteractionResults {
  if (decision === 'refused') return { error: 'access_denied', error_description: 'the access was refused' }
  const { teamId, grantId = made ?? '' } = decision
  return { login: { accountId: teamId, remember: false }, consent: { grantId } }
}

function refuse(response: ServerResponse, description: string): void {
  response.writeHead(400, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify({ error: 'invalid_request', error_description: description }))
}
