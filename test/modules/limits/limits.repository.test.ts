// The limits that a process knows of a team.
import { expect, it } from 'vitest'
import type { Execute } from '../../../src/db/database.ts'
import { teamLimitRepository } from '../../../src/modules/limits/limits.repository.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

it('are those of the last change, also if a lookup that began before it ends later', async () => {
  const { database } = service
  const { clock } = service.service.context
  const [held, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let lookups = 0
  const execute: Execute = async (sql, values) => {
    const rows = await database.execute(sql, values)
    lookups += 1
    if (lookups > 1) return rows as never
    read.resolve()
    await held.promise
    return rows as never
  }
  const limits = teamLimitRepository({ execute, transaction: database.transaction }, { clock, acceptedSince: async () => 0 })
  const earlier = limits.of(service.teamId)
  await read.promise
  await limits.setAcrossTeams(service.teamId, { contacts: 5 })
  held.resolve()
  expect((await earlier).contacts).toBeNull()
  expect((await limits.of(service.teamId)).contacts).toBe(5)
})
