// Finds the holder of a key, whichever road it came by. A flood of wrong keys is looked up in a few statements, together with new valid keys; a key in
// use is looked up alone.
import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { Failure, invalid } from '../../lib/failure.ts'
import { createApiToken, digestToken, isApiToken, KEY_NOT_VALID } from '../../lib/ids.ts'
import { createByteRates } from '../../lib/limits/bytes.ts'
import { createKeyCounts, createRequestCounts } from '../../lib/limits/counts.ts'
import { createPacedLookups } from '../../lib/limits/paced-lookups.ts'
import { peerOf } from '../../lib/peer-addresses.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import type { AccountsContext, KeyRecognition } from './accounts.context.ts'
import type { ApiKeyCreate } from './api-keys.schema.ts'

type Context = PlatformContext & DomainsContext & AccountsContext

// Making an API key, as a client or a person in the console asks for it.

type Needs = Pick<Context, 'repositories'>
type Asked = Static<typeof ApiKeyCreate>

/** `token` is not kept. `grantId`: of the program that asks; null: no program does. `personId`: who asks, or allowed the program. */
export async function createApiKey(
  context: Needs,
  teamId: string,
  { grantId, personId, ...asked }: Asked & { grantId: string | null; personId: string | null },
): Promise<{ id: string; token: string }> {
  const { token, key } = await validateApiKey(context, teamId, asked)
  const { id } = await context.repositories.apiKeys.create(teamId, { ...key, grantId, personId })
  return { id, token }
}

async function validateApiKey({ repositories: { domains } }: Needs, teamId: string, { name, permission: asked, domain_id: domain }: Asked) {
  const permission = asked ?? 'full_access'
  const domainId = domain?.toLowerCase() ?? null
  if (domainId !== null && permission !== 'sending_access') throw invalid(ONLY_SENDING)
  if (domainId !== null && (await domains.nameOf(teamId, domainId)) === null) throw invalid(UNKNOWN_DOMAIN)
  const token = createApiToken()
  return { token, key: { name, permission, domainId, digest: digestToken(token) } }
}

const ONLY_SENDING =
  'The `domain_id` field needs `permission` to be `sending_access`: a key with full access cannot be restricted to a domain.'
const UNKNOWN_DOMAIN = 'The `domain_id` field is not the id of one of your domains.'

const FAILED_CREDENTIALS_MAX = 60
const FAILED_CREDENTIALS_WINDOW_MS = 60_000
const TEAM_WINDOW_MS = 1_000
/** Simultaneous lookups for one address that has not failed too often. */
const LOOKUPS_AT_ONCE_MAX = 10
/** Simultaneous lookups for all addresses: a part of the connections, however many addresses a client has. */
const LOOKUPS_AT_ONCE_IN_ALL_MAX = 12
/** All further keys share one statement, this often. */
const TOGETHER_EVERY_MS = 200
const TOGETHER_KEYS_MAX = 5_000
const TOGETHER_KEYS_PER_ADDRESS_MAX = 1_000
const RETRY_AFTER_SECONDS = 1

type Dependencies = { repositories: Pick<Context['repositories'], 'apiKeys'> } & Pick<Context, 'config' | 'clock'>

export function createKeyRecognition({ repositories: { apiKeys }, config, clock }: Dependencies): KeyRecognition {
  const isLimited = config.rateLimitPerSecond > 0
  const failures = createRequestCounts({ max: isLimited ? FAILED_CREDENTIALS_MAX : 0, windowMs: FAILED_CREDENTIALS_WINDOW_MS, clock })
  const ofTeams = createRequestCounts({ max: config.rateLimitPerSecond, windowMs: TEAM_WINDOW_MS, clock })
  const bytesPerSecond = config.rateLimitBytesPerSecond
  const bytesOfTeams = createByteRates({ bytesPerSecond, clock })
  const lookingUp = createKeyCounts()
  const together = createPacedLookups({
    everyMs: TOGETHER_EVERY_MS,
    keysMax: TOGETHER_KEYS_MAX,
    keysPerAskerMax: TOGETHER_KEYS_PER_ADDRESS_MAX,
    findAll: (digests) => apiKeys.recognizeManyAcrossTeams(digests),
  })

  async function findHolder(address: string, digest: string): Promise<Caller | null | 'tooMany'> {
    // A key that was used before is looked up at most once a second, and no one can guess one.
    if (apiKeys.wasValidAcrossTeams(digest)) return apiKeys.recognizeAcrossTeams(digest)
    const failed = failures.read(peerOf(address))
    if (failed === null) return apiKeys.recognizeAcrossTeams(digest)
    const { key: peer, remaining } = failed
    if (remaining === 0 || lookingUp.of(peer) >= LOOKUPS_AT_ONCE_MAX || lookingUp.total >= LOOKUPS_AT_ONCE_IN_ALL_MAX) {
      return apiKeys.rememberedAcrossTeams(digest) ?? together.find(peer, digest)
    }
    lookingUp.add(peer)
    try {
      return await apiKeys.recognizeAcrossTeams(digest)
    } finally {
      lookingUp.takeAway(peer)
    }
  }

  return {
    async recognize(address, token) {
      const holder = isApiToken(token) ? await findHolder(address, digestToken(token)) : null
      if (holder === 'tooMany') return tooMany()
      return holder ?? new Failure('invalidApiKey', KEY_NOT_VALID)
    },
    countFailure: (address) => failures.add(peerOf(address)),
    countRequest: ofTeams.add,
    countBytes(teamId, bytes) {
      const retryAfterSeconds = bytesOfTeams.take(teamId, bytes)
      return retryAfterSeconds === null ? null : new Failure('rateLimited', tooManyBytes(bytesPerSecond), { retryAfterSeconds })
    },
  }
}

export const tooManyFailures = (max: number): string =>
  `More than ${max} requests a minute without a valid API key came from your address. Please wait and try again.`

export const tooManyRequests = (max: number): string => `Your team may make ${max} requests a second. Please wait and try again.`

const tooManyBytes = (max: number): string => `Your team may send ${max.toLocaleString('en')} bytes a second. Please wait and try again.`

const tooMany = (): Failure =>
  new Failure('rateLimited', 'Too many unknown API keys are being checked at the moment. Please wait and try again.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
