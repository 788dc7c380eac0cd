import { setFlagsFromString } from 'node:v8'

/** Relative to what was alive after the last full collection. */
const GROWTH_PERCENT_MAX = 100

/**
 * Lets the heap grow to twice what is in use before all of it is collected. Mail in progress outlives the collections of the young generation and
 * is garbage a moment later. On a machine with much memory, V8 by default lets four times of what is alive accumulate: 200 MB for nothing.
 * NODE_OPTIONS does not allow the flag; V8 reads it again after every collection.
 */
export const boundHeapGrowth = (): void => setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT_MAX}`)
