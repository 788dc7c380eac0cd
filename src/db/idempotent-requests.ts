// Keeps the promise of Idempotency-Key for everything that requests are accepted into; in SQL, because a key is a row of the statement that accepts.
import { hash } from 'node:crypto'
import { HOUR_MS } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { createGroupCommit } from '../lib/group-commit.ts'
import { nameTarget, pendingAct } from './acts.ts'
import { type ColumnType, rowArrays } from './columns.ts'
import type { Database, Execute } from './database.ts'
import { isRefusedData } from './database-errors.ts'

// Removes expired idempotency keys; in SQL, because a key that is used again meanwhile must stay, and because it reads the table page by page: an index
// on their expiry would cost every accepted email more than this.

/** Read by one statement: some thousand keys, a few milliseconds. */
const PAGES_AT_ONCE = 100
/** A table of up to this size (80 MB) is read whole by each sweep, and a larger one in parts by sweeps that follow each other. */
const PAGES_MIN = 10_000
const PARTS = 4
const SWEEP_EVERY_MS = HOUR_MS
/** Keys are kept a little longer than promised, so that a request which lost to one still finds it. */
const GRACE_MS = HOUR_MS

/** @param pagesMin for tests */
export function idempotencyKeyRepository({ execute }: Pick<Database, 'execute'>, { pagesMin = PAGES_MIN } = {}) {
  return {
    /** Removes expired keys, a few pages at a time; returns how many. A key is removed at most five hours after it has expired. */
    async removeExpiredAcrossTeams(now: Date): Promise<number> {
      const [size] = await execute<{ pages: number }>(PAGES)
      const { from, to } = size && size.pages > pagesMin ? nextRangeToPrune(size.pages, now) : { from: 0, to: size?.pages ?? 0 }
      const before = new Date(now.getTime() - GRACE_MS)
      let removed = 0
      for (let page = from; page < to; page += PAGES_AT_ONCE)
        removed += (await execute(REMOVE, [`(${page},0)`, `(${Math.min(page + PAGES_AT_ONCE, to)},0)`, before])).length
      return removed
    },
  }
}

function nextRangeToPrune(pages: number, now: Date): { from: number; to: number } {
  const part = Math.floor(now.getTime() / SWEEP_EVERY_MS) % PARTS
  return { from: Math.floor((pages * part) / PARTS), to: Math.floor((pages * (part + 1)) / PARTS) }
}

const PAGES = `select (pg_relation_size('idempotency_keys') / current_setting('block_size')::int)::int as pages`

const REMOVE = 'delete from idempotency_keys where ctid >= $1::tid and ctid < $2::tid and expires_at < $3 returning 1'

export type Idempotency = { operation: string; key: string; bodyHash: string }

/** What a key needs to know of a request. */
export type KeyedRequest = {
  teamId: string
  acceptedAt: Date
  idempotency: Idempotency | null
  /** The answer to a repetition of the request. */
  response: object
}

export type AcceptanceResult = { kind: 'accepted' } | { kind: 'repeated'; response: unknown } | { kind: 'conflict' }

/** Another request had the key: `unread` when its answer could not be read, and `gone` when it has expired between two statements. */
type Unsettled = { kind: 'unread'; error: unknown } | { kind: 'gone' }

/**
 * The result of one request of a batch. What is unsettled has stored nothing and does not affect the other requests, which are committed.
 */
export type BatchResult = AcceptanceResult | Unsettled

export const IDEMPOTENCY_KEY_HOURS = 24

/** A key expires once a day. Losing the same race three times in a row has another cause. */
const TRIES_MAX = 3

type AcceptorOptions<Request, Result> = {
  /** Stores a batch of requests in one commit. Results have the order of the requests. */
  commit(requests: Request[]): Promise<(Result | Unsettled)[]>
  /** The bytes of a request, roughly. */
  weightOf(request: Request): number
}

/** Accepts one request. Requests that arrive together share a commit. After a Failure nothing of the request was stored. */
export function requestAcceptor<Request extends Pick<KeyedRequest, 'response'>, Result extends { kind: string }>({
  commit,
  weightOf,
}: AcceptorOptions<Request, Result>) {
  const group = createGroupCommit<Request, Result | Unsettled>({ commit, isFaultOfOne: isRefusedData })
  async function commitAct(request: Request): Promise<Result | Unsettled> {
    nameTarget(request.response)
    const [result] = await commit([request])
    return result ?? { kind: 'gone' }
  }
  return async (request: Request): Promise<Result> => {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      // The row of an act is committed with the request alone.
      const result = pendingAct() ? await commitAct(request) : await group.submit(request, weightOf(request))
      if (isUnread(result)) throw unreadAnswer(result.error)
      if (!isGone(result)) return result
    }
    throw unreadAnswer()
  }
}

const isUnread = (result: { kind: string }): result is Extract<Unsettled, { kind: 'unread' }> => result.kind === 'unread'
const isGone = (result: { kind: string }): result is Extract<Unsettled, { kind: 'gone' }> => result.kind === 'gone'

const unreadAnswer = (cause?: unknown): Failure =>
  new Failure('unavailable', 'The earlier answer for this `Idempotency-Key` could not be read. Please send the same request again.', {
    retryAfterSeconds: 1,
    cause,
  })

/**
 * Stores a batch of requests in one commit.
 *
 * @param store gets requests without a repeated key. Returns the ordinals of those that were stored.
 */
export async function acceptKeyed<Request extends KeyedRequest>(
  execute: Execute,
  requests: Request[],
  store: (firsts: Request[]) => Promise<number[]>,
): Promise<BatchResult[]> {
  const firsts = firstOfEachKey(requests)
  const ordinals = await store(firsts)
  const won = new Set(ordinals.map((ordinal) => firsts[ordinal]))
  const lost = requests.filter((request) => !won.has(request))
  const resultOfLost = lost.length > 0 ? await readResults(execute, lost) : () => ({ kind: 'gone' }) as const
  return requests.map((request) => (won.has(request) ? { kind: 'accepted' } : resultOfLost(request)))
}

/**
 * Stores the key of one request, in the transaction that stores the rest of it. Nothing of the request may be stored unless it is `accepted`.
 *
 * @throws Failure if the earlier answer cannot be read
 */
export async function acceptOne(inside: Execute, request: KeyedRequest): Promise<AcceptanceResult> {
  if (!request.idempotency) return { kind: 'accepted' }
  const [result] = await acceptKeyed(inside, [request], async (requests) => {
    const rows = await inside<{ ordinal: number }>(STORE_KEYS, REQUESTS.values(requests.map(requestRow)))
    return rows.map(({ ordinal }) => ordinal)
  })
  if (result === undefined || isGone(result)) throw unreadAnswer()
  if (isUnread(result)) throw unreadAnswer(result.error)
  return result
}

/** The other requests of the batch are committed by now. An error here is the result of the requests that lost, and never of all. */
async function readResults(execute: Execute, lost: KeyedRequest[]): Promise<(request: KeyedRequest) => BatchResult> {
  try {
    const earlier = await readEarlier(execute, lost)
    return (request) => toBatchResult(request, earlier)
  } catch (error) {
    return () => ({ kind: 'unread', error })
  }
}

/**
 * Only the first of the requests with the same key, because one statement cannot insert a row twice. The others find its row like any repetition.
 */
function firstOfEachKey<Request extends KeyedRequest>(requests: Request[]): Request[] {
  const seen = new Set<string>()
  return requests.filter(({ teamId, idempotency }) => {
    if (!idempotency) return true
    const key = JSON.stringify([teamId, idempotency.operation, idempotency.key])
    const isFirst = !seen.has(key)
    seen.add(key)
    return isFirst
  })
}

/** What a key is stored by, as PostgreSQL writes and reads it. */
const digestOf = ({ operation, key }: Omit<Idempotency, 'bodyHash'>): string =>
  `\\x${hash('sha256', `${operation}\n${key}`).slice(0, 2 * DIGEST_BYTES)}`
/** No client can find two keys of its team with the same digest. */
const DIGEST_BYTES = 16

type Earlier = { teamId: string; digest: string; bodyHash: string; response: unknown; expiresAt: Date }

/** A new statement, and so a new snapshot: the row that won is committed and visible. */
const readEarlier = (execute: Execute, requests: Pick<KeyedRequest, 'teamId' | 'idempotency'>[]): Promise<Earlier[]> =>
  execute<Earlier>(
    `select k.team_id as "teamId", k.digest::text as digest, k.body_hash as "bodyHash", k.response, k.expires_at as "expiresAt"
       from idempotency_keys k join unnest($1::uuid[], $2::bytea[]) as wanted(team_id, digest) using (team_id, digest)`,
    [requests.map(({ teamId }) => teamId), requests.map(({ idempotency }) => idempotency && digestOf(idempotency))],
  )

/** The answer that the same request got before; null if it was not made in the last 24 hours, or if its key was used with another body. */
export async function findEarlierAnswer(
  { execute }: Pick<Database, 'execute'>,
  teamId: string,
  idempotency: Idempotency,
  now: Date,
): Promise<unknown> {
  const [row] = await readEarlier(execute, [{ teamId, idempotency }])
  return row && row.bodyHash === idempotency.bodyHash && row.expiresAt > now ? row.response : null
}

/**
 * Whether something may be done that is done once within a time, by whatever process: its turn is a key that expires. The sweep of expired keys removes it.
 */
export async function beginTurn(
  { execute }: Pick<Database, 'execute'>,
  teamId: string,
  turn: Omit<Idempotency, 'bodyHash'>,
  { now, until }: { now: Date; until: Date },
): Promise<boolean> {
  const rows = await execute(
    `insert into idempotency_keys as k (team_id, digest, body_hash, response, expires_at) values ($1, $2::bytea, '', '{}', $4)
       on conflict (team_id, digest) do update set expires_at = excluded.expires_at where k.expires_at <= $3 returning 1`,
    [teamId, digestOf(turn), now, until],
  )
  return rows.length > 0
}

/** It was not done: it may be done at once. */
export async function endTurn({ execute }: Pick<Database, 'execute'>, teamId: string, turn: Omit<Idempotency, 'bodyHash'>): Promise<void> {
  await execute('delete from idempotency_keys where team_id = $1 and digest = $2::bytea', [teamId, digestOf(turn)])
}

function toBatchResult({ teamId, idempotency }: KeyedRequest, earlier: Earlier[]): BatchResult {
  const digest = idempotency && digestOf(idempotency)
  const row = earlier.find((one) => one.teamId === teamId && one.digest === digest)
  if (!row) return { kind: 'gone' }
  return row.bodyHash === idempotency?.bodyHash ? { kind: 'repeated', response: row.response } : { kind: 'conflict' }
}

/** How a request is handed to the accepting statement. What only its key needs is null without one. */
export const requestRow = ({ teamId, acceptedAt, idempotency, response }: KeyedRequest, ordinal: number) => ({
  ordinal,
  teamId,
  acceptedAt,
  digest: idempotency && digestOf(idempotency),
  bodyHash: idempotency?.bodyHash,
  response: idempotency && response,
})

export const REQUEST_COLUMNS = {
  ordinal: 'int',
  teamId: 'uuid',
  acceptedAt: 'timestamptz',
  digest: 'bytea',
  bodyHash: 'text',
  response: 'jsonb',
} satisfies Record<string, ColumnType>

/** The first parameters of a statement. */
export const REQUESTS = rowArrays(REQUEST_COLUMNS, 1)

/**
 * SQL that stores the keys of requests, and returns those that were free. Keys are inserted in a fixed order, so that two batches cannot wait for
 * each other. A request that waits for a row lock waits for the commit of the other.
 *
 * @param requests SQL for the requests
 */
export const storeKeys = (requests: string): string => `
  insert into idempotency_keys as k (team_id, digest, body_hash, response, expires_at)
  select "teamId", digest, "bodyHash", response, "acceptedAt" + interval '${IDEMPOTENCY_KEY_HOURS} hours' from ${requests} r where digest is not null order by 1, 2
  on conflict (team_id, digest) do update set body_hash = excluded.body_hash, response = excluded.response, expires_at = excluded.expires_at
    where k.expires_at <= excluded.expires_at - interval '${IDEMPOTENCY_KEY_HOURS} hours'
  returning k.team_id, k.digest`

/** SQL: whether request `r` may be stored, beside `w`, its key if that was stored. */
export const isFirstRequest = 'r.digest is null or w.digest is not null'

const STORE_KEYS = `
with request as (select * from ${REQUESTS.source} r), won as (${storeKeys('request')})
select r.ordinal from request r join won w on w.team_id = r."teamId" and w.digest = r.digest`
