import { expect, it } from 'vitest'
import { followDataKeys } from '../../../src/modules/secrets/data-keys.service.ts'
import { silentLog } from '../../support/processes/processes.ts'

it('reads the keys again and again, also after the database was away, and says so once', async () => {
  let reads = 0
  const said: unknown[] = []
  const { promise: readTwiceAfterwards, resolve } = Promise.withResolvers<void>()
  const log = { ...silentLog, warn: (_fields: unknown, line?: string) => void said.push(line) }
  const following = followDataKeys(
    {
      async readAgain() {
        reads += 1
        if (reads === 2) throw new Error('The database is away')
        if (reads === 4) resolve()
        return []
      },
    },
    { log, everyMs: 5 },
  )
  await readTwiceAfterwards
  await following.stop()
  expect(said).toEqual(['data keys not read'])
})
