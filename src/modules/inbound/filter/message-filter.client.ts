// What rspamd says of a message, asked by HTTP (https://docs.rspamd.com/developers/protocol).
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Failure } from '../../../lib/failure.ts'
import { createFairSemaphore } from '../../../lib/limits/fair-semaphore.ts'

// What the filter of the operator said of a received message.
export const FILTER_NAMES = ['rspamd', 'clamd'] as const
export const FILTER_VERDICTS = ['clean', 'spam', 'virus', 'not_checked'] as const

export type FilterName = (typeof FILTER_NAMES)[number]

export type FilterResult = {
  name: FilterName
  verdict: (typeof FILTER_VERDICTS)[number]
  /** The score that rspamd gave. */
  score: number | null
  /** The action of rspamd, the name of a virus, or why nothing was checked. */
  detail: string | null
}

// What a filter is asked about a message, and what it answers.

/** A message as the SMTP server took it. */
export type FilteredMessage = {
  mailFrom: string
  recipients: string[]
  peer: string
  helo: string
  bytes: number
  open(): Promise<Readable>
}

/** `refuses`: the filter says that the message is to be refused; `now`: it may be sent again later. */
export type FilterAnswer = { result: FilterResult; refuses: 'always' | 'now' | 'not' }

/** What a filter answers. @throws if it does not, or not as it should. */
export type AskFilter = (url: URL, message: FilteredMessage, signal: AbortSignal) => Promise<FilterReply>
export type FilterReply = Pick<FilterResult, 'verdict' | 'score' | 'detail'> & Pick<FilterAnswer, 'refuses'>

// What clamd says of a message, which is sent to it piece by piece (INSTREAM, see clamd(8)).

const PORT = 3310
const ANSWER_LENGTH_MAX = 4_096
const COMMAND = Buffer.from('zINSTREAM\0')
const END = Buffer.alloc(4)

export const askClamd: AskFilter = async (url, { open }, signal) => {
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || PORT), signal })
  // Each failure is seen where the answer is awaited.
  socket.on('error', () => {})
  const content = await open()
  try {
    const answering = readAnswer(socket)
    // It may answer before the end, such as to what is too large for it.
    await Promise.race([send(socket, content, signal), answering])
    return readClamdAnswer(await answering)
  } finally {
    content.destroy()
    socket.destroy()
  }
}

async function send(socket: Socket, content: Readable, signal: AbortSignal): Promise<void> {
  socket.write(COMMAND)
  for await (const piece of content) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(piece.length)
    socket.write(length)
    if (!socket.write(piece)) await once(socket, 'drain', { signal })
  }
  socket.write(END)
}

/** Up to the NUL that ends it. */
function readAnswer(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  socket.on('data', (piece) => {
    text += piece.toString('latin1')
    const end = text.indexOf('\0')
    if (end !== -1) resolve(text.slice(0, end))
    else if (text.length > ANSWER_LENGTH_MAX) reject(new Error('clamd answered too much'))
  })
  socket.once('error', reject)
  socket.once('close', () => reject(new Error('clamd answered nothing')))
  promise.catch(() => {})
  return promise
}

function readClamdAnswer(answer: string): Awaited<ReturnType<AskFilter>> {
  const found = /^stream: (.{1,200}) FOUND$/.exec(answer)?.[1]
  if (found !== undefined) return { verdict: 'virus', score: null, detail: found.replace(/[^\x20-\x7e]/g, '?'), refuses: 'always' }
  if (answer === 'stream: OK') return { verdict: 'clean', score: null, detail: null, refuses: 'not' }
  throw new Error(`clamd answered ${JSON.stringify(answer.slice(0, 200))}`)
}

/** An answer with hundreds of rules and their descriptions takes a tenth of this. */
const ANSWER_BYTES_MAX = 1024 * 1024
const PATH = '/checkv2'

const Answer = Type.Object({ action: Type.String(), score: Type.Number() })

export const askRspamd: AskFilter = async (url, { open, ...message }, signal) => {
  const target = url.pathname === '/' ? new URL(PATH, url) : url
  const content = await open()
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: requestHeaders(message),
      body: Readable.toWeb(content) as ReadableStream<Uint8Array>,
      duplex: 'half',
      redirect: 'error',
      signal,
    })
    if (!response.ok) throw new Error(`rspamd answered ${response.status}`)
    const { action, score } = Value.Decode(Answer, JSON.parse(await readBody(response)))
    return { ...(JUDGEMENTS.get(action) ?? CLEAN), score, detail: action }
  } finally {
    content.destroy()
  }
}

const CLEAN = { verdict: 'clean', refuses: 'not' } as const
const JUDGEMENTS: ReadonlyMap<string, { verdict: 'clean' | 'spam'; refuses: 'always' | 'now' | 'not' }> = new Map([
  ['reject', { verdict: 'spam', refuses: 'always' }],
  ['soft reject', { verdict: 'spam', refuses: 'now' }],
  ['add header', { verdict: 'spam', refuses: 'not' }],
  ['rewrite subject', { verdict: 'spam', refuses: 'not' }],
])

/** What a sender wrote is escaped: a header has no other characters. */
function requestHeaders({ mailFrom, recipients, peer, helo }: Omit<Parameters<AskFilter>[1], 'open'>): [string, string][] {
  const headers: [string, string][] = [
    ['IP', peer],
    ['Helo', helo],
    ['From', mailFrom],
    ...recipients.map((address): [string, string] => ['Rcpt', address]),
  ]
  return headers.map(([name, value]) => [name, value.replace(/[^\x20-\x7e]/g, '?')])
}

async function readBody({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += piece.length
    if (bytes > ANSWER_BYTES_MAX) throw new Error('rspamd answered too much')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

// Asks the spam or virus filter of the operator what it says of a message. A filter that is down or slow holds up no mail: then nothing was checked.

export type MessageFilter = {
  /** Never fails. */
  check(message: FilteredMessage): Promise<FilterAnswer>
}

/** A sender waits for our reply meanwhile. */
const FILTER_MS_MAX = 10_000
/** Filters look at little of larger messages, or refuse them. */
const FILTERED_BYTES_MAX = 20 * 1024 * 1024
const AT_ONCE_MAX = 50
const WAITING_MAX = 500
const WAIT_MS_MAX = 5_000
/** So many failures in a row: the filter is down, and is not asked for a while. */
const FAILURES_IN_A_ROW_MAX = 10
const PAUSE_MS = 10_000

type Options = { url: URL; timeMsMax?: number; pauseMs?: number; onFailure?: (error: unknown) => void }

export function createMessageFilter({ url, timeMsMax = FILTER_MS_MAX, pauseMs = PAUSE_MS, onFailure = () => {} }: Options): MessageFilter {
  const name: FilterName = url.protocol === 'tcp:' ? 'clamd' : 'rspamd'
  const ask = name === 'clamd' ? askClamd : askRspamd
  const semaphore = createFairSemaphore({
    atOnceMax: { perKey: AT_ONCE_MAX, inAll: AT_ONCE_MAX },
    waitingMax: { perKey: WAITING_MAX, inAll: WAITING_MAX },
    waitMsMax: WAIT_MS_MAX,
    refusal: () => new Failure('unavailable', 'Too many messages wait for the filter.'),
  })
  let failuresInARow = 0
  let pausedUntilMs = Number.NEGATIVE_INFINITY

  const notChecked = (detail: string): FilterAnswer => ({ result: { name, verdict: 'not_checked', score: null, detail }, refuses: 'not' })

  return {
    async check(message) {
      if (message.bytes > FILTERED_BYTES_MAX) return notChecked('The message is larger than what is checked.')
      if (performance.now() < pausedUntilMs) return notChecked('The filter was down.')
      try {
        const { refuses, ...reply } = await semaphore.run(name, () => ask(url, message, AbortSignal.timeout(timeMsMax)))
        failuresInARow = 0
        return { result: { name, ...reply }, refuses }
      } catch (error) {
        failuresInARow += 1
        if (failuresInARow >= FAILURES_IN_A_ROW_MAX) pausedUntilMs = performance.now() + pauseMs
        onFailure(error)
        return notChecked('The filter did not answer.')
      }
    },
  }
}
