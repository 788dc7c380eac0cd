// Finds answers that the document does not declare.
import type { ServerResponse } from 'node:http'

/** A request that a service takes. The parameters of its path stand as `:id` or as `{id}`. */
export type DeclaredRequest = { id: string; method: string; path: string; statuses: readonly number[] }

/** Says what is not declared about an answer; null if it is declared, or if no operation is meant. */
export function undeclaredAnswer(declared: readonly DeclaredRequest[]): (request: Request, answer: SentAnswer) => string | null {
  const requests = declared.map((one) => ({ ...one, pattern: new RegExp(`^${one.path.replaceAll(PARAMETER, '[^/]+')}/?$`) }))
  // The router takes a fixed word before a parameter.
  requests.sort((one, other) => (one.path.replaceAll(PARAMETER, '~') < other.path.replaceAll(PARAMETER, '~') ? -1 : 1))
  return ({ method = '', url = '' }, { status, text }) => {
    const [path = ''] = url.split('?', 1)
    const meant = requests.find((one) => one.method === method && one.pattern.test(path))
    if (!meant || meant.statuses.includes(status) || isOfAnyRequest(text)) return null
    return `${method} ${meant.path} was answered with ${status}, which ${meant.id} does not declare`
  }
}

type Request = { method?: string | undefined; url?: string | undefined }

const PARAMETER = /:\w+|\{\w+\}/g

/** `text` is the body of a 400 or a 415; of other answers it is empty. */
export type SentAnswer = { status: number; text: string }

/** Calls back once the answer has been sent. */
export function onAnswer(response: ServerResponse, tell: (answer: SentAnswer) => void): void {
  let text = ''
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse
  response.end = (...given: unknown[]) => {
    if (response.statusCode === 400 || response.statusCode === 415) text = String(given[0])
    return end(...given)
  }
  response.once('finish', () => tell({ status: response.statusCode, text }))
}

/** Whether any request can get it: one that is malformed, or one with a body of a kind that is not taken, whether the operation has a body or not. */
const isOfAnyRequest = (text: string): boolean => OF_ANY_REQUEST.some((sentence) => text.includes(sentence))

const OF_ANY_REQUEST = [
  'The request must have exactly one `Host` header.',
  'The `Host` header must be a host name or an address',
  'The connection ended before the whole request had arrived.',
  'The request body does not have the length that `Content-Length` states.',
  'The request body is not valid JSON',
  'The request body must be sent with `Content-Type: application/json`.',
  'The request body must be encoded in UTF-8.',
  'The request body must be sent as it is, not compressed',
]

// Compares each answer of a service with what its operation declares, so that no test sees an answer that the document does not have.
