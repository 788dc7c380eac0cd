// Reads an account by the API of Resend, patiently: within its rate limit, again after what passes, and never more than fits.
import { setTimeout as wait } from 'node:timers/promises'
import { quotedValue } from '../../lib/problem.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { storable } from '../../lib/text.ts'

/** A record as it came: nothing of it was checked. */
export type TheirRecord = Record<string, unknown>

export type ResendClient = {
  /** Null if there is none. @throws StartupProblem if it cannot be read. */
  find(path: string): Promise<TheirRecord | null>
  /** All records of a list, in its order, page by page. Nothing if there is no such list. @throws StartupProblem if it cannot be read. */
  list(path: string): AsyncGenerator<TheirRecord>
}

type Options = {
  /** Base of the API. */
  url: string
  key: string
  /** Handed in by tests. */
  pause?: (ms: number) => Promise<unknown>
  answerMsMax?: number
}

const ANSWER_MS_MAX = 30_000
/** A page of a hundred records, or one template with the longest content. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024
const TRIES_MAX = 6
const FIRST_PAUSE_MS = 1_000
/** Longer waits that an answer asks for are cut: the tries are counted. */
const PAUSE_MS_MAX = 60_000
const PAGE_SIZE = 100
/** A million records. */
const PAGES_MAX = 10_000

type Tried = { record: TheirRecord | null } | { problem: string; pauseMs: number | null }

export function createResendClient({ url, key, pause = wait, answerMsMax = ANSWER_MS_MAX }: Options): ResendClient {
  const base = url.endsWith('/') ? url.slice(0, -1) : url

  async function find(path: string): Promise<TheirRecord | null> {
    for (let tries = 1; ; tries += 1) {
      const tried = await attempt(path)
      if ('record' in tried) return tried.record
      if (tries >= TRIES_MAX) throw new StartupProblem(`${base}${path} could not be read in ${TRIES_MAX} tries: ${tried.problem}. ${AGAIN}`)
      await pause(Math.min(tried.pauseMs ?? FIRST_PAUSE_MS * 2 ** (tries - 1), PAUSE_MS_MAX))
    }
  }

  async function attempt(path: string): Promise<Tried> {
    try {
      // Their answer never sends the key elsewhere.
      const response = await fetch(`${base}${path}`, {
        headers: { authorization: `Bearer ${key}`, accept: 'application/json', 'user-agent': 'posthaste-import' },
        redirect: 'error',
        signal: AbortSignal.timeout(answerMsMax),
      })
      const { status, headers } = response
      if (status === 404 || status === 405) return { record: null }
      const record = parseRecord(await textWithin(response))
      if (status === 401 || status === 403)
        throw new StartupProblem(
          `${base} refuses the key in RESEND_API_KEY (${status}). Importing needs a key with full access.${quotedValue(record?.message)}`,
        )
      if (status === 429 || status >= 500) return { problem: `it answered ${status}`, pauseMs: readSeconds(headers, 'retry-after') }
      if (!response.ok) throw new StartupProblem(`${base}${path} answered ${status}.${quotedValue(record?.message)}`)
      if (!record) return { problem: 'the answer is not JSON, or was cut', pauseMs: null }
      if (headers.get('ratelimit-remaining') === '0') await pause(Math.min(readSeconds(headers, 'ratelimit-reset') ?? 0, PAUSE_MS_MAX))
      return { record }
    } catch (error) {
      if (error instanceof StartupProblem || !(error instanceof Error)) throw error
      return { problem: networkErrorReason(error), pauseMs: null }
    }
  }

  async function* list(path: string): AsyncGenerator<TheirRecord> {
    const separator = path.includes('?') ? '&' : '?'
    let after = ''
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const answer = await find(`${path}${separator}limit=${PAGE_SIZE}${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`)
      if (!answer) return
      const records = recordsIn(answer)
      yield* records
      if (answer.has_more !== true) return
      const last = records.at(-1)?.id
      if (typeof last !== 'string' || last === after) throw new StartupProblem(`The pages of ${base}${path} do not end. ${AGAIN}`)
      after = last
    }
    throw new StartupProblem(`${base}${path} has more than ${PAGES_MAX * PAGE_SIZE} records.`)
  }

  return { find, list }
}

const AGAIN = 'Run the command again: what is imported already is recognized.'

/** @throws Error if it is longer than an answer may be. */
async function textWithin(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > ANSWER_BYTES_MAX) throw new StartupProblem(`An answer of ${response.url} is longer than ${ANSWER_BYTES_MAX} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Null unless it is a JSON object. Its texts can be stored. */
function parseRecord(text: string): TheirRecord | null {
  try {
    const value: unknown = JSON.parse(text, (_key, part) => (typeof part === 'string' ? storable(part) : part))
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** The records of a list that an answer has. */
export const recordsIn = ({ data }: TheirRecord): TheirRecord[] => (Array.isArray(data) ? data.filter(isRecord) : [])

const isRecord = (value: unknown): value is TheirRecord => typeof value === 'object' && value !== null && !Array.isArray(value)

/** In milliseconds; null unless the header has a number of seconds. */
function readSeconds(headers: Headers, name: string): number | null {
  const text = headers.get(name)?.trim() ?? ''
  return /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) * 1_000 : null
}

/** `fetch` says only that it failed; the cause says why. */
const networkErrorReason = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message || String(cause) : message)
