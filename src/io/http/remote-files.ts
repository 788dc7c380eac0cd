import { type Readable, Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type Agent, type Dispatcher, request } from 'undici'
import type { IncomingHttpHeaders } from 'undici/types/header.js'
import { createGuardedAgent, isAllowedHost, type OutboundGuardOptions, OutboundRefusal } from '../outbound-guard.ts'

/** What the remote server did wrong during a fetch, in words for the client, and whether a retry may help. */
export class FileProblem extends Error {
  readonly reason: string
  readonly retry: boolean

  constructor(reason: string, { retry = false }: { retry?: boolean } = {}) {
    super(reason)
    this.reason = reason
    this.retry = retry
  }
}

/** Describes the error of a failed fetch. */
export function toFileProblem(error: unknown, { deadline, timeoutMs }: { deadline: AbortSignal; timeoutMs: number }): FileProblem {
  if (error instanceof FileProblem) return error
  if (deadline.aborted) return new FileProblem(`The file did not arrive within ${timeoutMs / 1000} seconds.`, { retry: true })
  if (error instanceof OutboundRefusal) return new FileProblem('The URL leads to an address that is not on the public internet.')
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI'))
    return new FileProblem('The content does not have the content-encoding that the server names.')
  return new FileProblem(`The file could not be fetched (${code}).`, { retry: true })
}

// The name and type of a file from the web, from headers that cannot be trusted.

/** The longest name that common file systems allow. */
const FILENAME_LENGTH_MAX = 255

/** `type/subtype` in lower case and without parameters (RFC 9110, section 8.3.1), or null. */
export function contentTypeOf(headers: IncomingHttpHeaders): string | null {
  const [type = ''] = firstValue(headers['content-type']).split(';')
  const normal = type.trim().toLowerCase()
  return /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/.test(normal) ? normal : null
}

/**
 * The name in Content-Disposition (RFC 6266), or else the last segment of the URL's path, or else null. It never contains a folder, a control
 * character or one that turns the direction of writing.
 */
export function filenameOf(headers: IncomingHttpHeaders, url: string): string | null {
  const disposition = firstValue(headers['content-disposition'])
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1]
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]
  const token = /;\s*filename\s*=\s*([^;"\s]+)/i.exec(disposition)?.[1]
  const segment = URL.parse(url)?.pathname.split('/').at(-1)
  const given = percentDecoded(extended) ?? quoted?.replace(/\\(.)/g, '$1') ?? token ?? percentDecoded(segment)
  return given === undefined ? null : withoutFolder(given)
}

function withoutFolder(name: string): string | null {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const clean = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim()
    .slice(0, FILENAME_LENGTH_MAX)
    .toWellFormed()
  return clean === '' || clean === '.' || clean === '..' ? null : clean
}

function percentDecoded(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const firstValue = (value: string | string[] | undefined): string => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''))

export type FetchedFile =
  | { ok: true; contentType: string | null; filename: string | null; bytes: number }
  | { ok: false; reason: string; retry: boolean }

export type FetchFileOptions = {
  /** Counts the content as it is stored, after any content-encoding. */
  bytesMax: number
  /** For the whole fetch: names, redirects, the last byte. */
  timeoutMs: number
  /** Ends the fetch early, as if its time were over. */
  signal?: AbortSignal
  /** Receives the content as it arrives and reads it to the end. If it fails by itself, `fetchFile` fails with its error. */
  store: (content: Readable) => Promise<unknown>
}

export type RemoteFiles = {
  /** Fetches what a client's URL names. A fault of the remote server is a value: the reason, for the client, and whether a retry may help. */
  fetchFile(url: string, options: FetchFileOptions): Promise<FetchedFile>
  /** See `literalUrlProblem`. */
  checkUrl(url: string): string | null
  close(): Promise<void>
}

const REDIRECTS_MAX = 3

/** A server that takes longer to accept a connection is not worth the whole deadline. */
const CONNECT_TIMEOUT_MS = 10_000

/** Proxies and servers cut longer URLs. */
const URL_LENGTH_MAX = 8_192

export function createRemoteFiles(guard: OutboundGuardOptions): RemoteFiles {
  const agent = createGuardedAgent({ ...guard, connectTimeoutMs: CONNECT_TIMEOUT_MS })

  return {
    async fetchFile(url, options) {
      const timeout = AbortSignal.timeout(options.timeoutMs)
      const deadline = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
      const problem = (error: unknown) => {
        const { reason, retry } = toFileProblem(error, { deadline, timeoutMs: options.timeoutMs })
        return { ok: false, reason, retry } as const
      }
      try {
        return await receive(await follow(url, { agent, guard, deadline }), options, { deadline, problem })
      } catch (error) {
        if (error instanceof StoreFailure) throw error.cause
        return problem(error)
      }
    },
    checkUrl: (url) => literalUrlProblem(url, guard),
    close: () => agent.destroy(),
  }
}

/**
 * What is wrong with a URL as far as it is known without DNS, to follow the name of a field ("must be ..."), or null. The guard checks names when
 * connecting.
 */
export function literalUrlProblem(url: string, guard: { allowPrivateNetworks: boolean } = { allowPrivateNetworks: false }): string | null {
  if (url.length > URL_LENGTH_MAX) return `must be a URL of at most ${URL_LENGTH_MAX} characters`
  const parsed = URL.parse(url)
  if (parsed === null) return 'must be a valid URL'
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return 'must be an `http` or `https` URL'
  if (parsed.username !== '' || parsed.password !== '') return 'must be a URL without user and password'
  if (!isAllowedHost(parsed.hostname, guard)) return 'must be a URL of a host on the public internet'
  return null
}

type Opened = { response: Dispatcher.ResponseData; url: string }

async function follow(url: string, context: { agent: Agent; guard: OutboundGuardOptions; deadline: AbortSignal }): Promise<Opened> {
  let current = url
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const wrong = literalUrlProblem(current, context.guard)
    if (wrong !== null)
      throw new FileProblem(redirects === 0 ? `The URL ${wrong}.` : `The server redirects to another URL, which ${wrong}.`)
    const response = await request(current, {
      dispatcher: context.agent,
      signal: context.deadline,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Posthaste' },
    })
    if (response.statusCode >= 200 && response.statusCode < 300) return { response, url: current }
    discard(response)
    current = redirectTarget(response, current)
  }
  throw new FileProblem(`The server redirects more than ${REDIRECTS_MAX} times.`)
}

const REDIRECT_STATUSES = [301, 302, 303, 307, 308]

/** Overload, time-outs and faults of the server are temporary; every other refusal would happen again. */
const PASSING_STATUSES = [408, 425, 429]

function redirectTarget({ statusCode, headers }: Dispatcher.ResponseData, from: string): string {
  const target = typeof headers.location === 'string' ? URL.parse(headers.location, from) : null
  if (REDIRECT_STATUSES.includes(statusCode) && target !== null) return target.href
  throw new FileProblem(`The server answers with status ${statusCode}.`, {
    retry: statusCode >= 500 || PASSING_STATUSES.includes(statusCode),
  })
}

async function receive(
  { response, url }: Opened,
  { bytesMax, store }: FetchFileOptions,
  { deadline, problem }: { deadline: AbortSignal; problem: (error: unknown) => FetchedFile },
): Promise<FetchedFile> {
  const content = new LimitedContent(bytesMax)
  const decoder = createDecoder(response)
  const storing = Promise.try(store, content).then(
    () => null,
    (cause: unknown) => {
      // A stream that fails makes its reader fail too. The reader's failure counts only if it came first.
      if (content.errored !== null) return null
      content.destroy()
      return new StoreFailure(cause)
    },
  )
  const receiving =
    decoder === null
      ? pipeline(response.body, content, { signal: deadline })
      : pipeline(response.body, decoder, content, { signal: deadline })
  const failed = await receiving.then(() => null, problem)
  const storeFailure = await storing
  if (storeFailure !== null) throw storeFailure
  return (
    failed ?? { ok: true, contentType: contentTypeOf(response.headers), filename: filenameOf(response.headers, url), bytes: content.bytes }
  )
}

/** We request no encoding, but some stores return what they have. */
function createDecoder(response: Dispatcher.ResponseData): Transform | null {
  const encoding = String(response.headers['content-encoding'] ?? 'identity')
    .trim()
    .toLowerCase()
  switch (encoding) {
    case 'identity':
    case '':
      return null
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      discard(response)
      throw new FileProblem('The server answers with a content-encoding that was not asked for.')
  }
}

/** Destroys the connection with the body, so that nothing is read that no one needs. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {})
  body.destroy()
}

/** Counts the bytes that arrive. The length that the server announces is not trusted. */
class LimitedContent extends Transform {
  bytes = 0
  readonly #bytesMax: number

  constructor(bytesMax: number) {
    super()
    this.#bytesMax = bytesMax
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length
    if (this.bytes > this.#bytesMax) done(new FileProblem(`The file is larger than ${this.#bytesMax} bytes.`))
    else done(null, chunk)
  }
}

/** A fault on our side: the receiver could not store what arrived. */
class StoreFailure extends Error {
  constructor(cause: unknown) {
    super('The content could not be stored', { cause })
  }
}
