// Finds the holder of a key, whichever road it came by. A flood of wrong keys is looked up in a few statements, together with new valid keys; a key in
// use is looked up alone.
import type { Context, KeyRecognition } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { peerOf } from '../lib/inbound/peer-addresses.ts'
import { createByteRates } from '../lib/limits/byte-rates.ts'
import { createPacedLookups } from '../lib/limits/paced-lookups.ts'
import { createRequestCounts } from '../lib/limits/request-counts.ts'
import { digestOf, isApiToken, KEY_NOT_VALID } from '../lib/tokens.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'

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
  const lookingUp = new Map<string, number>()
  let lookingUpInAll = 0
  const together = createPacedLookups({
    everyMs: TOGETHER_EVERY_MS,
    keysMax: TOGETHER_KEYS_MAX,
    keysPerAskerMax: TOGETHER_KEYS_PER_ADDRESS_MAX,
    findAll: (digests) => apiKeys.recognizeManyAcrossTeams(digests),
  })

  async function holderOf(address: string, digest: string): Promise<KeyHolder | null | 'tooMany'> {
    // A key that was used before is looked up at most once a second, and no one can guess one.
    if (apiKeys.wasValidAcrossTeams(digest)) return apiKeys.recognizeAcrossTeams(digest)
    const failed = failures.read(peerOf(address))
    if (failed === null) return apiKeys.recognizeAcrossTeams(digest)
    const { key: peer, remaining } = failed
    const atOnce = lookingUp.get(peer) ?? 0
    if (remaining === 0 || atOnce >= LOOKUPS_AT_ONCE_MAX || lookingUpInAll >= LOOKUPS_AT_ONCE_IN_ALL_MAX) {
      return apiKeys.rememberedAcrossTeams(digest) ?? together.find(peer, digest)
    }
    lookingUp.set(peer, atOnce + 1)
    lookingUpInAll += 1
    try {
      return await apiKeys.recognizeAcrossTeams(digest)
    } finally {
      lookingUpInAll -= 1
      const left = (lookingUp.get(peer) ?? 1) - 1
      if (left === 0) lookingUp.delete(peer)
      else lookingUp.set(peer, left)
    }
  }

  return {
    async recognize(address, token) {
      const holder = isApiToken(token) ? await holderOf(address, digestOf(token)) : null
      if (holder === 'tooMany') return tooMany()
      return holder ?? new Failure('invalidApiKey', KEY_NOT_VALID)
    },
    countFailure: (address) => failures.add(peerOf(address)),
    countRequest: (teamId) => ofTeams.add(teamId),
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
  new Failure('rateLimited', 'Too many API keys are being tried out at the moment. Please wait and try again.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
