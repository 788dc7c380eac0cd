import { Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import { EXAMPLE_TIME, Id, Kind, List, Named, Nullable, Timestamp } from '../../lib/validation/common.schema.ts'

/** Active ones of one team. */
export const OAUTH_GRANTS_MAX = 500

const REASON =
  'Why the access ended: `revoked_from_api`, `revoked_from_console`, `revoked_by_operator`, `revoked_by_client`, `token_reused`, `code_reused`, `keys_deleted`, `member_removed` or `unused`'

export const OAuthGrant = Named(
  'OAuthGrant',
  Type.Object(
    {
      id: Id('Id of the grant.'),
      client_id: Id('Id of the client that has the access.'),
      scopes: Type.Array(Type.String(), { description: 'What the client may do.', examples: [['emails:send', 'domains:read']] }),
      resource: Nullable(
        Type.String({
          description: 'The URL of the resource that the client asked for; null if it named none.',
          examples: ['https://mail.example.com'],
        }),
      ),
      created_at: Timestamp('When the access was given.'),
      last_used_at: Nullable(Timestamp('When the access was last used, to within a minute; null if it has never been used. An extension.')),
      revoked_at: Nullable(Timestamp('When the access ended; null while the grant is active.')),
      revoked_reason: Nullable(Type.String({ description: `${REASON}; null while the grant is active.`, examples: ['revoked_from_api'] })),
      client: Type.Object(
        {
          name: Type.String({ description: 'What the client calls itself.', examples: ['Newsletter editor'] }),
          logo_uri: Nullable(
            Type.String({ description: 'The URL of its logo; null if it has none.', examples: ['https://editor.example.com/logo.png'] }),
          ),
        },
        { description: 'The client that has the access.' },
      ),
      allowed_by: Nullable(
        Type.Object(
          {
            id: Id('Id of the person.'),
            name: Type.String({ description: 'Their name.', examples: ['Ada Lovelace'] }),
            email: Type.String({ description: 'Their email address.', examples: ['ada@example.com'] }),
          },
          {
            description:
              'The person who allowed the access, which is never wider than their role; null: it was allowed before people signed in, and is that of the team.',
          },
        ),
      ),
    },
    { description: 'A grant: access that the team has given to a program.' },
  ),
)

export const OAuthGrantRevocation = Named(
  'OAuthGrantRevocation',
  Type.Object(
    {
      object: Kind('oauth_grant'),
      id: Id('Id of the grant.'),
      revoked_at: Timestamp('When the access ended.'),
      revoked_reason: Type.String({ description: 'Always `revoked_from_api`.', examples: ['revoked_from_api'] }),
    },
    { description: 'Confirms that the access ended.' },
  ),
)

export const OAUTH_GRANTS = Resource({
  tag: SECTIONS.oauth,
  noun: 'Grant',
  parameter: 'oauth_grant_id',
  item: OAuthGrant,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c90',
    client_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c91',
    scopes: ['emails:send', 'domains:read'],
    resource: null,
    created_at: EXAMPLE_TIME,
    last_used_at: EXAMPLE_TIME,
    revoked_at: null,
    revoked_reason: null,
    client: { name: 'Newsletter editor', logo_uri: 'https://editor.example.com/logo.png' },
    allowed_by: { id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c92', name: 'Ada Lovelace', email: 'ada@example.com' },
  },
})

export const OAuthGrantParams = IdParams(OAUTH_GRANTS)
export const OAuthGrantList = List('OAuthGrantList', 'grants', OAuthGrant)
