/** A journey starts whole services and kills them, and some wait for a dead worker to be found. On a busy machine all of that takes longer. */
export const JOURNEY_MS_MAX = 300_000
