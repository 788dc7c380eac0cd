// What broadcasts gives to those that come after: its repositories, and what else compose makes of it.
import type { BoundedQueries } from '../../db/bounded-queries.ts'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import type { RenderedContact } from '../../mail/rendering/contact-placeholders.ts'
import { broadcastReachRepository } from './broadcast-reaches.repository.ts'
import { broadcastSearchRepository } from './broadcast-searches.repository.ts'
import { broadcastVersionRepository } from './broadcast-versions.repository.ts'
import { type BroadcastRow, broadcastRepository } from './broadcasts.repository.ts'
import { audienceBroadcastRepository, broadcastWalkRepository, dueBroadcastRepository } from './due-broadcasts.repository.ts'
import { fanOutRepository } from './fan-out.repository.ts'
import { broadcastRecipientRepository } from './recipients/broadcast-recipients.repository.ts'

/** `address`: to which it is sent, and for which its links are. `emailId`: null if it is not sent. */
export type BroadcastToPreview = {
  teamId: string
  emailId: string | null
  broadcast: Pick<BroadcastRow, 'id' | 'from' | 'topicId' | 'subject' | 'html' | 'text' | 'previewText' | 'properties'>
  contact: RenderedContact
  address: string
}

export type PreviewOfBroadcast = {
  subject: string
  html: string | null
  text: string | null
  previewText: string | null
  mail: { html: string | null; text: string | null; headers: Record<string, string> }
}

export type BroadcastsContext = {
  repositories: ReturnType<typeof broadcastsRepositories>
  /** A broadcast as a contact would get it. `mail`: what its email would have. */
  previewOf: (broadcast: BroadcastToPreview) => Promise<PreviewOfBroadcast>
}

export const broadcastsRepositories = (
  database: Database,
  { clock, searches, simulatorDomains }: { clock: Clock; searches: BoundedQueries; simulatorDomains: readonly string[] },
) => ({
  audienceBroadcasts: audienceBroadcastRepository(database),
  broadcasts: broadcastRepository(database, { clock }),
  broadcastFanOut: fanOutRepository(database, { clock }),
  broadcastReaches: broadcastReachRepository(database),
  broadcastVersions: broadcastVersionRepository(database),
  broadcastSearches: broadcastSearchRepository({ searches }),
  broadcastRecipients: broadcastRecipientRepository(database, { searches }),
  broadcastWalks: broadcastWalkRepository(database, { clock, simulatorDomains }),
  dueBroadcasts: dueBroadcastRepository(database),
})
