// The headers of responses. They are components of the document, to which every response refers.
import type { Operation } from '../../routes/operation.ts'

export const HEADERS = {
  'x-request-id': { description: 'Id of the request. Mention it when you report a problem.', schema: { type: 'string', format: 'uuid' } },
  'x-ignored-fields': {
    description:
      'Unknown query parameters, and unknown fields of the body, which were ignored, separated by commas. Absent if there are none.',
    schema: { type: 'string' },
  },
  'x-warnings': {
    description:
      'What to look at although the request succeeded, separated by commas: a code, or a code, `=` and what it is about, such as an id. At most 512 bytes; if not all fit, the last one is `more=` with their number. Absent if there is none.',
    schema: { type: 'string' },
  },
  'ratelimit-limit': {
    description: 'Number of requests that are allowed in a window. Absent if there is no rate limit.',
    schema: { type: 'integer' },
  },
  'ratelimit-remaining': { description: 'Number of requests that are left in the current window.', schema: { type: 'integer' } },
  'ratelimit-reset': { description: 'Seconds until the next window starts.', schema: { type: 'integer' } },
  'ratelimit-policy': {
    description: 'The rate limit and the length of its window in seconds, such as `"default";q=100;w=1`.',
    schema: { type: 'string' },
  },
  ratelimit: {
    description: 'What is left of the rate limit, and the seconds until the next window starts, such as `"default";r=99;t=1`.',
    schema: { type: 'string' },
  },
  'www-authenticate': {
    description:
      'Where programs without an API key get an access token, or which scope an access token lacks. Absent for an API key that is not valid.',
    schema: { type: 'string' },
  },
  'retry-after': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
} as const

export function headersOf(status: number, { access, warns }: Operation): Record<string, object> {
  const names: (keyof typeof HEADERS)[] = ['x-request-id']
  if (access !== 'public') names.push('ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy', 'ratelimit')
  if (status === 401 || status === 403) names.push('www-authenticate')
  if (status < 300) names.push('x-ignored-fields')
  if (warns && status < 300) names.push('x-warnings')
  if (status === 429 || status === 503) names.push('retry-after')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
