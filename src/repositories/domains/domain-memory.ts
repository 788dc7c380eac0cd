// What every email asks about domains, remembered for a moment: only what was found, so that a domain that was just verified may send at once.
import { LRUCache } from 'lru-cache'

/** A deletion in another process is noticed within this time. */
const REMEMBERED_MS = 1_000
const ANSWERS_MAX = 20_000

/** Remembers a value for each name or id of a team; `absent` is the answer for those that have none. */
export function createDomainMemory<Value extends boolean | string>(absent: Value) {
  const known = new LRUCache<string, Value>({ max: ANSWERS_MAX, ttl: REMEMBERED_MS })
  // Raised by every deletion, because a lookup that began before it must not put back what it read.
  let generation = 0

  return {
    /** `lookUp` finds the values that are not remembered. */
    async find(teamId: string, asked: readonly string[], lookUp: (unknown: string[]) => Promise<Map<string, Value>>) {
      const values = new Map(asked.map((one) => [one, known.get(keyOf(teamId, one))]))
      const unknown = asked.filter((one) => values.get(one) === undefined)
      const began = generation
      const found = unknown.length > 0 ? await lookUp(unknown) : new Map<string, Value>()
      if (began === generation) for (const [one, value] of found) known.set(keyOf(teamId, one), value)
      return (one: string): Value => values.get(one) ?? found.get(one) ?? absent
    },

    /** After the commit of a deletion. */
    forget(teamId: string, one: string): void {
      generation += 1
      known.delete(keyOf(teamId, one))
    },
  }
}

const keyOf = (teamId: string, one: string): string => `${teamId} ${one}`
