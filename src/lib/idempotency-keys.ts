/** The limit for a key that a client gives. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 256
