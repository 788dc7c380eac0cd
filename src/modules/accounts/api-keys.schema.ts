import { Type } from '@sinclair/typebox'
import { PERMISSIONS } from '../../http/operation.ts'
import { IdParams, Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import {
  Deletion,
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Named,
  Nullable,
  OptionalNullable,
  Reference,
  secret,
  Timestamp,
  visible,
} from '../../lib/validation/common.schema.ts'

export const API_KEY_NAME_LENGTH_MAX = 50

/** An empty name is accepted, as the official service does: the key then has no name. */
const name = Type.String({
  maxLength: API_KEY_NAME_LENGTH_MAX,
  ...visible,
  description: `Name of the key, which says what it is for: at most ${API_KEY_NAME_LENGTH_MAX} characters. It must have a visible character unless it is empty.`,
  examples: ['Production'],
})

export const ApiKeyCreate = Named(
  'ApiKeyCreate',
  Type.Object(
    {
      name,
      permission: OptionalNullable(
        Enum([...PERMISSIONS], {
          description:
            'What the key may do: `full_access` (the default) may call every operation, `sending_access` only those that send emails.',
        }),
      ),
      domain_id: OptionalNullable(
        Id(
          'Id of the only domain that the key may send from, whatever the sender policy is. Only with `sending_access`. A subdomain is another domain.',
        ),
      ),
    },
    { description: 'An API key to create.' },
  ),
)

export const ApiKeyCreated = Named(
  'ApiKeyCreated',
  Type.Object(
    {
      object: Kind('api_key'),
      id: Id('Id of the API key.'),
      token: Type.String({
        ...secret,
        description: 'The key itself. It is shown only in this response.',
        examples: ['re_8yXn2WqT_4hVbK9sJm3RzLcPdGf6AeUwN'],
      }),
    },
    { description: 'An API key that was created, with its token.' },
  ),
)

export const ApiKey = Named(
  'ApiKey',
  Type.Object(
    {
      id: Id('Id of the API key.'),
      name: Type.String({ description: 'Name of the key.', examples: ['Production'] }),
      created_at: Timestamp('When the key was created.'),
      last_used_at: Nullable(Timestamp('When the key was last used, to within a few seconds; null if it has never been used.')),
      permission: Enum([...PERMISSIONS], { description: 'What the key may do. An extension.' }),
      domain_id: Nullable(
        Id(
          'Id of the only domain that the key may send from, which stays when the domain is deleted; null: any that the team may. An extension.',
        ),
      ),
      oauth_grant_id: Nullable(Id('Id of the grant of the program that made the key; null: no program did. An extension.')),
      person: Nullable(
        Type.Object({
          id: Id('Id of the person.'),
          email: Nullable(
            Type.String({ description: 'Email address; null if there is no such person anymore.', examples: ['ada@example.com'] }),
          ),
        }),
        {
          description:
            'The person who made the key, or allowed the program that did; null if no person did, and for access tokens without the scope `members:read`. An extension.',
        },
      ),
    },
    { description: 'An API key, without its token.' },
  ),
)

export const ApiKeyUpdate = Named('ApiKeyUpdate', Type.Object({ name }, { description: 'A new name for an API key.' }))
export const API_KEYS = Resource({
  tag: SECTIONS.apiKeys,
  noun: 'API key',
  parameter: 'api_key_id',
  item: ApiKey,
  example: {
    ...{ id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10', name: 'Production', created_at: EXAMPLE_TIME, last_used_at: null },
    ...{ permission: 'sending_access', domain_id: null, oauth_grant_id: null },
    person: { id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c92', email: 'ada@example.com' },
  },
})

export const ApiKeyParams = IdParams(API_KEYS)
export const ApiKeyList = List('ApiKeyList', 'API keys', ApiKey)
export const ApiKeyReference = Reference('ApiKeyReference', 'api_key')
export const ApiKeyDeletion = Deletion('ApiKeyDeletion', 'api_key')
