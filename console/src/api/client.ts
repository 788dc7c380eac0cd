// The API, as its OpenAPI document describes it. Every request names the team, so that two tabs can look at two teams.
import createClient from 'openapi-fetch'
import type { paths } from './schema'

/** What the API refused, in its own words, or that it did not answer. */
export class ApiError extends Error {
  /** 0: there was no answer. */
  readonly status: number
  readonly kind: string
  readonly requestId: string | null
  constructor(message: string, { status, kind, requestId }: { status: number; kind: string; requestId: string | null }) {
    super(message)
    this.status = status
    this.kind = kind
    this.requestId = requestId
  }
}

let teamId: string | null = null

export const chooseTeam = (id: string | null): void => {
  teamId = id
}
export const chosenTeam = (): string | null => teamId

/** A form of another site cannot send this header. */
const OWN_PAGE = { 'posthaste-console': '1' }

export const api = createClient<paths>({ baseUrl: window.location.origin, credentials: 'same-origin' })
api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(OWN_PAGE)) request.headers.set(name, value)
    if (teamId !== null) request.headers.set('posthaste-team', teamId)
  },
  onError: () => new ApiError(NO_ANSWER, { status: 0, kind: 'no_answer', requestId: null }),
})

type Answer<Data> = { data?: Data; error?: unknown; response: Response }

/**
 * The body of a success.
 *
 * @throws ApiError
 */
export async function answer<Data>(request: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await request
  if (response.ok) return data as Data
  const { message, name } = (typeof error === 'object' && error !== null ? error : {}) as { message?: string; name?: string }
  const { status, headers } = response
  throw new ApiError(message ?? `The service answered with status ${status}.`, {
    status,
    kind: name ?? '',
    requestId: headers.get('x-request-id'),
  })
}

/** The id by which an operator finds the request; null where the person who sent it can mend what was refused. */
export const requestIdOf = (error: Error): string | null =>
  error instanceof ApiError && !MENDED_BY_SENDER.includes(error.status) ? error.requestId : null
const MENDED_BY_SENDER = [400, 409, 422]

const NO_ANSWER = 'The service did not answer. Look at your connection, and try again: what you typed is still here.'
