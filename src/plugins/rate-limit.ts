// Nine limits, all switched off by RATE_LIMIT_PER_SECOND=0. One for each team, on every request with a valid key and every page of the console, and one
// for each person, on the operations that they call. Five for each client address: on failed credentials, which never refuses a valid key, on sign-in
// links, valid or not, on the registration of clients, on their requests for access, for tokens and for revocation; the last three also for each client
// of OAuth. One for each person, on the codes of command lines that they enter.
import fastifyRateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PlatformContext } from '../http/platform.context.ts'
import { type Clock, HOUR_MS } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { createRequestCounts, createWindowCounts, type RequestCount } from '../lib/limits/counts.ts'
import type { AccountsContext } from '../modules/accounts/accounts.context.ts'
import { tooManyFailures, tooManyRequests } from '../modules/accounts/api-keys.service.ts'

type Context = PlatformContext & AccountsContext

const WINDOW_MS = 1_000
/** A page of the console makes ten at once. A person with several pages gets all they ask for, and takes nothing of what the programs of the team have. */
const PERSON_REQUESTS_MAX = 50
/** Each request looks up a link in the database, and a person opens one. */
const SIGN_IN_LINKS_MAX = 5
/** Clients that an address may register. */
const REGISTRATIONS_MAX = 20
const REGISTRATIONS_WINDOW_MS = HOUR_MS
const AUTHORIZATIONS_MAX = 60
const AUTHORIZATIONS_PER_CLIENT_MAX = 600
/** Requests for tokens and for revocation together. A server that acts for 9,000 people refreshes 600 tokens a minute. */
const TOKENS_MAX = 600
/** Anyone can name a client that has no secret, so no single address can use up what a client has. */
const TOKENS_PER_CLIENT_MAX = 6_000
const OAUTH_WINDOW_MS = 60_000
/** A code has 20^8 forms and lives for ten minutes. */
const DEVICE_CODES_MAX = 30
const DEVICE_CODES_WINDOW_MS = 600_000
/** Teams and addresses that are counted at once. The least recently used are forgotten. */
const COUNTERS_MAX = 10_000

type Limiter = (request: FastifyRequest) => Promise<RequestCount | null>

type CountOfClient = (request: FastifyRequest, reply: FastifyReply, client: string | null) => Promise<Failure | null>

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts a failed credential of this client address. Returns a Failure once there were too many. */
    countFailedCredential: (request: FastifyRequest, reply: FastifyReply) => Promise<Failure | null>
    /** Counts a request for a sign-in link, valid or not. Returns a Failure once there were too many. */
    countSignInLink: (request: FastifyRequest, reply: FastifyReply) => Promise<Failure | null>
    /** Counts the registration of a client from this address. Returns a Failure once there were too many. */
    countRegistration: (request: FastifyRequest, reply: FastifyReply) => Promise<Failure | null>
    /**
     * Counts a request for access, which is remembered until it is decided, for its address and for the client that it names. Returns a Failure
     * once there were too many.
     */
    countAuthorization: CountOfClient
    /** Counts a code of a command line that the person has entered, right or wrong. Returns a Failure once there were too many. */
    countDeviceCode: (request: FastifyRequest, reply: FastifyReply) => Promise<Failure | null>
    /** Counts a request for tokens or for revocation. */
    countTokenRequest: CountOfClient
    /** Counts a request of the team, or of the person who makes it. Returns a Failure once there were too many. */
    countTeamRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<Failure | null>
  }
}

export async function rateLimit(app: FastifyInstance, { config, clock, keyRecognition }: Context): Promise<void> {
  await app.register(fastifyRateLimit, { global: false, store: storeBy(clock) })
  // The plugin's own key is the address; for IPv6 its /64.
  const linksPerAddress = limiter({ max: SIGN_IN_LINKS_MAX, timeWindow: WINDOW_MS })

  const registrationsPerAddress = limiter({ max: REGISTRATIONS_MAX, timeWindow: REGISTRATIONS_WINDOW_MS })

  const ofPersons = createRequestCounts({ max: config.rateLimitPerSecond === 0 ? 0 : PERSON_REQUESTS_MAX, windowMs: WINDOW_MS, clock })
  app.decorate('countTeamRequest', async ({ holder, session, signedIn }, reply) => {
    const person = signedIn ?? holder?.person
    if (person) return verdict(ofPersons.add(person.id), reply, tooManyOfPerson)
    return verdict(keyRecognition.countRequest((holder ?? session)?.teamId ?? ''), reply, tooManyRequests)
  })
  app.decorate('countFailedCredential', async (request, reply) => verdict(keyRecognition.countFailure(request.ip), reply, tooManyFailures))
  app.decorate('countSignInLink', async (request, reply) =>
    verdict(
      await linksPerAddress(request),
      reply,
      (max) => `More than ${max} sign-in links a second were opened from your address. Please wait and try again.`,
    ),
  )
  app.decorate('countRegistration', async (request, reply) =>
    verdict(
      await registrationsPerAddress(request),
      reply,
      (max) => `More than ${max} clients an hour were registered from your address. Please wait and try again.`,
    ),
  )
  const codesPerPerson = limiter({
    max: DEVICE_CODES_MAX,
    timeWindow: DEVICE_CODES_WINDOW_MS,
    keyGenerator: ({ session }) => session?.personId ?? '',
  })
  app.decorate('countDeviceCode', async (request, reply) =>
    verdict(
      await codesPerPerson(request),
      reply,
      (max) => `More than ${max} codes in ten minutes were entered. Please wait and try again.`,
    ),
  )
  app.decorate(
    'countAuthorization',
    countOfClient({ what: 'requests for access', perAddress: AUTHORIZATIONS_MAX, perClient: AUTHORIZATIONS_PER_CLIENT_MAX }),
  )
  app.decorate(
    'countTokenRequest',
    countOfClient({ what: 'requests for tokens', perAddress: TOKENS_MAX, perClient: TOKENS_PER_CLIENT_MAX }),
  )

  /** A request that is refused for its address is not counted for its client. */
  function countOfClient({ what, perAddress, perClient }: { what: string; perAddress: number; perClient: number }): CountOfClient {
    const clients = new WeakMap<FastifyRequest, string>()
    const ofAddress = limiter({ max: perAddress, timeWindow: OAUTH_WINDOW_MS })
    const ofClient = limiter({ max: perClient, timeWindow: OAUTH_WINDOW_MS, keyGenerator: (request) => clients.get(request) ?? '' })
    return async (request, reply, client) => {
      const sentence = (from: string) => (max: number) => `More than ${max} ${what} a minute came from ${from}. Please wait and try again.`
      const refusal = verdict(await ofAddress(request), reply, sentence('your address'))
      if (refusal || client === null) return refusal
      clients.set(request, client)
      return verdict(await ofClient(request), reply, sentence('this client'))
    }
  }

  function limiter(options: { max: number; timeWindow: number; keyGenerator?: (request: FastifyRequest) => string }): Limiter {
    const count = app.createRateLimit(options)
    return async (request) => {
      if (config.rateLimitPerSecond === 0) return null
      const result = await count(request)
      return result.isAllowed ? null : result
    }
  }
}

const tooManyOfPerson = (max: number): string => `You may make ${max} requests a second. Please wait and try again.`

/** The plugin's own store uses the wall clock. If that is set back, it would refuse a team until the clock has caught up. */
const storeBy = (clock: Clock) =>
  class Store implements FastifyRateLimitStore {
    private readonly counts = createWindowCounts({ keysMax: COUNTERS_MAX, clock })
    incr(key: string, callback: Parameters<FastifyRateLimitStore['incr']>[1], windowMs: number): void {
      callback(null, this.counts.add(key, windowMs))
    }
    read(key: string, callback: Parameters<FastifyRateLimitStore['incr']>[1], windowMs: number): void {
      callback(null, this.counts.read(key, windowMs))
    }
    child(): FastifyRateLimitStore {
      return new Store()
    }
  }

function verdict(count: RequestCount | null, reply: FastifyReply, sentence: (max: number) => string): Failure | null {
  if (!count) return null
  // Without an operation the answer is the same for everyone. The limit would reveal whether a key is valid.
  if (count.isExceeded || !reply.request.is404) {
    reply.headers({
      'ratelimit-limit': count.max,
      'ratelimit-remaining': count.remaining,
      'ratelimit-reset': count.ttlInSeconds,
      // The form of draft-ietf-httpapi-ratelimit-headers-10. The three headers above are those of its earlier versions, which clients read.
      'ratelimit-policy': `"default";q=${count.max};w=${count.timeWindow / 1_000}`,
      ratelimit: `"default";r=${count.remaining};t=${count.ttlInSeconds}`,
    })
  }
  if (!count.isExceeded) return null
  return new Failure('rateLimited', sentence(count.max), { retryAfterSeconds: Math.max(1, count.ttlInSeconds) })
}
