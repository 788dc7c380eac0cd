// Tells automations what happened. What cannot be told together is told one by one, and what cannot be told alone is set aside.
import type { Context } from '../../context.ts'
import { NotTold } from '../../lib/automations/not-told.ts'
import { isCanceled, isDeadlock, isSerializationFailure, isUnavailable } from '../../lib/database-errors.ts'

/** Told in one bite. */
const OCCURRENCES_MAX = 200

export type Teller = ReturnType<typeof createTeller>

export function createTeller({ repositories, hashAddress, log }: Pick<Context, 'repositories' | 'hashAddress' | 'log'>) {
  const { automationOccurrences } = repositories
  /** How many are still told one by one, after a bite that failed. */
  let alone = 0

  async function tellSome(from: 'next' | 'set aside', occurrencesMax: number): Promise<boolean> {
    try {
      return await automationOccurrences.tellAcrossTeams({ hashAddress }, { from, occurrencesMax })
    } catch (error) {
      if (!(error instanceof NotTold) || isOfMoment(error)) throw error
      const [only, ...others] = error.seqs
      if (others.length > 0) {
        alone = error.seqs.length + 1
        log.warn({ err: error, events: error.seqs.length }, 'events not told to automations together')
      } else if (only !== undefined) {
        const isKept = await automationOccurrences.setAsideAcrossTeams(only)
        log.error({ err: error, seq: only }, isKept ? 'event not told to automations' : 'event not told to automations, and forgotten')
      }
      return true
    }
  }

  return {
    /** A bounded part of what there is to tell. Returns whether there may be more. */
    async tell(): Promise<boolean> {
      const hasMore = await tellSome('next', alone > 0 ? 1 : OCCURRENCES_MAX)
      alone = Math.max(alone - 1, 0)
      return (await tellSome('set aside', 1)) || hasMore
    },
  }
}

/** A statement that takes too long may do so because of one of them. */
const isOfMoment = (error: unknown): boolean =>
  (isUnavailable(error) && !isCanceled(error)) || isDeadlock(error) || isSerializationFailure(error)
