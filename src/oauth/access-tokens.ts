// Recognizes access tokens (RFC 9068). A token that was checked is remembered until it expires; its grant is looked up at most once a second.
import type { JWTPayload } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Context } from '../context.ts'
import type { SigningJwk } from '../lib/signing/oauth-keys.ts'
import { digestOf } from '../lib/tokens.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'

/** Ours have about 700 characters. */
const TOKEN_LENGTH_MAX = 4_096
const TOKENS_CACHED_MAX = 10_000
const FORM = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/

type Checked = { grantId: string; clientId: string; scopes: string[]; expiresAtMs: number; kid: string }
type Needs = Pick<Context, 'clock' | 'publicUrl'> & { repositories: Pick<Context['repositories'], 'oauthGrants'> }

export function createAccessTokens({ repositories, clock, publicUrl }: Needs, keysOf: () => SigningJwk[]) {
  const checked = new LRUCache<string, Checked>({ max: TOKENS_CACHED_MAX })

  async function check(token: string): Promise<Checked | null> {
    // Loaded when the first such token comes, so that every start is quicker.
    const { importJWK, jwtVerify } = await import('jose')
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        async ({ kid }) => {
          // Only keys of ours, by their names: nothing in a token says where to look for one.
          const key = keysOf().find((each) => each.kid === kid)
          if (!key) throw new Error('This key is not known')
          const { d: _private, ...publicKey } = key
          return importJWK(publicKey)
        },
        { algorithms: ['ES256'], typ: 'at+jwt', issuer: publicUrl, audience: publicUrl, requiredClaims: ['exp'], currentDate: clock.now() },
      )
      return claimsOf(payload, protectedHeader.kid ?? '')
    } catch {
      return null
    }
  }

  return {
    /** Null unless it is a token of ours, has not expired, and its grant is active. */
    async recognize(token: string): Promise<KeyHolder | null> {
      if (token.length > TOKEN_LENGTH_MAX || !FORM.test(token)) return null
      const digest = digestOf(token)
      const known = checked.get(digest) ?? (await check(token))
      const isValid = known && known.expiresAtMs > clock.now().getTime() && keysOf().some(({ kid }) => kid === known.kid)
      if (!isValid) return null
      checked.set(digest, known)
      const grant = await repositories.oauthGrants.recognizeAcrossTeams(known.grantId)
      if (grant === null || grant.clientId !== known.clientId) return null
      const { id, teamId } = grant
      return { teamId, apiKeyId: id, permission: 'full_access', domainId: null, grant: { id, scopes: known.scopes } }
    },
  }
}

function claimsOf({ grant_id: grantId, client_id: clientId, scope, exp }: JWTPayload, kid: string): Checked | null {
  if (typeof grantId !== 'string' || typeof clientId !== 'string' || typeof scope !== 'string' || exp === undefined) return null
  return { grantId, clientId, scopes: scope.split(' '), expiresAtMs: exp * 1_000, kid }
}
