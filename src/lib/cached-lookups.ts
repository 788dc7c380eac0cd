// Values that are looked up by a key and known for a while, such as what a key of the API may do. What is forgotten is looked up anew: a lookup that began
// before does not put the earlier value back.
import { LRUCache } from 'lru-cache'
import { upTo } from './cache.ts'
import { createSharedLookups } from './shared-lookups.ts'

type Options<Value> = {
  entriesMax: number
  /** The longest time until a change of another process is noticed. */
  lifetimeMs: number
  /** What may be known for a while, and told to everyone who asks meanwhile. All of it, if absent. */
  isKept?: (value: Value) => boolean
  /** Each answer, and whether it is known from now on. */
  onAnswer?: (key: string, value: Value, isKnown: boolean) => void
}

export type CachedLookups<Value> = {
  /** Looks in memory only. */
  known(key: string): Value | undefined
  /** Looks it up once for all who ask meanwhile, unless it is known. */
  find(key: string, lookUp: () => Promise<Value>): Promise<Value>
  /** For a lookup of several: called before it, and for each value after it. */
  begin(): (key: string, value: Value) => void
  /** After the commit of a change. */
  forget(key: string): void
  forgetAll(): void
}

// biome-ignore lint/complexity/noBannedTypes: null is a value, and undefined is none.
export function createCachedLookups<Value extends {} | null>({
  entriesMax,
  lifetimeMs,
  isKept = () => true,
  onAnswer = () => {},
}: Options<Value>): CachedLookups<Value> {
  const entries = new LRUCache<string, { value: Value }>({ ...upTo(entriesMax), ttl: lifetimeMs })
  const lookups = createSharedLookups<Value>(isKept)
  let generation = 0

  function begin(): (key: string, value: Value) => void {
    const began = generation
    return (key, value) => {
      const isKnown = began === generation && isKept(value)
      if (isKnown) entries.set(key, { value })
      onAnswer(key, value, isKnown)
    }
  }

  async function lookUpOne(key: string, lookUp: () => Promise<Value>): Promise<Value> {
    const remember = begin()
    const value = await lookUp()
    remember(key, value)
    return value
  }

  return {
    known: (key) => entries.get(key)?.value,
    async find(key, lookUp) {
      const entry = entries.get(key)
      return entry ? entry.value : lookups.find(key, () => lookUpOne(key, lookUp))
    },
    begin,
    forget(key) {
      generation += 1
      entries.delete(key)
      lookups.forget(key)
    },
    forgetAll() {
      generation += 1
      entries.clear()
      lookups.forgetAll()
    },
  }
}
