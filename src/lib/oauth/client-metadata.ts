// What a program says about itself when it is registered (RFC 7591), or in its metadata document. Only what is known here is kept.
import { clientNameProblem } from './client-names.ts'
import { isOwnMachine, REDIRECT_URI_LENGTH_MAX, redirectUriProblem } from './redirect-uris.ts'

export type ClientMetadata = {
  client_name: string
  redirect_uris: string[]
  application_type: 'native' | 'web'
  grant_types: string[]
  response_types: string[]
  token_endpoint_auth_method: string
  scope?: string
  client_uri?: string
  logo_uri?: string
}

/** RFC 7591, section 3.2.2. */
export type MetadataProblem = { error: 'invalid_client_metadata' | 'invalid_redirect_uri'; error_description: string }

const REDIRECT_URIS_MAX = 10
const GRANT_TYPES = ['authorization_code', 'refresh_token']
const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post']

/** @param scopes those that can be asked for */
export function readClientMetadata(given: unknown, scopes: readonly string[]): ClientMetadata | MetadataProblem {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return invalid('The metadata must be a JSON object.')
  const fields = given as Record<string, unknown>
  const problem = nameProblem(fields.client_name) ?? redirectProblem(fields.redirect_uris) ?? otherProblem(fields, scopes)
  if (problem) return problem
  const redirectUris = fields.redirect_uris as string[]
  return {
    client_name: String(fields.client_name),
    redirect_uris: redirectUris,
    application_type: redirectUris.some(isOwnMachine) ? 'native' : 'web',
    grant_types: (fields.grant_types as string[] | undefined) ?? GRANT_TYPES,
    response_types: ['code'],
    token_endpoint_auth_method: String(fields.token_endpoint_auth_method ?? 'client_secret_basic'),
    ...(typeof fields.scope === 'string' && fields.scope !== '' && { scope: fields.scope }),
    ...(typeof fields.client_uri === 'string' && { client_uri: fields.client_uri }),
    ...(typeof fields.logo_uri === 'string' && { logo_uri: fields.logo_uri }),
  }
}

export const isProblem = (read: ClientMetadata | MetadataProblem): read is MetadataProblem => 'error' in read

function nameProblem(name: unknown): MetadataProblem | null {
  const problem = clientNameProblem(name)
  return problem === null ? null : invalid(problem)
}

function redirectProblem(uris: unknown): MetadataProblem | null {
  if (!Array.isArray(uris) || uris.length === 0) return refusedUri('Missing `redirect_uris`.')
  if (uris.length > REDIRECT_URIS_MAX) return refusedUri(`\`redirect_uris\` must have at most ${REDIRECT_URIS_MAX} entries.`)
  for (const uri of uris) {
    const problem = typeof uri === 'string' ? redirectUriProblem(uri) : 'must be text'
    if (problem !== null) return refusedUri(`Each entry of \`redirect_uris\` ${problem}.`)
  }
  return null
}

function otherProblem(fields: Record<string, unknown>, scopes: readonly string[]): MetadataProblem | null {
  const { grant_types: grants, response_types: responses, token_endpoint_auth_method: method, scope } = fields
  if (grants !== undefined && !isListOf(grants, GRANT_TYPES)) return invalid(`\`grant_types\` must be among: ${GRANT_TYPES.join(', ')}.`)
  if (Array.isArray(grants) && !grants.includes('authorization_code')) return invalid('`grant_types` must have `authorization_code`.')
  if (responses !== undefined && !(isListOf(responses, ['code']) && responses.length === 1))
    return invalid('`response_types` must be `["code"]`.')
  if (method !== undefined && !AUTH_METHODS.includes(String(method)))
    return invalid(`\`token_endpoint_auth_method\` must be one of: ${AUTH_METHODS.join(', ')}.`)
  if (scope !== undefined && typeof scope !== 'string') return invalid('`scope` must be text.')
  const unknown = (scope ?? '').split(' ').find((word) => word !== '' && !scopes.includes(word))
  if (unknown !== undefined) return invalid('`scope` has a scope that does not exist.')
  return webAddressProblem('client_uri', fields.client_uri) ?? webAddressProblem('logo_uri', fields.logo_uri)
}

function webAddressProblem(name: string, uri: unknown): MetadataProblem | null {
  if (uri === undefined) return null
  const parsed = typeof uri === 'string' && uri.length <= REDIRECT_URI_LENGTH_MAX && /^[\x21-\x7e]+$/.test(uri) ? URL.parse(uri) : null
  return parsed && (parsed.protocol === 'https:' || parsed.protocol === 'http:')
    ? null
    : invalid(`\`${name}\` must be the URL of a web page.`)
}

const isListOf = (value: unknown, allowed: string[]): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string' && allowed.includes(entry))

const invalid = (description: string): MetadataProblem => ({ error: 'invalid_client_metadata', error_description: description })
const refusedUri = (description: string): MetadataProblem => ({ error: 'invalid_redirect_uri', error_description: description })
