import { beforeEach, expect, it } from 'vitest'
import { newAct } from '../../../src/db/acts.ts'
import { DAY_MS, systemClock } from '../../../src/lib/clock.ts'
import { createId } from '../../../src/lib/ids.ts'
import { JOINED_AT_ONCE } from '../../../src/modules/audit/chain.repository.ts'
import { joinWaiting, sweepAuditLog, verifyChain } from '../../../src/modules/audit/chain.service.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

let teamId: string
let repositories: typeof service.service.context.repositories
const keys = () => service.service.context.auditKeys()

beforeEach(async () => {
  ;({ repositories } = service.service.context)
  teamId = createId()
})

/** Acts of the team, each on a topic of its own. */
async function addRows(count: number, { createdAt = new Date() } = {}): Promise<void> {
  const actor = { kind: 'system' as const, id: null, name: null, address: null, userAgent: null }
  const clock = { ...systemClock, now: () => createdAt }
  for (let added = 0; added < count; added += 1)
    await repositories.auditLog.recordRead(
      newAct('topics.create', { teamId, actor, target: { type: 'topic', id: createId(), table: null }, clock }),
    )
}

const join = async () => (await joinWaiting(service.service.context)).joined
const verify = () => verifyChain(repositories, teamId, keys())

/** Changes what only the owner of the database can change. */
async function asOwner(sql: string, values: unknown[] = []): Promise<void> {
  const { execute } = service.database
  await execute('alter table audit_log disable trigger guard_audit_log')
  await execute(sql, values)
  await execute('alter table audit_log enable trigger guard_audit_log')
}

it('joins the rows of a team in their order, also more than one step takes, and each fits', async () => {
  await addRows(3)
  expect(await join()).toBe(3)
  await addRows(2)
  await join()
  expect(await join()).toBe(0)
  expect(await verify()).toEqual({ checked: 5, removed: 0, chainBreak: null })
  expect(JOINED_AT_ONCE).toBeLessThanOrEqual(1_000)
})

it.each([
  ['was changed', `update audit_log set act = 'topics.delete' where team_id = $1 and seq = 2`, { seq: 2, problem: 'changed' }],
  [
    'is said to be of someone else',
    `update audit_log set actor_name = 'Eve' where team_id = $1 and seq = 2`,
    { seq: 2, problem: 'changed' },
  ],
  [
    'has other details',
    `update audit_log set details = '{"after": {"name": "x"}}' where team_id = $1 and seq = 3`,
    { seq: 3, problem: 'details changed' },
  ],
  ['was removed', 'delete from audit_log where team_id = $1 and seq = 2', { seq: 2, problem: 'missing' }],
  ['was removed at the end', 'delete from audit_log where team_id = $1 and seq = 4', { seq: 4, problem: 'missing' }],
  [
    'was removed at the end, which was moved',
    `with gone as (delete from audit_log where team_id = $1 and seq = 4)
     update audit_chains c set seq = 3, hash = e.hash from audit_log e where c.team_id = $1 and e.team_id = $1 and e.seq = 3`,
    { seq: 3, problem: 'end' },
  ],
  [
    'was put in at the end',
    `insert into audit_log (id, team_id, created_at, actor_kind, act, details_digest, seq, key_version, hash)
     select gen_random_uuid(), team_id, created_at, actor_kind, act, details_digest, 5, key_version, hash from audit_log where team_id = $1 and seq = 4`,
    { seq: 5, problem: 'end' },
  ],
])('names the first row that does not fit: one %s', async (_what, sql, chainBreak) => {
  await addRows(4)
  await join()
  await asOwner(sql, [teamId])
  expect((await verify()).chainBreak).toMatchObject(chainBreak)
})

it('names the first of two rows that were swapped', async () => {
  await addRows(4)
  await join()
  await asOwner('update audit_log set seq = -seq where team_id = $1 and seq in (2, 3)', [teamId])
  await asOwner('update audit_log set seq = 5 + seq where team_id = $1 and seq < 0', [teamId])
  expect((await verify()).chainBreak).toMatchObject({ seq: 2, problem: 'changed' })
})

it('names a row that was put in between, whose successors were moved', async () => {
  await addRows(3)
  await join()
  await asOwner('update audit_log set seq = -seq where team_id = $1 and seq >= 2', [teamId])
  await asOwner('update audit_log set seq = 1 - seq where team_id = $1 and seq < 0', [teamId])
  const id = createId()
  await asOwner(
    `insert into audit_log (id, team_id, created_at, actor_kind, act, details_digest, seq, key_version, hash)
     select $2, team_id, created_at, actor_kind, act, details_digest, 2, key_version, hash from audit_log where team_id = $1 and seq = 1`,
    [teamId, id],
  )
  expect((await verify()).chainBreak).toEqual({ seq: 2, id, problem: 'changed' })
})

it('fits from the hash that retention has kept on', async () => {
  const now = new Date()
  await addRows(2, { createdAt: new Date(now.getTime() - 401 * DAY_MS) })
  await addRows(2)
  await join()
  const { context } = service.service
  await sweepAuditLog(context)
  expect(await verify()).toEqual({ checked: 2, removed: 2, chainBreak: null })
  await addRows(1)
  await join()
  expect(await verify()).toEqual({ checked: 3, removed: 2, chainBreak: null })
  await service.database.execute('update audit_chains set anchor_hash = hash where team_id = $1', [teamId])
  expect((await verify()).chainBreak).toEqual({ seq: 2, id: null, problem: 'beginning' })
})

/** The chain as someone reads it by two rows, while other things happen before each reading. */
function whileRead(...happens: (() => Promise<unknown>)[]): Pick<typeof repositories, 'auditChains'> {
  const { auditChains } = repositories
  return {
    auditChains: {
      ...auditChains,
      async rowsAfter(...read) {
        await happens.shift()?.()
        return (await auditChains.rowsAfter(...read)).slice(0, 2)
      },
    },
  }
}
const nothing = async () => undefined

it('leaves rows that are joined while it reads to the next check', async () => {
  await addRows(3)
  await join()
  const joinOne = () => addRows(1).then(join)
  expect(await verifyChain(whileRead(joinOne, joinOne), teamId, keys())).toEqual({ checked: 3, removed: 0, chainBreak: null })
  expect(await verify()).toEqual({ checked: 5, removed: 0, chainBreak: null })
})

it('begins again where retention has ended that removes rows while it reads, and names a row that is missing there', async () => {
  const now = new Date()
  const { context } = service.service
  await addRows(3, { createdAt: new Date(now.getTime() - 401 * DAY_MS) })
  await addRows(3)
  await join()
  const sweep = () => sweepAuditLog(context)
  expect(await verifyChain(whileRead(nothing, sweep), teamId, keys())).toEqual({ checked: 3, removed: 3, chainBreak: null })

  const remove = () => asOwner('delete from audit_log where team_id = $1 and seq = 5', [teamId])
  expect((await verifyChain(whileRead(remove), teamId, keys())).chainBreak).toEqual({ seq: 5, id: null, problem: 'missing' })
})

it('finds no fault with a team whose first rows are joined while it looks', async () => {
  await addRows(1)
  expect(await verifyChain(whileRead(join), teamId, keys())).toEqual({ checked: 1, removed: 0, chainBreak: null })
})

it('joins the rows of every other team while those of one fail, and says which one that is', async () => {
  await addRows(1)
  const failing = teamId
  teamId = createId()
  await addRows(1)
  const { auditChains } = repositories
  const broken = {
    ...auditChains,
    join: async (...joined: Parameters<typeof auditChains.join>) => {
      if (joined[0] === failing) throw new Error('torn')
      return auditChains.join(...joined)
    },
  }
  const { context } = service.service
  expect(await joinWaiting({ ...context, repositories: { auditChains: broken } })).toEqual({
    joined: 1,
    failed: [{ teamId: failing, error: new Error('torn') }],
  })
  expect(await verify()).toMatchObject({ checked: 1 })
})
