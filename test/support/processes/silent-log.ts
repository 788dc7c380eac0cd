import type { Log } from '../../../src/database/log.ts'

const ignore = () => {}

/** A log that keeps nothing. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
