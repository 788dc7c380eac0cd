// Decisions that fail on the way, grants whose team loses its last key, and grants whose person loses their role.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApiToken, digestToken } from '../../../src/lib/ids.ts'
import { authorizeQuery, BUILT_IN_CLIENT, openBrowser, pkce, tokensFor } from '../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())
afterEach(() => vi.restoreAllMocks())

const repositories = () => service.service.context.repositories
const REDIRECT_URI = 'http://127.0.0.1:1/oauth/callback'

describe('a decision that failed because the database was away', () => {
  const begin = async () => {
    const browser = openBrowser(service)
    await browser.signIn(service)
    const query = authorizeQuery(BUILT_IN_CLIENT, pkce().challenge, { redirect_uri: REDIRECT_URI })
    const { location } = await browser.go('GET', `/oauth/authorize?${query}`)
    return { browser, location, allow: () => browser.go('POST', location, { act: 'allow', team: service.teamId }) }
  }
  const away = () => Promise.reject(new Error('The database is away'))
  const active = async () => (await service.database.execute('select id from oauth_grants where revoked_at is null')).length

  it('can be made again, and gives access once', async () => {
    const before = await active()
    const { browser, allow } = await begin()
    vi.spyOn(repositories().oauthGrants, 'create').mockImplementationOnce(away)
    expect((await allow()).status).toBe(500)
    vi.spyOn(repositories().oauthRecords, 'save').mockImplementationOnce(away)
    expect((await allow()).status).toBe(500)
    expect(await active()).toBe(before)
    const decided = await allow()
    expect(decided.status).toBe(303)
    expect(new URL((await browser.go('GET', decided.location)).location).searchParams.get('code')).toMatch(/./)
    expect(await active()).toBe(before + 1)
  })

  it('is open again after a minute when not even that could be said', async () => {
    const { location, allow } = await begin()
    vi.spyOn(repositories().oauthGrants, 'create').mockImplementationOnce(away)
    vi.spyOn(repositories().oauthRecords, 'releaseInteraction').mockImplementationOnce(away)
    expect((await allow()).status).toBe(500)
    expect((await allow()).status).toBe(410)
    await service.database.execute(`update oauth_records set consumed_at = consumed_at - interval '61 seconds' where digest = $1`, [
      digestToken(location.split('/').at(-1) ?? ''),
    ])
    expect((await allow()).status).toBe(303)
  })
})

describe('the grants of a team that no person has allowed', () => {
  async function teamWithGrant(keyCount: number, { isOfPerson = false } = {}) {
    const team = await repositories().teams.create('Short-lived')
    const create = async (permission: 'full_access' | 'sending_access') => {
      const token = createApiToken()
      const { id } = await repositories().apiKeys.create(team.id, { name: 'Key', permission, digest: digestToken(token) })
      return { id, token }
    }
    const keys: { id: string; token: string }[] = []
    for (let count = 0; count < keyCount; count += 1) keys.push(await create('full_access'))
    const sending = await create('sending_access')
    const tokens = await tokensFor({ ...service, token: keys[0]?.token ?? '', teamId: team.id })
    if (!isOfPerson) await service.database.execute('update oauth_grants set person_id = null where team_id = $1', [team.id])
    repositories().oauthGrants.forget()
    return { teamId: team.id, keys, sending, tokens }
  }
  const statusWith = async (token: string) => (await service.call('GET', '/domains', { token })).status
  const left = async (teamId: string) => ({
    grants: await service.database.execute('select revoked_reason as reason from oauth_grants where team_id = $1', [teamId]),
    records: await service.database.execute(
      'select kind from oauth_records where grant_id in (select id from oauth_grants where team_id = $1)',
      [teamId],
    ),
  })

  it('end at once with its last key that has full access, although keys that only send are left', async () => {
    const { teamId, keys, tokens } = await teamWithGrant(2)
    expect(await statusWith(tokens.access_token)).toBe(200)
    await repositories().apiKeys.deleteApiKey(teamId, keys[0]?.id ?? '')
    expect(await statusWith(tokens.access_token)).toBe(200)
    await repositories().apiKeys.deleteApiKey(teamId, keys[1]?.id ?? '')
    expect(await statusWith(tokens.access_token)).toBe(401)
    expect(await left(teamId)).toEqual({ grants: [{ reason: 'keys_deleted' }], records: [] })
  })

  it('stay when a key is deleted that only sends', async () => {
    const { teamId, sending, tokens } = await teamWithGrant(1)
    await repositories().apiKeys.deleteApiKey(teamId, sending.id)
    expect(await statusWith(tokens.access_token)).toBe(200)
  })

  it('end when the last keys are deleted at once', async () => {
    const { teamId, keys } = await teamWithGrant(3)
    expect(await Promise.all(keys.map(({ id }) => repositories().apiKeys.deleteApiKey(teamId, id)))).toEqual(keys.map(({ id }) => ({ id })))
    expect(await left(teamId)).toEqual({ grants: [{ reason: 'keys_deleted' }], records: [] })
  })

  it('stay with their key when the transaction that deletes it fails', async () => {
    const { teamId, keys, tokens } = await teamWithGrant(1)
    const deny = `create function deny() returns trigger language plpgsql as $$ begin raise exception 'denied'; end $$;
      create trigger deny before update on oauth_grants for each row when (new.revoked_reason = 'keys_deleted') execute function deny()`
    await service.database.execute(deny)
    try {
      await expect(repositories().apiKeys.deleteApiKey(teamId, keys[0]?.id ?? '')).rejects.toThrow()
    } finally {
      await service.database.execute('drop trigger deny on oauth_grants; drop function deny()')
    }
    expect(await statusWith(tokens.access_token)).toBe(200)
    expect((await service.call('GET', '/domains', { token: keys[0]?.token ?? '' })).status).toBe(200)
  })

  it('are the only ones that end with the keys', async () => {
    const { teamId, keys, tokens } = await teamWithGrant(1, { isOfPerson: true })
    await repositories().apiKeys.deleteApiKey(teamId, keys[0]?.id ?? '')
    expect(await statusWith(tokens.access_token)).toBe(200)
  })
})
