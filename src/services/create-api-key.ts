// Making an API key, as a client or a person in the console asks for it.
import type { Static } from '@sinclair/typebox'
import type { Context } from '../context.ts'
import { invalid } from '../lib/failure.ts'
import { createApiToken, digestOf } from '../lib/tokens.ts'
import type { ApiKeyCreate } from '../schemas/api-keys.ts'

type Needs = Pick<Context, 'repositories'>
type Asked = Static<typeof ApiKeyCreate>

/** `token` is not kept. `grantId`: of the program that asks; null: no program does. */
export async function createApiKey(
  context: Needs,
  teamId: string,
  { grantId, ...asked }: Asked & { grantId: string | null },
): Promise<{ id: string; token: string }> {
  const { token, key } = await judge(context, teamId, asked)
  const { id } = await context.repositories.apiKeys.create(teamId, { ...key, grantId })
  return { id, token }
}

/** Creates a key for a form, which chooses the id, so that sending it twice makes one key. Null if it was sent before. */
export async function createApiKeyOnce(context: Needs, teamId: string, { id, ...asked }: Asked & { id: string }): Promise<string | null> {
  const { token, key } = await judge(context, teamId, asked)
  return (await context.repositories.apiKeys.createOnce(teamId, { ...key, id })) ? token : null
}

async function judge({ repositories: { domains } }: Needs, teamId: string, { name, permission: asked, domain_id: domain }: Asked) {
  const permission = asked ?? 'full_access'
  const domainId = domain?.toLowerCase() ?? null
  if (domainId !== null && permission !== 'sending_access') throw invalid(ONLY_SENDING)
  if (domainId !== null && (await domains.nameOf(teamId, domainId)) === null) throw invalid(UNKNOWN_DOMAIN)
  const token = createApiToken()
  return { token, key: { name, permission, domainId, digest: digestOf(token) } }
}

const ONLY_SENDING =
  'The `domain_id` field needs `permission` to be `sending_access`: a key with full access cannot be restricted to a domain.'
const UNKNOWN_DOMAIN = 'The `domain_id` field is not the id of a domain of yours.'
