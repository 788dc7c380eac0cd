// The bytes that the files of a team take: counted by whatever stores or removes a file, for teams with such a limit only.
import { describe, expect, it } from 'vitest'
import { countStoredBytes, sweepEmails } from '../../../src/server/sweeps.ts'
import { sendImport, tryImport } from '../../support/builders/contact-imports.ts'
import { RECEIVED_MESSAGE, receiveEmail } from '../../support/builders/received-emails.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService, type TestService } from '../../support/servers/service.ts'

const clock = createMovingClock()
const service = shared(() => startTestService({ clock, environment: { EMAIL_RETENTION_DAYS: '3' } }))
const beside = shared(() => startTestService({ clock, beside: service }))

type Team = { id: string; token: string; asService: TestService }

async function teamWith(limit: number | null): Promise<Team> {
  const { teams, teamLimits } = service.service.context.repositories
  const { id } = await teams.create('Team with files')
  if (limit !== null) await teamLimits.setAcrossTeams(id, { stored_bytes: limit })
  const token = await service.createKey(id)
  return { id, token, asService: { ...service, teamId: id, token } }
}

const file = (bytes: number) => ({ filename: 'a.txt', content: Buffer.alloc(bytes, 'x').toString('base64') })

const send = ({ token }: Team, sizes: number[], by = service, more: object = {}) =>
  by.call('POST', '/emails', {
    token,
    body: { from: 'a@example.com', to: 'b@example.org', subject: 's', text: 't', attachments: sizes.map(file), ...more },
  })

const used = ({ id }: Team) => service.service.context.repositories.teamStorage.used(id)

const usage = async ({ token }: Team) => ((await service.call('GET', '/usage', { token })).body as { stored_bytes: object }).stored_bytes

async function rowsOf({ id }: Team): Promise<number> {
  const [row] = await service.database.execute<{ count: number }>(
    'select (select count(*) from team_storage where team_id = $1)::int + (select count(*) from team_storage_changes where team_id = $1)::int as count',
    [id],
  )
  return row?.count ?? 0
}

describe('a limit of stored bytes', () => {
  it('is never exceeded by requests that come together in two processes, and is used to its last byte', async () => {
    const team = await teamWith(1_000)
    const together = await Promise.all(Array.from({ length: 30 }, (_, index) => send(team, [60, 40], index % 2 === 0 ? service : beside)))
    const taken = together.filter(({ status }) => status === 200).length
    expect(taken).toBeLessThanOrEqual(10)
    // While files are stored, their room counts beside them.
    for (let count = taken; count < 10; count += 1) expect((await send(team, [100])).status).toBe(200)
    expect(await send(team, [1])).toMatchObject({
      status: 403,
      body: {
        name: 'validation_error',
        message:
          'The files of your team may take 1,000 bytes. None are left, and these files have 1. Delete received emails and images that you do not need, or ask your operator for more.',
      },
    })
    expect((await send(team, [])).status).toBe(200)
    expect([await used(team), await usage(team)]).toEqual([1_000, { used: 1_000, limit: 1_000 }])
  })

  it('gives a refused email back what it counts for other limits, and a repetition its first answer', async () => {
    const team = await teamWith(100)
    const { teamLimits, quotas } = service.service.context.repositories
    await teamLimits.setAcrossTeams(team.id, { emails_per_day: 2 })
    const repeated = () =>
      service.call('POST', '/emails', {
        ...{ token: team.token, headers: { 'idempotency-key': team.id } },
        body: { from: 'a@example.com', to: 'b@example.org', subject: 's', text: 't', attachments: [file(100)] },
      })
    const first = await repeated()
    expect(first.status).toBe(200)
    expect((await send(team, [1])).status).toBe(403)
    expect((await repeated()).body).toEqual(first.body)
    expect([(await quotas.left(team.id, clock.now()))[0]?.left, await used(team)]).toEqual([1, 100])
  })

  it('counts received emails with their files, and imports until they are read; what is removed returns', async () => {
    const team = await teamWith(1_000_000)
    const id = await receiveEmail(team.asService)
    const received = Buffer.byteLength(RECEIVED_MESSAGE) + 'image'.length + 'file'.length
    expect(await used(team)).toBe(received)

    const imported = (await sendImport(team.asService, { file: 'email\nada@example.org\n' })).body as { id: string }
    expect(await used(team)).toBe(received + 22)
    await tryImport(team.asService, imported.id)
    expect(await used(team)).toBe(received)

    await service.call('DELETE', `/emails/receiving/${id}`, { token: team.token })
    expect(await used(team)).toBe(0)
  })

  it('refuses an import beyond it, and leaves no file of it', async () => {
    const team = await teamWith(10)
    const answer = await sendImport(team.asService, { file: 'email\nada@example.org\n' })
    expect(answer).toMatchObject({ status: 403, body: { name: 'validation_error' } })
    expect(await used(team)).toBe(0)
  })

  it('returns the attachments that retention removes, of more changes than are read one by one', async () => {
    const team = await teamWith(100_000)
    for (let count = 0; count < 6; count += 1)
      expect(
        (
          await send(
            team,
            Array.from({ length: 20 }, () => 10),
          )
        ).status,
      ).toBe(200)
    expect((await send(team, [5])).status).toBe(200)
    expect(await used(team)).toBe(1_205)
    await service.database.execute('delete from deliveries where team_id = $1', [team.id])
    await service.database.execute('update emails set final_at = $2 where team_id = $1', [team.id, clock.now()])
    clock.advance(4 * 24 * 60 * 60_000)
    await sweepEmails(service.service.context)
    expect(await used(team)).toBe(0)
  })

  it('begins with the files that are there, and forgets them with the limit', async () => {
    const team = await teamWith(null)
    await send(team, [300])
    expect([await rowsOf(team), await usage(team)]).toEqual([0, { used: null, limit: null }])
    const { context } = service.service
    const { teamLimits, teamStorage } = context.repositories
    await teamLimits.setAcrossTeams(team.id, { stored_bytes: 200 })
    await teamStorage.countAgain([team.id])
    expect(await used(team)).toBe(300)

    await service.database.execute('update team_storage set bytes = 70 where team_id = $1', [team.id])
    await Promise.all([countStoredBytes(context), countStoredBytes(context)])
    expect(await used(team)).toBe(300)

    await teamLimits.setAcrossTeams(team.id, { stored_bytes: null })
    expect(await rowsOf(team)).toBe(0)
  })

  it('gets back the room of a process that ended while it stored', async () => {
    const team = await teamWith(100)
    const { teamStorage } = service.service.context.repositories
    expect(await teamStorage.takeRoom(team.id, 100)).toMatchObject({ kind: 'taken' })
    expect((await send(team, [1])).status).toBe(403)
    await service.database.execute(`update team_storage_changes set expires_at = expires_at - interval '2 hours' where team_id = $1`, [
      team.id,
    ])
    expect((await send(team, [100])).status).toBe(200)
    expect(await used(team)).toBe(100)
  })
})
