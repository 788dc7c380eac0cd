// Counts who gets mail and who does not, by the query that chooses the recipients of a broadcast; in SQL, because that query is.

import type { BoundedQueries } from '../../../db/bounded-queries.ts'
import { Failure } from '../../../lib/failure.ts'
import { LOWEST_ID } from '../../../lib/ids.ts'
import { type Audience, nextStretch } from './audience.repository.ts'

/** Members that are counted at a time. More would not be faster. */
const COUNTED_AT_A_TIME = 20_000

/** Each contact counts once: under the first of these reasons, or among the recipients. */
export type AudienceCounts = { contacts: number; recipients: number; unsubscribed: number; notInTopic: number; suppressed: number }

/** `isAll`: otherwise there was no time for the newest contacts, which are not counted. */
export type BoundedAudienceCounts = AudienceCounts & { isAll: boolean }

export function audienceCountRepository({ queries, stretch = COUNTED_AT_A_TIME }: { queries: BoundedQueries; stretch?: number }) {
  return {
    /**
     * All at one moment, as far as there is time.
     * @throws Failure if too many audiences are being counted already
     */
    async countSoon(teamId: string, audience: Omit<Audience, 'isEveryone'>): Promise<BoundedAudienceCounts> {
      const sum: AudienceCounts = { contacts: 0, recipients: 0, unsubscribed: 0, notInTopic: 0, suppressed: 0 }
      try {
        await queries.run(teamId, async (counting, inside) => {
          await inside('set transaction isolation level repeatable read')
          let after = audience.after ?? LOWEST_ID
          while (true) {
            const options = { contactsMax: stretch, suppressed: 'marked', optedOut: 'marked' } as const
            const next = await nextStretch(counting, teamId, { ...audience, after }, options)
            if (next === null) return
            const [row] = await counting<AudienceCounts>(count(next.text), next.values)
            for (const name of NAMES) sum[name] += row?.[name] ?? 0
            after = next.through
          }
        })
        return { ...sum, isAll: true }
      } catch (error) {
        if (error instanceof Failure && error.kind === 'validation') return { ...sum, isAll: false }
        throw error
      }
    },
  }
}

const NAMES = ['contacts', 'recipients', 'unsubscribed', 'notInTopic', 'suppressed'] as const

const count = (audience: string): string => `
select count(*)::int as contacts,
  (count(*) filter (where "isSubscribed" and "isInTopic" and "suppressedBy" is null))::int as recipients,
  (count(*) filter (where not "isSubscribed"))::int as unsubscribed,
  (count(*) filter (where "isSubscribed" and not "isInTopic"))::int as "notInTopic",
  (count(*) filter (where "isSubscribed" and "isInTopic" and "suppressedBy" is not null))::int as suppressed
from (${audience}) audience`
