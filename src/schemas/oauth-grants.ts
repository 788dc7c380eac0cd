import { Type } from '@sinclair/typebox'
import { EXAMPLE_TIME, Id, Kind, List, Named, Nullable, Timestamp } from './common.ts'
import { IdParams, Resource } from './resource.ts'

/** Active ones of one team. */
export const OAUTH_GRANTS_MAX = 500

const REASON =
  'Why the access ended: `revoked_from_api`, `revoked_from_console`, `revoked_by_operator`, `revoked_by_client`, `token_reused`, `code_reused`, `keys_deleted` or `unused`'

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
  tag: {
    name: 'OAuth',
    description: 'Access that a team has given to other programs. The guide `docs/oauth.md` says how a program gets it.',
  },
  noun: 'Grant',
  parameter: 'oauth_grant_id',
  item: OAuthGrant,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c90',
    client_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c91',
    scopes: ['emails:send', 'domains:read'],
    resource: null,
    created_at: EXAMPLE_TIME,
    revoked_at: null,
    revoked_reason: null,
    client: { name: 'Newsletter editor', logo_uri: 'https://editor.example.com/logo.png' },
  },
})

export const OAuthGrantParams = IdParams(OAUTH_GRANTS)
export const OAuthGrantList = List('OAuthGrantList', 'grants', OAuthGrant)
