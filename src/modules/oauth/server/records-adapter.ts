// How the library reads and writes what it remembers. Codes and tokens are stored as digests; a grant is a row of the team that gave it.
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { digestToken } from '../../../lib/ids.ts'
import type { OauthContext } from '../oauth.context.ts'
import type { RefreshTokenUse } from '../records.repository.ts'
import { DEFAULT_RESOURCE } from './access-tokens.ts'

type Context = PlatformContext & OauthContext

/** `browserOf`: the digest of the browser that asks now. */
type Needs = Pick<Context, 'repositories' | 'clock'> & { browserOf: () => string | null }

/**
 * A refresh token that was used within this time is taken again: the answer may not have arrived. After it, the same token in a second hand ends
 * the whole grant.
 */
const REUSE_GRACE_MS = 60_000
/** The first use, and three more while none of the tokens that followed was used. */
const USES_MAX = 4
/** How long the library believes a grant to last. The grant is read anew for each request. */
const GRANT_SECONDS = 3_600

/** What the library keeps of each kind of record; nothing of those that are not named here, such as sessions, which the console has. */
const STORED = ['AuthorizationCode', 'RefreshToken', 'Interaction', 'DeviceCode']
/** Codes that are redeemed once. */
const CODES = ['AuthorizationCode', 'DeviceCode']
const CODE_GRANTS: unknown[] = ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code']

export function adapterFor(needs: Needs): (name: string) => Adapter {
  return (name) => {
    if (name === 'Client') return clientAdapter(needs)
    if (name === 'Grant') return grantAdapter(needs)
    return STORED.includes(name) ? recordAdapter(needs, name) : NOTHING
  }
}

const NOTHING: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
}

function clientAdapter({ repositories: { oauthClients } }: Needs): Adapter {
  return {
    ...NOTHING,
    async upsert(id, { jti: _jti, ...metadata }) {
      const { client_secret: secret, client_name: name = '', logo_uri: logoUri = null } = metadata
      const stored = { ...metadata, ...(secret !== undefined && { client_secret: digestToken(secret) }) }
      await oauthClients.register({ clientId: id, name, logoUri, metadata: JSON.parse(JSON.stringify(stored)) })
    },
    async find(id) {
      const client = await (isAsking() ? oauthClients.find(id) : oauthClients.recall(id))
      if (!client) return undefined
      // The document is read anew when people are asked. Programs that come with a code or token are known by then.
      if (client.origin === 'document' && isAsking()) return undefined
      return { ...(client.metadata as object), client_id: client.clientId, client_name: client.name }
    },
  }
}

const isAsking = (): boolean => [undefined, 'authorization'].includes(Provider.ctx?.oidc?.route)

function grantAdapter({ repositories: { oauthGrants }, clock }: Needs): Adapter {
  return {
    ...NOTHING,
    async upsert() {
      throw new Error('Grants are made on the page where people decide')
    },
    async find(id) {
      // The use of a refresh token looks again, under the lock of the grant.
      const isRefresh = Provider.ctx?.oidc?.params?.grant_type === 'refresh_token'
      const grant = await (isRefresh ? oauthGrants.recognizeAcrossTeams(id) : oauthGrants.findActiveAcrossTeams(id))
      if (!grant) return undefined
      const nowSeconds = Math.floor(clock.now().getTime() / 1_000)
      return {
        jti: grant.id,
        kind: 'Grant',
        accountId: grant.teamId,
        clientId: grant.clientId,
        resources: { [grant.resource ?? DEFAULT_RESOURCE]: grant.scopes.join(' ') },
        iat: Math.floor(grant.createdAt.getTime() / 1_000),
        exp: nowSeconds + GRANT_SECONDS,
      }
    },
    async destroy(id) {
      const isByClient = Provider.ctx?.oidc?.route === 'revocation'
      const isCode = CODE_GRANTS.includes(Provider.ctx?.oidc?.params?.grant_type)
      await oauthGrants.revokeAcrossTeams(id, isByClient ? 'revoked_by_client' : isCode ? 'code_reused' : 'token_reused')
    },
  }
}

function recordAdapter({ repositories: { oauthRecords, oauthGrants }, clock, browserOf }: Needs, kind: string): Adapter {
  const keyOf = (id: string) => ({ kind, digest: digestToken(id) })
  // How many refresh tokens came before the one that a request uses.
  const turns = new WeakMap<object, number>()

  async function find(id: string): Promise<AdapterPayload | undefined> {
    const record = await oauthRecords.find(keyOf(id))
    if (!record) return undefined
    const { consumedAt, expiresAt } = record
    // Only the browser in which it began decides it and gets its answer.
    if (kind === 'Interaction' && (record.payload as { browser?: string | null }).browser !== browserOf()) return undefined
    // Whether a refresh token can be used again is decided where it is used.
    const isConsumed = kind !== 'RefreshToken' && consumedAt !== null
    return {
      ...(record.payload as AdapterPayload),
      jti: id,
      exp: Math.floor(expiresAt.getTime() / 1_000),
      ...(isConsumed && { consumed: Math.floor(consumedAt.getTime() / 1_000) }),
    }
  }

  async function useRefreshToken(id: string): Promise<void> {
    const turn = await oauthRecords.useRefreshToken(digestToken(id), { graceMs: REUSE_GRACE_MS, usesMax: USES_MAX })
    if (turn !== null) {
      if (Provider.ctx) turns.set(Provider.ctx, turn)
      return
    }
    const { grantId } = (await find(id)) ?? {}
    if (grantId !== undefined) await oauthGrants.revokeAcrossTeams(grantId, 'token_reused')
    throw new errors.InvalidGrant('refresh token already used')
  }

  /** What the library does not keep by itself. */
  function kept(): RefreshTokenUse | { browser: string | null } {
    if (kind === 'Interaction') return { browser: browserOf() }
    const rotated = kind === 'RefreshToken' ? Provider.ctx?.oidc?.entities.RotatedRefreshToken?.jti : undefined
    return rotated === undefined ? {} : { follows: digestToken(rotated), turn: (turns.get(Provider.ctx ?? {}) ?? 0) + 1 }
  }

  return {
    ...NOTHING,
    async upsert(id, { jti: _jti, ...payload }, expiresIn) {
      const expiresAt = new Date(clock.now().getTime() + (expiresIn ?? 0) * 1_000)
      const { userCode, ...rest } = payload
      const stored = { ...rest, ...kept() }
      // What is absent in JSON is undefined here.
      await oauthRecords.save({ ...keyOf(id), payload: JSON.parse(JSON.stringify(stored)), grantId: payload.grantId ?? null, expiresAt })
      if (userCode !== undefined) await oauthRecords.saveUserCode({ userCode, device: keyOf(id).digest, expiresAt })
    },
    find,
    async consume(id) {
      if (kind === 'RefreshToken') return useRefreshToken(id)
      if (await oauthRecords.consume(keyOf(id))) return
      if (!CODES.includes(kind)) return
      // Two requests came with one code at once, and one of them was first.
      const { grantId } = (await find(id)) ?? {}
      if (grantId !== undefined) await oauthGrants.revokeAcrossTeams(grantId, 'code_reused')
      throw new errors.InvalidGrant('code already consumed')
    },
    destroy: (id) => oauthRecords.remove(keyOf(id)),
  }
}
