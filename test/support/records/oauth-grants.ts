import { OAUTH_GRANTS_MAX } from '../../../src/schemas/oauth-grants.ts'
import type { RecordBuilder } from './record-builder.ts'

/** The client that every installation has. */
const CLIENT_ID = '7136aa0b-625c-4c9c-8820-e9784c8eb141'

export const oauthGrantRecord: RecordBuilder = {
  async make({ service, teamId }) {
    const { oauthGrants } = service.context.repositories
    const grant = await oauthGrants.create(teamId, { clientId: CLIENT_ID, scopes: ['emails:send'], resource: null }, OAUTH_GRANTS_MAX)
    if (grant === 'full' || grant === null) throw new Error('The team has too many grants, or no key')
    return grant.id
  },
  paths: () => ['/oauth/grants'],
}
