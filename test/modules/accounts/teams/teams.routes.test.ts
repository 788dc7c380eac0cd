import { describe, expect, it, vi } from 'vitest'
import { LAST_OWNER } from '../../../../src/modules/accounts/people/people.service.ts'
import { visit } from '../../../support/clients/console.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { keepInstallationMails } from '../../../support/servers/mailed-links.ts'
import { type Answer, type CallOptions, shared, startTestService } from '../../../support/servers/service.ts'

const KEY = 'the-operator-key-of-these-tests-which-is-long'
const PREVIOUS = 'the-operator-key-before-that-one-also-long'
const clock = createMovingClock()
const service = shared(() =>
  startTestService({ clock, environment: { OPERATOR_KEY: KEY, OPERATOR_KEY_PREVIOUS: PREVIOUS, TRUST_PROXY: '127.0.0.1' } }),
)

let addresses = 0
/** From an address of its own, because wrong keys are counted by address. */
const call = (method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
  addresses += 1
  return service.call(method, path, {
    token: KEY,
    ...options,
    headers: { 'x-forwarded-for': `198.51.100.${addresses}`, ...options.headers },
  })
}

const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{6}\+00$/)
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/)
const ACTIVE = {
  object: 'team',
  id: ID,
  name: 'Acme',
  status: 'active',
  suspended_at: null,
  suspended_reason: null,
  deleted_at: null,
  removal_at: null,
  suppresses_soft_bounces: true,
  guard: 'all',
  reputation: 'good',
  reputation_since: null,
  reputation_reason: null,
  created_at: TIME,
}

async function createTeam(name = 'Acme'): Promise<{ id: string; token: string }> {
  const { id } = (await call('POST', '/teams', { body: { name } })).body as { id: string }
  return { id, token: await service.createKey(id) }
}

describe('the operator', () => {
  it('creates a team, reads it, changes it and finds it in the list', async () => {
    const created = await call('POST', '/teams', { body: { name: 'Acme' } })
    expect(created).toMatchObject({ status: 201, body: ACTIVE })
    const team = created.body as { id: string }
    expect(await call('GET', `/teams/${team.id}`)).toMatchObject({ status: 200, body: team })

    const change = { name: 'Acme Ltd', suppresses_soft_bounces: false, guard: 'warn' }
    const changed = { ...team, ...change }
    expect(await call('PATCH', `/teams/${team.id}`, { body: change })).toMatchObject({ status: 200, body: changed })
    expect(await call('PATCH', `/teams/${team.id}`, { body: {} })).toMatchObject({ status: 200, body: changed })

    const { object: _, ...summary } = changed as Record<string, unknown>
    expect(await call('GET', '/teams?limit=1')).toMatchObject({ status: 200, body: { object: 'list', has_more: true, data: [summary] } })
    const next = (await call('GET', `/teams?after=${team.id}`)).body as { data: { id: string }[] }
    expect(next.data.map(({ id }) => id)).toEqual([service.other.teamId, service.teamId])
  })

  it.each([
    ['a team that is not there', 'GET', `/teams/0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10`, undefined, 404, 'Team not found'],
    ['an id that is none', 'GET', '/teams/x', undefined, 422, 'The `team_id` parameter must be a UUID.'],
    ['a team without a name', 'POST', '/teams', {}, 422, 'Missing `name` field.'],
    ['a name that no one sees', 'POST', '/teams', { name: ' ' }, 422, expect.stringContaining('visible')],
    ['a body that is too large', 'POST', '/teams', { name: 'x'.repeat(17_000) }, 413, 'The request body is too large.'],
  ])('is refused %s', async (_what, method, path, body, statusCode, message) => {
    const answer = await call(method, path, body === undefined ? {} : { body })
    expect(answer).toMatchObject({ status: statusCode, body: { statusCode, message } })
  })

  it('leaves no trace in the request log of a team', async () => {
    const { id, token } = await createTeam()
    await call('PATCH', `/teams/${id}`, { body: { name: 'Acme Ltd' } })
    expect((await call('GET', '/logs', { token })).body).toEqual({ object: 'list', has_more: false, data: [] })
  })

  it('may use the key before the last change of OPERATOR_KEY', async () => {
    expect((await call('GET', '/teams', { token: PREVIOUS })).status).toBe(200)
  })
})

describe('another credential', () => {
  it.each([
    ['GET', '/teams'],
    ['POST', '/teams'],
    ['GET', '/teams/0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'],
  ])('of a team gets from %s %s what an unknown path answers', async (method, path) => {
    for (const token of [service.token, service.sendingToken]) {
      const unknown = await call(method, '/no-such-path', { token })
      const answer = await call(method, path, { token })
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 404, body: unknown.body })
    }
  })

  it('that is wrong is refused, and the fourth in a minute from an address with 429, even if it is the right one', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    expect(await call('GET', '/teams', { token: null })).toMatchObject({
      status: 401,
      body: { statusCode: 401, name: 'missing_api_key', message: 'Missing operator key. Send it as `Authorization: Bearer ...`.' },
    })
    for (const token of ['x', `${KEY}x`, KEY.slice(1)])
      expect(await call('GET', '/teams', { token, headers })).toMatchObject({
        status: 403,
        body: { statusCode: 403, name: 'invalid_api_key', message: 'This operator key is not valid.' },
      })
    for (const token of ['x', KEY]) {
      const answer = await call('GET', '/teams', { token, headers })
      expect(answer).toMatchObject({ status: 429, body: { name: 'rate_limit_exceeded' } })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await call('GET', '/teams')).status).toBe(200)
    clock.advance(60_000)
    expect((await call('GET', '/teams', { headers })).status).toBe(200)
  })

  it('is what the key of the operator is to an operation of a team', async () => {
    const wrong = await call('GET', '/domains', { token: 're_nobody' })
    expect(wrong.status).toBe(403)
    for (const token of [KEY, PREVIOUS]) {
      const answer = await call('GET', '/domains', { token })
      expect({ status: answer.status, body: answer.body }).toEqual({ status: wrong.status, body: wrong.body })
    }
  })
})

describe('a suspended team', () => {
  it('reads, and every change is refused with the reason until it is resumed', async () => {
    const { id, token } = await createTeam()
    const suspended = { ...ACTIVE, id, status: 'suspended', suspended_at: TIME, suspended_reason: 'Unpaid.' }
    expect(await call('POST', `/teams/${id}/suspend`, { body: { reason: 'Spam' } })).toMatchObject({ status: 200 })
    expect(await call('POST', `/teams/${id}/suspend`, { body: { reason: 'Unpaid.' } })).toMatchObject({ status: 200, body: suspended })

    for (const [method, path, body] of [
      ['POST', '/emails', { from: 'a@example.com', to: 'b@example.com', subject: 'x', text: 'x' }],
      ['POST', '/contacts', { email: 'a@example.com' }],
      ['DELETE', '/api-keys/0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10', undefined],
    ] as const)
      expect(await call(method, path, { token, ...(body && { body }) })).toMatchObject({
        status: 403,
        body: {
          statusCode: 403,
          name: 'invalid_access',
          message:
            'This team is suspended: it can read, but nothing can be changed or sent until the operator of this service resumes it. Reason: Unpaid.',
        },
      })
    expect((await call('GET', '/contacts', { token })).status).toBe(200)

    expect(await call('POST', `/teams/${id}/resume`)).toMatchObject({ status: 200, body: { ...ACTIVE, id } })
    expect((await call('POST', '/contacts', { token, body: { email: 'a@example.com' } })).status).toBe(201)
  })
})

it('answers 404 to everyone without the setting', async () => {
  const without = await startTestService()
  try {
    const unknown = await without.call('GET', '/no-such-path')
    for (const token of [null, KEY, without.token, ''])
      for (const method of ['GET', 'POST', 'PUT']) {
        const { status, body } = await without.call(method, '/teams', { token })
        expect({ status, body }).toEqual({ status: 404, body: unknown.body })
      }
  } finally {
    await without.close()
  }
})

describe('the members of a team', () => {
  it('come by an invitation of the operator, whose changes are mailed to the owners', async () => {
    const mails = keepInstallationMails(service.service.context)
    const { id } = await createTeam()
    const asked = { email: 'Owner@people.example', role: 'owner' }
    const invited = await call('POST', `/teams/${id}/invitations`, { body: asked })
    const invitation = {
      id: ID,
      email: 'owner@people.example',
      role: 'owner',
      invited_by: 'The operator',
      created_at: TIME,
      expires_at: TIME,
    }
    expect(invited).toMatchObject({ status: 201, body: { object: 'invitation', ...invitation } })
    expect((await call('GET', `/teams/${id}/invitations`)).body).toEqual({ object: 'list', has_more: false, data: [invitation] })

    const accepted = await visit(service, 'POST', new URL((await mails.next()).secret).pathname, { form: { name: 'Owner' } })
    expect(accepted.status).toBe(303)
    expect((await call('GET', `/teams/${id}/invitations`)).body).toEqual({ object: 'list', has_more: false, data: [] })
    const owner = { id: ID, email: 'owner@people.example', name: 'Owner', role: 'owner', created_at: TIME }
    const members = (await call('GET', `/teams/${id}/members`)).body as { data: { id: string }[] }
    expect(members).toEqual({ object: 'list', has_more: false, data: [owner] })

    const path = `/teams/${id}/members/${members.data[0]?.id}`
    expect(await call('PATCH', path, { body: { role: 'viewer' } })).toMatchObject({ status: 422, body: { message: LAST_OWNER } })
    expect(await call('DELETE', path)).toMatchObject({ status: 422, body: { message: LAST_OWNER } })

    const { persons } = service.service.context.repositories
    const helper = await persons.ensureAcrossTeams('helper@people.example', 'Helper')
    await persons.addMember(id, helper.id, 'viewer')
    const changed = await call('PATCH', `/teams/${id}/members/${helper.id}`, { body: { role: 'support' } })
    expect(changed).toMatchObject({ status: 200, body: { object: 'member', id: helper.id, role: 'support' } })
    expect(await mails.next()).toMatchObject({
      to: 'owner@people.example',
      text: expect.stringContaining('made helper@people.example support'),
    })
    const removed = await call('DELETE', `/teams/${id}/members/${helper.id}`)
    expect(removed).toMatchObject({ status: 200, body: { object: 'member', id: helper.id, deleted: true, api_keys: [] } })
    expect((await mails.next()).text).toContain('removed helper@people.example from the team')

    const other = await call('POST', `/teams/${id}/invitations`, { body: { email: 'other@people.example', role: 'viewer' } })
    expect([(await mails.next()).to, (await mails.next()).to]).toEqual(['other@people.example', 'owner@people.example'])
    const revoked = await call('DELETE', `/teams/${id}/invitations/${(other.body as { id: string }).id}`)
    expect(revoked.status).toBe(200)
    expect(await mails.next()).toMatchObject({
      to: 'owner@people.example',
      text: expect.stringContaining('revoked the invitation of other@people.example'),
    })
  })

  it('are changed although their owners cannot be told', async () => {
    const { id } = await createTeam()
    const { persons } = service.service.context.repositories
    const [owner, helper] = [
      await persons.ensureAcrossTeams('owner@untold.example', 'Owner'),
      await persons.ensureAcrossTeams('helper@untold.example', 'Helper'),
    ]
    await persons.addMember(id, owner.id, 'owner')
    await persons.addMember(id, helper.id, 'viewer')
    const { installationMails } = service.service.context
    vi.spyOn(installationMails, 'send').mockRejectedValueOnce(new Error('no room'))
    const changed = await call('PATCH', `/teams/${id}/members/${helper.id}`, { body: { role: 'support' } })
    expect(changed).toMatchObject({ status: 200, body: { role: 'support' } })
    vi.mocked(installationMails.send).mockRestore()
  })

  it('of another team are not found', async () => {
    const [mine, other] = [await createTeam(), await createTeam()]
    const { persons } = service.service.context.repositories
    const person = await persons.ensureAcrossTeams('elsewhere@people.example', 'Elsewhere')
    await persons.addMember(other.id, person.id, 'owner')
    expect(await call('DELETE', `/teams/${mine.id}/members/${person.id}`)).toMatchObject({ status: 404 })
    const { id: invitationId } = (
      await call('POST', `/teams/${other.id}/invitations`, { body: { email: 'a@people.example', role: 'viewer' } })
    ).body as { id: string }
    expect(await call('DELETE', `/teams/${mine.id}/invitations/${invitationId}`)).toMatchObject({ status: 404 })
    expect(await call('DELETE', `/teams/${other.id}/invitations/${invitationId}`)).toMatchObject({
      status: 200,
      body: { object: 'invitation', id: invitationId, deleted: true },
    })
  })
})
