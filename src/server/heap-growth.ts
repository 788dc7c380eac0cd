import { setFlagsFromString } from 'node:v8'

/** Relative to what was alive after the last full collection. */
const GROWTH_PERCENT_MAX = 100
/** Where memory is short. What is collected late is as much memory as what is used. */
const GROWTH_PERCENT_MAX_IN_LITTLE_MEMORY = 30

/**
 * Lets the heap grow to twice what is in use before all of it is collected. Mail in progress outlives the collections of the young generation and
 * is garbage a moment later. On a machine with much memory, V8 by default lets four times of what is alive accumulate: 200 MB for nothing.
 * NODE_OPTIONS does not allow the flag; V8 reads it again after every collection.
 */
export const boundHeapGrowth = (isMemoryLittle: boolean): void =>
  setFlagsFromString(`--heap-growing-percent=${isMemoryLittle ? GROWTH_PERCENT_MAX_IN_LITTLE_MEMORY : GROWTH_PERCENT_MAX}`)
