// What images give to those that come after: their repository, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import { imageRepository } from './images.repository.ts'
import type { ImageWork } from './processing/image-work.ts'

export type ImagesContext = {
  repositories: ReturnType<typeof imagesRepositories>
  gateways: {
    /** Encodes images anew, in a thread of its own. */
    images: ImageWork
  }
  /** In how many broadcasts of the team that were sent, or are being sent, this text stands, or in how many others: broadcasts come later. */
  countBroadcasts: (teamId: string, text: string, which: 'sent' | 'unsent') => Promise<number>
  /** Counts the templates of the team in which this text stands. */
  countTemplates: (teamId: string, text: string) => Promise<number>
}

export const imagesRepositories = (database: Database, { clock }: { clock: Clock }) => ({
  images: imageRepository(database, { clock }),
})
