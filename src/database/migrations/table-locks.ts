// How statements lock tables and go through them (PostgreSQL, "Explicit Locking").

/** Ordered from the weakest to the strongest. */
export const LOCK_MODES = ['row exclusive', 'share update exclusive', 'share', 'share row exclusive', 'access exclusive'] as const
export type LockMode = (typeof LOCK_MODES)[number]

/** How a table is gone through: read, read for an index, or written anew with its indexes. */
export type Work = { table: string; kind: 'read' | 'index' | 'rewrite' }
