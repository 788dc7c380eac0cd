import type { BaseLogger } from 'pino'

/** What the database code needs of a logger; pino's and Fastify's both fit. */
export type Log = Pick<BaseLogger, 'debug' | 'info' | 'warn' | 'error'>
