const RETRY_AFTER_FAULT_MS = 1_000

/** The wait before a retry of what the database refused. Retrying as fast as possible does not help. */
export const pauseAfterFault = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_FAULT_MS))
