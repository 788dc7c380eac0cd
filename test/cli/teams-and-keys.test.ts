import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { toTimestamp } from '../../src/lib/clock.ts'
import { newReputation } from '../../src/modules/limits/reputation-evaluation.ts'
import { saveReputationsAcrossTeams } from '../../src/modules/limits/reputations.repository.ts'
import { until } from '../support/clocks/until.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, command, errorsWith } = useCommandsBesideService()

const statusWith = async (token: string) => (await service().call('GET', '/api-keys', { token })).status

const TEAM_NAME = 'The name of a team must have 1 to 100 characters, one of them visible.'

describe('teams', () => {
  it('creates a team, lists it and renames it', async () => {
    const created = await command('teams', 'create', 'Acme')
    const id = created.out.trimEnd()
    expect(created).toEqual({
      status: 0,
      out: expect.stringMatching(/^[0-9a-f-]{36}\n$/),
      errors: errorsWith('Team "Acme" was created. Its id:\n'),
    })

    expect(await command('teams', 'rename', id, 'Acme Ltd')).toEqual({ status: 0, out: `${id}  Acme Ltd\n`, errors: errorsWith() })

    const { out } = await command('teams', 'list')
    const [heading, ...rows] = out.trimEnd().split('\n')
    expect(heading).toMatch(/^TEAM {34}CREATED {18}STATUS {5}NAME$/)
    expect(rows).toContainEqual(expect.stringMatching(new RegExp(`^${id}  [\\d-]{10} [\\d:]{8} UTC  active {5}Acme Ltd$`)))

    const { createdAt } = (await service().service.context.repositories.teams.find(id)) ?? {}
    const json: unknown = JSON.parse((await command('teams', 'list', '--json')).out)
    expect(json).toContainEqual({
      ...{ id, name: 'Acme Ltd', suppresses_soft_bounces: true, created_at: createdAt && toTimestamp(createdAt) },
      ...{ status: 'active', suspended_at: null, suspended_reason: null, deleted_at: null, removal_at: null },
      ...{ guard: 'all', reputation: 'good', reputation_since: null, reputation_reason: null },
    })
  })

  it('says how far the guard goes with a team, and ends its pause', async () => {
    const { repositories } = service().service.context
    const { id } = await repositories.teams.create('Guarded')
    expect((await command('teams', 'guard', id, 'bulk')).out).toBe(`${id}  bulk\n`)
    const paused = { ...newReputation(new Date()), status: 'bulk_paused' as const, reason: 'Bounces.' }
    await saveReputationsAcrossTeams(service().database.execute, [{ teamId: id, ...paused }])
    expect((await command('teams', 'release', id)).out).toBe(`${id} is no longer paused.\n`)
    expect(await repositories.teams.find(id)).toMatchObject({ guard: 'bulk', reputation: { status: 'good', reason: null } })
    expect(await repositories.reputations.find(id)).toMatchObject({ throttled: 'bulk' })
  })

  it('says whether soft bounces suppress addresses of a team', async () => {
    const { id } = await service().service.context.repositories.teams.create('Quiet')
    const inList = async () => {
      const all = JSON.parse((await command('teams', 'list', '--json')).out) as { id: string; suppresses_soft_bounces: boolean }[]
      return all.find((team) => team.id === id)?.suppresses_soft_bounces
    }
    const off = await command('teams', 'soft-bounces', id, 'ignore')
    expect(off).toEqual({ status: 0, out: 'Soft bounces suppress no address.\n', errors: errorsWith() })
    expect(await inList()).toBe(false)
    expect((await command('teams', 'soft-bounces', id, 'suppress')).status).toBe(0)
    expect(await inList()).toBe(true)
  })

  it.each([
    ['a name that is too long', ['teams', 'create', 'x'.repeat(101)], `${TEAM_NAME}\n`],
    ['an empty name', ['teams', 'create', ''], `${TEAM_NAME}\n`],
    ['a name that no one sees', ['teams', 'create', ' \u200b'], `${TEAM_NAME}\n`],
    ['a team that is not there', ['teams', 'soft-bounces', 'nobody', 'ignore'], 'There is no team "nobody"; `teams list` shows all.\n'],
    ['a team that is not there', ['teams', 'rename', 'nobody', 'x'], 'There is no team "nobody"; `teams list` shows all.\n'],
  ])('refuses %s with status 1 and one line', async (_what, args, errors) => {
    expect(await command(...args)).toEqual({ status: 1, out: '', errors: errorsWith(errors) })
  })

  it('suspends, resumes, deletes and restores a team, each of which stands in its log and holds for the running service', async () => {
    const { id } = await service().service.context.repositories.teams.create('Stopped')
    const token = await service().createKey(id)
    await service().call('POST', '/contacts', { token, body: { email: 'a@example.com' } })
    const becomes = (method: string, status: number) =>
      expect
        .poll(
          async () =>
            (await service().call(method, '/contacts', { token, ...(method === 'POST' && { body: { email: 'b@example.com' } }) })).status,
        )
        .toBe(status)

    expect(await command('teams', 'suspend', id, ' ')).toMatchObject({
      status: 1,
      errors: errorsWith('The reason must have 1 to 500 characters, one of them visible.\n'),
    })
    expect(await command('teams', 'suspend', id, 'Unpaid.')).toEqual({
      status: 0,
      out: `${id} is suspended; \`teams resume\` ends it.\n`,
      errors: errorsWith(),
    })
    await becomes('POST', 403)
    await becomes('GET', 200)
    expect(await command('teams', 'resume', id)).toEqual({ status: 0, out: `${id} is no longer suspended.\n`, errors: errorsWith() })
    await becomes('POST', 201)
    const deleted = await command('teams', 'delete', id)
    expect(deleted).toEqual({
      status: 0,
      out: expect.stringMatching(
        new RegExp(`^${id} is deleted\\. From [\\d-]{10} [\\d:]{8} UTC on, this is removed: .*1 api keys, .*2 contacts, .*\\.\n$`),
      ),
      errors: errorsWith(),
    })
    await becomes('GET', 403)
    expect((await command('teams', 'delete', id)).out).toBe(deleted.out)
    expect(await command('teams', 'restore', id)).toEqual({ status: 0, out: `${id} is no longer deleted.\n`, errors: errorsWith() })
    await becomes('GET', 200)
    expect(await command('teams', 'suspend', 'nobody', 'x')).toMatchObject({ status: 1 })
    const acts = await service().database.execute(
      `select act, target_id as target from audit_log where team_id = $1 and actor_kind = 'command_line' order by id`,
      [id],
    )
    expect(acts).toEqual(['suspend', 'resume', 'delete', 'restore'].map((act) => ({ act: `command.teams.${act}`, target: id })))
  })

  it('lists more teams than it reads at once, each once, the oldest first and in one table', async () => {
    const { teams } = service().service.context.repositories
    const { id } = await teams.create('Gone')
    await command('teams', 'delete', id)
    await service().database.execute(
      `insert into teams (id, name, created_at) select ('ffffffff-ffff-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Many ' || n, now() from generate_series(1, 600) n`,
    )
    const expected = (await service().database.execute<{ id: string }>('select id from teams order by id')).map((team) => team.id)
    const [, ...lines] = (await command('teams', 'list')).out.trimEnd().split('\n')
    expect(lines.map((line) => line.slice(0, 36))).toEqual(expected)
    expect(new Set(lines.map((line) => /^.{63}(active {3}|suspended|deleted {2}) {2}\S/.test(line)))).toEqual(new Set([true]))
    expect(lines.find((line) => line.startsWith(id))).toMatch(/ {2}deleted {4}Gone$/)
    const listed = JSON.parse((await command('teams', 'list', '--json')).out) as { id: string; status: string }[]
    expect(listed.map((team) => team.id)).toEqual(expected)
    expect(listed.find((team) => team.id === id)?.status).toBe('deleted')
    await service().database.execute(`delete from teams where name like 'Many %'`)
  })

  it('leaves out of a name what a terminal would obey', async () => {
    await service().service.context.repositories.teams.create('Red \u001b[31m \u009bteam')
    const { out } = await command('teams', 'list')
    expect(out).toContain('Red  [31m  team')
    const json = (await command('teams', 'list', '--json')).out
    expect(json).not.toMatch(/[^\n\P{Cc}]/u)
    expect(JSON.parse(json)).toContainEqual(expect.objectContaining({ name: 'Red \u001b[31m \u009bteam' }))
  })
})

describe('keys', () => {
  it('creates a key that works at once, with the name and permission that were given', async () => {
    const { status, out, errors } = await command(
      'keys',
      'create',
      '--team',
      service().teamId,
      '--name',
      'Laptop',
      '--permission',
      'sending_access',
    )

    expect({ status, out }).toEqual({ status: 0, out: expect.stringMatching(/^re_\w{8}_\w{24}\n$/) })
    expect(errors).toMatch(/^Database: .+\nKey [\w-]{36} of team [\w-]{36}, with sending_access\. It is shown only once:\n$/)
    expect(errors).toContain(`of team ${service().teamId}`)
    expect(await service().call('GET', '/api-keys', { token: out.trim() })).toMatchObject({
      status: 401,
      body: { name: 'restricted_api_key' },
    })
    const list = await service().call('GET', '/api-keys')
    expect(list.body).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ name: 'Laptop' })]) })
  })

  it('creates a key that may only send from a domain, and lists it with that', async () => {
    const team = await service().service.context.repositories.teams.create('Team with a domain')
    const token = await service().createKey(team.id)
    const { body } = await service().call('POST', '/domains', { body: { name: 'acme.example' }, token })
    const create = (...options: string[]) => command('keys', 'create', '--team', team.id, '--domain', ...options)
    const created = await create('Acme.example')
    expect(created.errors).toMatch(/\nKey [\w-]{36} of team [\w-]{36}, with sending_access from Acme\.example\. It is shown only once:\n$/)
    const from = (domain: string) => ({ from: `a@${domain}`, to: 'b@example.org', subject: 's', text: 't' })
    const send = async (domain: string) =>
      (await service().call('POST', '/emails', { body: from(domain), token: created.out.trim() })).status
    expect([await send('acme.example'), await send('other.example')]).toEqual([200, 403])

    expect((await command('keys', 'list', '--team', team.id)).out).toMatch(/sending_access {2}acme\.example {2}/)
    await service().call('DELETE', `/domains/${(body as { id: string }).id}`, { token })
    expect((await command('keys', 'list', '--team', team.id)).out).toMatch(/sending_access {2}deleted {2}/)
    expect(await create('acme.example')).toEqual({
      status: 1,
      out: '',
      errors: errorsWith('This team has no domain "acme.example"; `domains list` shows all.\n'),
    })
    expect(await create('acme.example', '--permission', 'full_access')).toEqual({
      status: 1,
      out: '',
      errors: errorsWith('A key with full access cannot be restricted to a domain: leave out --permission or --domain.\n'),
    })
  })

  it('revokes a key of a running service(), which refuses it within two seconds', async () => {
    const token = await service().createKey(service().other.teamId)
    const { body } = await service().call('GET', '/api-keys', { token })
    const [{ id }] = (body as { data: [{ id: string }] }).data

    expect(await command('keys', 'revoke', id, '--team', service().other.teamId)).toEqual({
      status: 0,
      out: `${id} is revoked.\n`,
      errors: errorsWith(),
    })

    const revokedMs = performance.now()
    let acceptedMs = revokedMs
    await until(async () => {
      const askedMs = performance.now()
      const status = await statusWith(token)
      if (status === 200) acceptedMs = askedMs
      expect(status).toBe(403)
    })
    // A request that came later was never accepted, however late its answer is.
    expect(acceptedMs - revokedMs).toBeLessThan(2_000)
  })

  it("lists one team's keys only, without the keys themselves", async () => {
    const token = await service().createKey(service().teamId)
    const { status, out } = await command('keys', 'list', '--team', service().teamId)

    const { body } = await service().call('GET', '/api-keys')
    const keys = (body as { data: { id: string; name: string }[] }).data
    expect(status).toBe(0)
    const [, ...rows] = out.trim().split('\n')
    expect(rows.map((line) => line.slice(0, 36))).toEqual(keys.map(({ id }) => id))
    expect(out).not.toContain(token.slice(0, 11))
  })

  it('lists of each key when it was made, what it may do, when it was used last, and its name', async () => {
    const team = await service().service.context.repositories.teams.create('Team of two keys')
    const used = await service().createKey(team.id, 'full_access')
    await service().createKey(team.id, 'sending_access')
    expect(await statusWith(used)).toBe(200)
    await service().service.context.repositories.apiKeys.flush()

    const { out } = await command('keys', 'list', '--team', team.id)

    const at = String.raw`[\d-]{10} [\d:]{8} UTC`
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^KEY {35}CREATED {18}PERMISSION {6}DOMAIN {2}LAST USED {16}NAME$/),
      expect.stringMatching(new RegExp(`^[\\w-]{36}  ${at}  sending_access  any     never {18}  sending_access$`)),
      expect.stringMatching(new RegExp(`^[\\w-]{36}  ${at}  full_access     any     ${at}  full_access$`)),
    ])
    const { rows } = await service().service.context.repositories.apiKeys.list(team.id, { limit: 2, after: null, before: null })
    expect(JSON.parse((await command('keys', 'list', '--team', team.id, '--json')).out)).toEqual(
      rows.map(({ id, name, permission, createdAt, lastUsedAt }) => ({
        id,
        name,
        permission,
        domain_id: null,
        oauth_grant_id: null,
        person: null,
        created_at: toTimestamp(createdAt),
        last_used_at: toTimestamp(lastUsedAt),
      })),
    )
  })

  it('says of a team without a key how to make one, and lists none as JSON', async () => {
    const team = await service().service.context.repositories.teams.create('Team without a key')
    const list = (...options: string[]) => command('keys', 'list', '--team', team.id, ...options)
    expect(await list()).toEqual({ status: 0, out: '', errors: errorsWith('This team has no key yet; `keys create` makes one.\n') })
    expect(await list('--json')).toEqual({ status: 0, out: '[]\n', errors: errorsWith() })
  })

  it.each([
    ['several teams and none named', ['keys', 'create'], 'There are several teams: name one with --team; `teams list` shows all.\n'],
    ['an unknown team', ['keys', 'list', '--team', 'x'], 'There is no team "x"; `teams list` shows all.\n'],
  ])('refuses %s with status 1 and one line', async (_what, args, errors) => {
    expect(await command(...args)).toEqual({ status: 1, out: '', errors: errorsWith(errors) })
  })

  it("does not revoke another team's key", async () => {
    const { body } = await service().call('GET', '/api-keys', { token: service().other.token })
    const [{ id }] = (body as { data: [{ id: string }] }).data

    expect(await command('keys', 'revoke', id, '--team', service().teamId)).toEqual({
      status: 1,
      out: '',
      errors: errorsWith(`This team has no key ${id}; \`keys list\` shows all.\n`),
    })
    expect(await statusWith(service().other.token)).toBe(200)
  })

  it('takes a name of as many characters as the API does, whatever their script', async () => {
    const name = '🌷'.repeat(50)
    expect((await service().call('POST', '/api-keys', { body: { name } })).status).toBe(201)
    expect(await command('keys', 'create', '--team', service().teamId, '--name', name)).toMatchObject({ status: 0 })
    expect((await service().call('POST', '/api-keys', { body: { name: `${name}x` } })).status).toBe(422)
    expect(await command('keys', 'create', '--team', service().teamId, '--name', `${name}x`)).toMatchObject({ status: 1 })
  })

  it('refuses a name that is too long, and makes no key', async () => {
    const name = `${randomUUID()}${randomUUID()}`
    expect(await command('keys', 'create', '--team', service().teamId, '--name', name)).toEqual({
      status: 1,
      out: '',
      errors: errorsWith('The name of a key must have at most 50 characters.\n'),
    })
  })

  it('refuses a name that no one sees, and takes none at all', async () => {
    expect(await command('keys', 'create', '--team', service().teamId, '--name', ' \u200b')).toEqual({
      status: 1,
      out: '',
      errors: errorsWith('The name of a key must have at least one visible character.\n'),
    })
    expect(await command('keys', 'create', '--team', service().teamId, '--name', '')).toMatchObject({ status: 0 })
  })
})
