// A team whose rows cannot be joined would hold up all others, or fill the log each second without saying which team it is.
import { expect, it, vi } from 'vitest'
import { newAct } from '../../../src/db/acts.ts'
import { MINUTE_MS, systemClock } from '../../../src/lib/clock.ts'
import { createId } from '../../../src/lib/ids.ts'
import { startChaining } from '../../../src/modules/audit/chain.worker.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

async function addRow(teamId: string): Promise<void> {
  const actor = { kind: 'system' as const, id: null, name: null, address: null, userAgent: null }
  const target = { type: 'topic', id: createId(), table: null }
  await service.service.context.repositories.auditLog.recordRead(newAct('topics.create', { teamId, actor, target, clock: systemClock }))
}

it('joins what others wrote while a team fails, and names it once a minute', async () => {
  const { context } = service.service
  const { auditChains } = context.repositories
  const [failing, other] = [createId(), createId()]
  let tried = 0
  const join = async (...joined: Parameters<typeof auditChains.join>) => {
    if (joined[0] !== failing) return auditChains.join(...joined)
    tried += 1
    throw new Error('torn')
  }
  let nowMs = 0
  const warn = vi.fn()
  await addRow(failing)
  await addRow(other)
  const chaining = startChaining(
    {
      ...context,
      repositories: { ...context.repositories, auditChains: { ...auditChains, join } },
      clock: { ...systemClock, monotonicMs: () => nowMs },
      log: Object.assign(Object.create(context.log), { warn }),
    },
    { lookEveryMs: 1 },
  )
  try {
    await until(() => expect(tried).toBeGreaterThan(3))
    expect(await auditChains.find(other)).toMatchObject({ head: { seq: 1 } })
    expect(warn.mock.calls).toEqual([[{ err: new Error('torn'), teamIds: [failing], teams: 1 }, 'audit log not joined']])
    nowMs += MINUTE_MS
    await until(() => expect(warn).toHaveBeenCalledTimes(2))
  } finally {
    await chaining.stop()
  }
})

it('says once a minute that there is no key, and tries no team', async () => {
  const { context } = service.service
  const { auditChains } = context.repositories
  const join = vi.fn(auditChains.join)
  const warn = vi.fn()
  let asked = 0
  const chaining = startChaining(
    {
      ...context,
      auditKeys: () => {
        asked += 1
        return { signing: null, keys: new Map() }
      },
      repositories: { ...context.repositories, auditChains: { ...auditChains, join } },
      clock: { ...systemClock, monotonicMs: () => 0 },
      log: Object.assign(Object.create(context.log), { warn }),
    },
    { lookEveryMs: 1 },
  )
  try {
    await until(() => expect(asked).toBeGreaterThan(3))
  } finally {
    await chaining.stop()
  }
  expect(warn.mock.calls).toEqual([[{ err: new Error('There is no data key for the audit log') }, 'audit log not joined']])
  expect(join).not.toHaveBeenCalled()
})
