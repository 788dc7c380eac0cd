import { Type } from '@sinclair/typebox'
import { Named, QueryId } from '../../../lib/validation/common.schema.ts'
import { LIVE_SECTIONS } from './live-sections.ts'

export const LiveQuery = Type.Object({
  team_id: QueryId(
    'Id of a team of the person, in place of the header `Posthaste-Team`. Without both, it is the team that the session looks at.',
  ),
})

export const LIVE_EXAMPLE = 'event: changed\ndata: {"sections":["emails","broadcasts"]}\n\n'

export const LiveEvents = Named(
  'LiveEvents',
  Type.String({
    description: `Server-sent events. \`changed\`: its data is JSON, \`{ "sections": [...] }\`, with names out of ${LIVE_SECTIONS.map((name) => `\`${name}\``).join(', ')}. \`over\`: the session has ended, or the person no longer belongs to the team or has another role there. Comments keep the connection.`,
  }),
)
