// Finds the holder of the key of a request. A flood of wrong keys is looked up in a few statements, together with new valid keys; a key in use is
// looked up alone.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { createPacedLookups } from '../lib/limits/paced-lookups.ts'
import { digestOf, isApiToken, KEY_NOT_VALID } from '../lib/tokens.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'

/** Simultaneous lookups for one address that has not failed too often. */
const LOOKUPS_AT_ONCE_MAX = 10
/** Simultaneous lookups for all addresses: a part of the connections, however many addresses a client has. */
const LOOKUPS_AT_ONCE_IN_ALL_MAX = 12
/** All further keys share one statement, this often. */
const TOGETHER_EVERY_MS = 200
const TOGETHER_KEYS_MAX = 5_000
const TOGETHER_KEYS_PER_ADDRESS_MAX = 1_000
const RETRY_AFTER_SECONDS = 1

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns a Failure of the kind `invalidApiKey` for an unknown key, which the caller counts, or `rateLimited`. */
    recogniseKey: (request: FastifyRequest, token: string) => Promise<KeyHolder | Failure>
  }
}

export function keyRecognition(app: FastifyInstance, { repositories: { apiKeys } }: Context): void {
  const lookingUp = new Map<string, number>()
  let lookingUpInAll = 0
  const together = createPacedLookups({
    everyMs: TOGETHER_EVERY_MS,
    keysMax: TOGETHER_KEYS_MAX,
    keysPerAskerMax: TOGETHER_KEYS_PER_ADDRESS_MAX,
    findAll: (digests) => apiKeys.recogniseManyAcrossTeams(digests),
  })

  app.decorate('recogniseKey', async (request, token) => {
    const holder = isApiToken(token) ? await holderOf(request, digestOf(token)) : null
    if (holder === 'tooMany') return tooMany()
    return holder ?? new Failure('invalidApiKey', KEY_NOT_VALID)
  })

  async function holderOf(request: FastifyRequest, digest: string): Promise<KeyHolder | null | 'tooMany'> {
    const failures = await app.failedCredentials(request)
    // A key that was used before is looked up at most once a second, and no one can guess one.
    if (failures === null || apiKeys.wasValidAcrossTeams(digest)) return apiKeys.recogniseAcrossTeams(digest)
    const { address, areTooMany } = failures
    const atOnce = lookingUp.get(address) ?? 0
    if (areTooMany || atOnce >= LOOKUPS_AT_ONCE_MAX || lookingUpInAll >= LOOKUPS_AT_ONCE_IN_ALL_MAX) {
      const known = apiKeys.rememberedAcrossTeams(digest)
      return known === undefined ? together.find(address, digest) : known
    }
    lookingUp.set(address, atOnce + 1)
    lookingUpInAll += 1
    try {
      return await apiKeys.recogniseAcrossTeams(digest)
    } finally {
      lookingUpInAll -= 1
      const left = (lookingUp.get(address) ?? 1) - 1
      if (left === 0) lookingUp.delete(address)
      else lookingUp.set(address, left)
    }
  }
}

const tooMany = (): Failure =>
  new Failure('rateLimited', 'Too many API keys are being tried out at the moment. Please wait and try again.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
