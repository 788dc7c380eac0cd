// Recognizes access tokens (RFC 9068). A token that was checked is remembered until it expires; its grant is looked up at most once a second.

import type { JWTPayload } from 'jose'
import { LRUCache } from 'lru-cache'
import { oneOf } from '../../../db/columns.ts'
import type { Caller } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { upTo } from '../../../lib/cache.ts'
import { digestToken } from '../../../lib/ids.ts'
import { MEMBER_ROLES } from '../../../lib/member-roles.ts'
import { withinRole } from '../../accounts/people/roles.ts'
import type { OauthContext } from '../oauth.context.ts'
import type { SigningJwk } from '../oauth-keys.ts'

type Context = PlatformContext & OauthContext

/** Ours have about 700 characters. */
const TOKEN_LENGTH_MAX = 4_096
const TOKENS_CACHED_MAX = 10_000
const FORM = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/

type Checked = { grantId: string; clientId: string; scopes: string[]; expiresAtMs: number; kid: string }
type Needs = Pick<Context, 'clock' | 'publicUrl'> & { repositories: Pick<Context['repositories'], 'oauthGrants'> }

export function createAccessTokens({ repositories, clock, publicUrl }: Needs, keysOf: () => SigningJwk[]) {
  const checked = new LRUCache<string, Checked>(upTo(TOKENS_CACHED_MAX))

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
      return readClaims(payload, protectedHeader.kid ?? '')
    } catch {
      return null
    }
  }

  return {
    /** Null unless it is a token of ours, has not expired, and its grant is active. */
    async recognize(token: string): Promise<Caller | null> {
      if (token.length > TOKEN_LENGTH_MAX || !FORM.test(token)) return null
      const digest = digestToken(token)
      const known = checked.get(digest) ?? (await check(token))
      const isValid = known && known.expiresAtMs > clock.now().getTime() && keysOf().some(({ kid }) => kid === known.kid)
      if (!isValid) return null
      checked.set(digest, known)
      const grant = await repositories.oauthGrants.recognizeAcrossTeams(known.grantId)
      if (grant === null || grant.clientId !== known.clientId) return null
      const { id, teamId, personId, role } = grant
      const scopes = role === null ? known.scopes : withinRole(oneOf(MEMBER_ROLES, role), known.scopes)
      return { teamId, apiKeyId: id, permission: 'full_access', domainId: null, scopes, grant: { id, personId } }
    },
  }
}

function readClaims({ grant_id: grantId, client_id: clientId, scope, exp }: JWTPayload, kid: string): Checked | null {
  if (typeof grantId !== 'string' || typeof clientId !== 'string' || typeof scope !== 'string' || exp === undefined) return null
  return { grantId, clientId, scopes: scope.split(' '), expiresAtMs: exp * 1_000, kid }
}

// What a token is for (RFC 8707): always this service, by whichever of its addresses a program names it.

/** Stands for "none was named", so that it can be told from the address of the service. */
export const DEFAULT_RESOURCE = 'urn:posthaste:api'

/** Whether a resource is this service: its address, or any below it. */
export function isOwnResource(resource: string, publicUrl: string): boolean {
  if (resource === DEFAULT_RESOURCE) return true
  const parsed = URL.parse(resource)
  return (
    parsed !== null && parsed.origin === new URL(publicUrl).origin && parsed.username === '' && parsed.password === '' && parsed.hash === ''
  )
}
