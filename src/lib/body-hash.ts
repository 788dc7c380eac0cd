import { createHash } from 'node:crypto'

/** Equal for bodies that differ only in the order of their fields. */
export const bodyHash = (body: unknown): string =>
  createHash('sha256')
    .update(
      JSON.stringify(body, (_key, value) => (value !== null && typeof value === 'object' && !Array.isArray(value) ? sorted(value) : value)),
    )
    .digest('hex')

const sorted = (record: object): object => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
