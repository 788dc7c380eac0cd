import { Type } from '@sinclair/typebox'
import { Deletion, Enum, Given, Id, IdParams, Kind, List, Named, Nullable, Reference, secret, Timestamp, visible } from './common.ts'

export const API_KEY_NAME_LENGTH_MAX = 50

/** An empty one is taken, as by the official service: the key has no name then. */
const name = Type.String({
  maxLength: API_KEY_NAME_LENGTH_MAX,
  ...visible,
  description: `What the key is for: at most ${API_KEY_NAME_LENGTH_MAX} characters, one of them visible unless it is empty.`,
  examples: ['Production'],
})

export const ApiKeyCreate = Named(
  'ApiKeyCreate',
  Type.Object({
    name,
    permission: Given(
      Enum(['full_access', 'sending_access'], {
        description: '`full_access` (the default) may call every operation, `sending_access` only those that send.',
      }),
    ),
    domain_id: Given(Type.String({ description: 'Not available yet: limits a key with `sending_access` to one domain.' })),
  }),
)

export const ApiKeyCreated = Named(
  'ApiKeyCreated',
  Type.Object({
    object: Kind('api_key'),
    id: Id('Id of the API key.'),
    token: Type.String({
      ...secret,
      description: 'The key itself. It is shown here only, and never again.',
      examples: ['re_8yXn2WqT_4hVbK9sJm3RzLcPdGf6AeUwN'],
    }),
  }),
)

export const ApiKey = Named(
  'ApiKey',
  Type.Object({
    id: Id('Id of the API key.'),
    name: Type.String({ description: 'What the key is for.' }),
    created_at: Timestamp('When the key was created.'),
    last_used_at: Nullable(Timestamp('When the key was last used, to within a few seconds; null when it never was.')),
  }),
)

export const ApiKeyUpdate = Named('ApiKeyUpdate', Type.Object({ name }))
export const ApiKeyParams = IdParams('api_key_id', 'Id of the API key.')
export const ApiKeyList = List('ApiKeyList', ApiKey)
export const ApiKeyReference = Reference('ApiKeyReference', 'api_key')
export const ApiKeyDeletion = Deletion('ApiKeyDeletion', 'api_key')
