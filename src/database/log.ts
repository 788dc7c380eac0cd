import type { BaseLogger } from 'pino'

/** The part of a logger that the database code needs. Pino's and Fastify's both have it. */
export type Log = Pick<BaseLogger, 'debug' | 'info' | 'warn' | 'error'>
