// Whether the database answers; in SQL, because it reads no table.
import type { Database } from './database.ts'

export function healthRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Whether the database answers. */
    async answers(): Promise<boolean> {
      return execute('select 1').then(
        () => true,
        () => false,
      )
    },
  }
}
