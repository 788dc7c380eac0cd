// A database that a test opens without a service.
import { type Database, openDatabase } from '../../../src/db/database.ts'

/** Many tests share a machine, so that for seconds one may get nothing of it. */
export const PATIENCE = 10

export const openTestDatabase = (databaseUrl: string, options: Partial<Parameters<typeof openDatabase>[0]> = {}): Database =>
  openDatabase({ databaseUrl, onError: () => {}, patience: PATIENCE, ...options })
