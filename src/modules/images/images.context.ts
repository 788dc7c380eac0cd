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
  /** In how many broadcasts of the team that were sent, or are being sent, this text stands: broadcasts come later. */
  countSentBroadcasts: (teamId: string, text: string) => Promise<number>
}

export const imagesRepositories = (database: Database, { clock }: { clock: Clock }) => ({
  images: imageRepository(database, { clock }),
})
