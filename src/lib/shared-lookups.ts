// Looks a value up once for all who ask meanwhile. That there is none is an answer only for those who asked before the lookup began: someone who
// writes a thing, in whichever process, and asks for it at once finds it.

export function createSharedLookups<Value>(isFound: (value: Value) => boolean) {
  const running = new Map<string, Promise<Value>>()

  function begin(key: string, lookUp: () => Promise<Value>): Promise<Value> {
    const lookup = lookUp().finally(() => {
      if (running.get(key) === lookup) running.delete(key)
    })
    running.set(key, lookup)
    return lookup
  }

  return {
    async find(key: string, lookUp: () => Promise<Value>): Promise<Value> {
      const earlier = running.get(key)
      const value = earlier && (await earlier)
      if (value !== undefined && isFound(value)) return value
      // What runs now began after the earlier one ended.
      return running.get(key) ?? begin(key, lookUp)
    },

    /** What is asked from now on does not wait for a lookup that runs. */
    forget(key: string): void {
      running.delete(key)
    },
    forgetAll(): void {
      running.clear()
    },
  }
}
