// What people do as themselves. Every answer is checked against its declared statuses by the service of the test.
import { beforeAll, describe, expect, it } from 'vitest'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { callAs, OWN_PAGE, type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { type Answer, shared, startTestService } from '../../../support/servers/service.ts'

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))

let ada: SignedInPerson
let team: { id: string; name: string }
beforeAll(async () => {
  ada = await signInPerson(service, 'ada', { roles: { [service.teamId]: 'owner', [service.other.teamId]: 'viewer' } })
  team = { id: service.teamId, name: 'Team of the test' }
})

const as = (person: SignedInPerson, method: string, path: string, body?: unknown) => callAs(service, person, method, path, body)
const refusal = ({ status, body }: Answer) => [status, (body as { name?: string }).name]
const listed = async (person: SignedInPerson) =>
  ((await as(person, 'GET', '/me/sessions')).body as { data: { id: string; is_current: boolean }[] }).data

describe('oneself', () => {
  it('has a name, an address, and a role in each team', async () => {
    expect((await as(ada, 'GET', '/me')).body).toEqual({
      ...{
        object: 'me',
        id: ada.id,
        email: 'ada@people.example',
        name: 'ada',
        is_operator: false,
        scopes: expect.any(Array),
        confirmed_until: null,
        // Nothing has left the service of the tests.
        installation: {
          delivery: 'capture',
          has_mailed: false,
          has_mail_hostname: false,
          tracked_by_default: { opens: false, clicks: false },
        },
      },
      team: { ...team, role: 'owner' },
      teams: [
        { ...team, role: 'owner' },
        { id: service.other.teamId, name: 'Other team', role: 'viewer' },
      ],
    })
  })

  it('changes the name, in all teams', async () => {
    const renamed = await as(ada, 'PATCH', '/me', { name: ' Ada Lovelace ' })
    expect([renamed.status, renamed.body]).toEqual([200, expect.objectContaining({ name: 'Ada Lovelace' })])
    expect((await as(ada, 'GET', '/me')).body).toMatchObject({ name: 'Ada Lovelace' })
    for (const name of ['', '\u200b', 'x'.repeat(101)])
      expect(refusal(await as(ada, 'PATCH', '/me', { name }))).toEqual([422, 'validation_error'])
  })

  it('looks at another team, whose requests follow, and at no team of others', async () => {
    expect(refusal(await as(ada, 'GET', '/domains'))).toEqual([200, undefined])
    const looked = await as(ada, 'POST', '/me/team', { team_id: service.other.teamId })
    expect(looked.body).toMatchObject({ team: { id: service.other.teamId, role: 'viewer' } })
    // A viewer reads no domains.
    expect(refusal(await as(ada, 'GET', '/api-keys'))).toEqual([403, 'invalid_permission'])
    const stranger = await service.service.context.repositories.teams.create('Of strangers')
    for (const team_id of [stranger.id, UNKNOWN_ID])
      expect(refusal(await as(ada, 'POST', '/me/team', { team_id }))).toEqual([404, 'not_found'])
    expect((await as(ada, 'POST', '/me/team', { team_id: service.teamId })).body).toMatchObject({ team: { id: service.teamId } })
  })

  it('leaves a team whatever the role, but not as its last owner', async () => {
    const eve = await signInPerson(service, 'eve', { roles: { [service.teamId]: 'viewer' } })
    expect((await as(eve, 'DELETE', `/me/teams/${service.teamId}`)).body).toEqual({
      object: 'membership',
      id: service.teamId,
      deleted: true,
    })
    expect((await as(eve, 'GET', '/me')).body).toMatchObject({ team: null, teams: [] })
    expect(refusal(await as(eve, 'DELETE', `/me/teams/${service.teamId}`))).toEqual([404, 'not_found'])
    await service.service.context.repositories.sessions.confirmAcrossTeams(ada.sessionId, ada.id, clock.now())
    expect(await as(ada, 'DELETE', `/me/teams/${service.teamId}`)).toMatchObject({
      status: 422,
      body: { message: 'This is the only owner of the team: make someone else an owner first.' },
    })
  })
})

describe('sessions', () => {
  it('are those of the person alone, and are ended one by one or all others at once', async () => {
    const grace = await signInPerson(service, 'grace', { roles: { [service.teamId]: 'support' }, browser: 'Firefox of Grace' })
    const others = [await signInPerson(service, 'grace'), await signInPerson(service, 'grace'), await signInPerson(service, 'grace')]
    expect(await listed(grace)).toHaveLength(4)
    expect((await listed(grace)).at(-1)).toEqual({
      ...{ id: grace.sessionId, method: 'link', address: '127.0.0.1', browser: 'Firefox of Grace', is_current: true },
      ...{ created_at: expect.any(String), last_used_at: expect.any(String), expires_at: expect.any(String) },
    })
    expect(JSON.stringify(await listed(ada))).not.toContain('Grace')
    expect(refusal(await as(ada, 'DELETE', `/me/sessions/${grace.sessionId}`))).toEqual([404, 'not_found'])

    expect((await as(grace, 'DELETE', `/me/sessions/${others[0]?.sessionId}`)).body).toMatchObject({ object: 'session', deleted: true })
    expect(refusal(await as(others[0] as SignedInPerson, 'GET', '/me'))).toEqual([401, 'missing_api_key'])
    expect((await as(grace, 'DELETE', '/me/sessions')).body).toEqual({ object: 'sessions', deleted: 2 })
    expect(await listed(grace)).toMatchObject([{ id: grace.sessionId }])
    expect(await listed(ada)).toHaveLength(1)
  })
})

describe('only a person who is signed in', () => {
  it('calls these, with or without a team', async () => {
    const alone = await signInPerson(service, 'alone')
    expect((await as(alone, 'GET', '/me')).body).toMatchObject({ email: 'alone@people.example', team: null, teams: [] })
    expect(await listed(alone)).toHaveLength(1)
    // With the token of /docs, too.
    expect((await service.call('GET', '/me', { token: ada.documentationToken ?? '' })).body).toMatchObject({ id: ada.id })
  })

  it('and no key, no program, no one from another site', async () => {
    const about = async (token: string | null, headers = {}) => refusal(await service.call('GET', '/me', { token, headers }))
    expect(await about(service.token)).toEqual([403, 'invalid_permission'])
    expect(await about(service.sendingToken)).toEqual([403, 'invalid_permission'])
    expect(await about('re_nobody')).toEqual([403, 'invalid_api_key'])
    expect(await about('session_1.x.y')).toEqual([403, 'invalid_api_key'])
    expect(await about(null)).toEqual([401, 'missing_api_key'])
    const { cookie } = ada
    expect(await about(null, { cookie, ...OWN_PAGE, 'sec-fetch-site': 'cross-site' })).toEqual([403, 'validation_error'])
  })
})
