import type { LeaseTimes } from '../../../src/db/leases/lease.ts'

/** A lease that a test takes and never takes again: it outlives a process that gets nothing of a busy machine for a while. */
export const LONG_LEASE: LeaseTimes = { beatEveryMs: 3_000, giveUpAfterMs: 120_000, deadAfterMs: 200_000 }
