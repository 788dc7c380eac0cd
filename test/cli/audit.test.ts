import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newAct } from '../../src/db/acts.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createId } from '../../src/lib/ids.ts'
import { joinWaiting } from '../../src/modules/audit/chain.service.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, folder, command } = useCommandsBesideService({ environment: { SECRET_KEY: 'the secret key of the service of this test' } })

type Entry = { action: string; actor: object; target: object; after: object }

it('is written by commands, and verified by one', async () => {
  const id = (await command('keys', 'create', '--team', service().teamId, '--name', 'Nightly')).out.trimEnd()
  expect(id).toMatch(/^re_/)
  const { data } = (await service().call('GET', '/audit-log?actor_type=command_line')).body as { data: Entry[] }
  expect(data).toEqual([
    expect.objectContaining({
      action: 'command.keys.create',
      actor: { type: 'command_line', id: null, name: userInfo().username, ip_address: null, user_agent: null },
      target: { type: 'api_key', id: expect.any(String) },
      after: { name: 'Nightly', permission: 'full_access', digest: '[secret]' },
    }),
  ])
  // The command made the team that its row belongs to.
  const teamId = (await command('teams', 'create', 'Acme')).out.trimEnd()
  const { database } = service()
  const { context } = service().service
  const acts = () => database.execute('select act, target_id as "targetId" from audit_log where team_id = $1', [teamId])
  expect(await acts()).toEqual([{ act: 'command.teams.create', targetId: teamId }])
  expect((await command('teams', 'list')).status).toBe(0)
  expect(await acts()).toHaveLength(1)

  await joinWaiting(context)
  expect(await command('audit', 'verify', '--team', teamId)).toMatchObject({ status: 0, out: `Team ${teamId}: 1 entries fit.\n` })
  expect(await command('audit', 'verify')).toMatchObject({ status: 0, out: expect.stringContaining(`Team ${service().teamId}: `) })
  await changeAsOwner([`update audit_log set actor_name = 'Eve' where team_id = $1`, teamId])
  expect(await command('audit', 'verify')).toMatchObject({
    status: 1,
    out: expect.stringMatching(
      new RegExp(`Team ${teamId}: entry 1 \\([0-9a-f-]+\\) does not fit: it was changed, put in between, or moved\\.`),
    ),
    errors: expect.stringContaining('The audit log is not as it was written.'),
  })
})

/** Changes rows as only the owner of the database can. */
async function changeAsOwner(...statements: [sql: string, ...values: unknown[]][]): Promise<void> {
  const { execute } = service().database
  await execute('alter table audit_log disable trigger guard_audit_log')
  for (const [sql, ...values] of statements) await execute(sql, values)
  await execute('alter table audit_log enable trigger guard_audit_log')
}

/** A team whose log has four rows in its chain, and their ids in order. */
async function teamWithFourRows(): Promise<{ teamId: string; ids: string[] }> {
  const { context } = service().service
  const teamId = createId()
  const actor = { kind: 'system' as const, id: null, name: null, address: null, userAgent: null }
  for (let added = 0; added < 4; added += 1)
    await context.repositories.auditLog.recordRead(
      newAct('topics.create', { teamId, actor, target: { type: 'topic', id: createId(), table: null }, clock: systemClock }),
    )
  await joinWaiting(context)
  const rows = await service().database.execute<{ id: string }>('select id from audit_log where team_id = $1 order by seq', [teamId])
  return { teamId, ids: rows.map(({ id }) => id) }
}

const INSERTED_ID = createId()
/** Moves the row at a place to another, in two steps, because a place is taken once. */
const MOVE = 'update audit_log set seq = $3 where team_id = $1 and seq = $2'

type Forgery = { what: string; forge: (teamId: string) => Parameters<typeof changeAsOwner>; says: (ids: string[]) => string }

const CHANGED = 'does not fit: it was changed, put in between, or moved.'
const FORGERIES: Forgery[] = [
  {
    what: 'removed',
    forge: (teamId) => [['delete from audit_log where team_id = $1 and seq = 3', teamId]],
    says: () => 'entry 3 does not fit: it was removed.',
  },
  {
    what: 'removed, after which the others were moved up',
    forge: (teamId) => [
      ['delete from audit_log where team_id = $1 and seq = 2', teamId],
      [MOVE, teamId, 3, 2],
      [MOVE, teamId, 4, 3],
    ],
    says: (ids) => `entry 2 (${ids[2]}) ${CHANGED}`,
  },
  {
    what: 'inserted, before which the others were moved down',
    forge: (teamId) => [
      [MOVE, teamId, 4, 5],
      [MOVE, teamId, 3, 4],
      [
        `insert into audit_log (id, team_id, created_at, actor_kind, act, details_digest, seq, key_version, hash)
         select $2, team_id, created_at, actor_kind, act, details_digest, 3, key_version, hash from audit_log where team_id = $1 and seq = 2`,
        teamId,
        INSERTED_ID,
      ],
    ],
    says: () => `entry 3 (${INSERTED_ID}) ${CHANGED}`,
  },
  {
    what: 'swapped with the next one',
    forge: (teamId) => [
      [MOVE, teamId, 2, 9],
      [MOVE, teamId, 3, 2],
      [MOVE, teamId, 9, 3],
    ],
    says: (ids) => `entry 2 (${ids[2]}) ${CHANGED}`,
  },
]

it.each(FORGERIES)('`audit verify` names the first row that does not fit after one was $what', async ({ forge, says }) => {
  const { teamId, ids } = await teamWithFourRows()
  expect(await command('audit', 'verify', '--team', teamId)).toMatchObject({ status: 0, out: `Team ${teamId}: 4 entries fit.\n` })
  await changeAsOwner(...forge(teamId))
  const { status, out } = await command('audit', 'verify', '--team', teamId)
  expect({ status, out }).toEqual({ status: 1, out: `Team ${teamId}: ${says(ids)}\n` })
})

it('has a row for each step of a command that changes many records', async () => {
  const file = join(folder(), 'many.csv')
  writeFileSync(file, `email\n${Array.from({ length: 1_001 }, (_, index) => `many-${index}@example.com`).join('\n')}\n`)
  const { teamId, database } = service()
  expect((await command('suppressions', 'import', file, '--team', teamId)).status).toBe(0)
  expect((await command('suppressions', 'remove', 'many-1@example.com', 'many-2@example.com', '--team', teamId)).status).toBe(0)
  const rows = await database.execute<{ act: string; details: { count?: number; before?: { email: string } } }>(
    `select act, details from audit_log where team_id = $1 and act like 'command.suppressions.%' order by id`,
    [teamId],
  )
  expect(rows.map(({ act, details }) => [act, details.count ?? details.before?.email ?? 1])).toEqual([
    ['command.suppressions.import', 1_000],
    ['command.suppressions.import', 1],
    ['command.suppressions.remove', 'many-1@example.com'],
    ['command.suppressions.remove', 'many-2@example.com'],
  ])
  // What a row says of an address is forgotten with its contact.
  const { id } = (await service().call('POST', '/contacts', { body: { email: 'many-1@example.com' } })).body as { id: string }
  await service().call('DELETE', `/contacts/${id}`)
  const kept = await database.execute<{ details: object | null }>(
    `select details from audit_log where team_id = $1 and act = 'command.suppressions.remove' order by id`,
    [teamId],
  )
  expect(kept).toMatchObject([{ details: null }, { details: { before: { email: 'many-2@example.com' } } }])
})
