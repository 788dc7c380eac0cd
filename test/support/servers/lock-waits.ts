// Whether a transaction waits for another, in the database of one test.
import { expect } from 'vitest'
import { until } from '../clocks/until.ts'
import type { TestService } from './service.ts'

type Service = Pick<TestService, 'database'>

export async function expectLockWait({ database }: Service): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  expect(await database.execute(waiting)).not.toEqual([])
}

/** Until a transaction of this database waits for another. */
export const untilLockWait = (service: Service): Promise<void> => until(() => expectLockWait(service))
