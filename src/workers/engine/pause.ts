const RETRY_AFTER_FAULT_MS = 1_000

/** Before trying again what the database did not take: asking as fast as one can helps nobody. */
export const pauseAfterFault = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_FAULT_MS))
