import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { grantedToken } from '../../support/clients/oauth-client.ts'
import { callAs, signInPerson } from '../../support/clients/people.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const PLAIN = {
  ...{ id: expect.any(String), name: 'full_access', created_at: expect.any(String), permission: 'full_access' },
  ...{ domain_id: null, oauth_grant_id: null, person: null },
}
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/)

describe('POST /api-keys', () => {
  it('answers the token of a new key, which works at once', async () => {
    const { data, error } = await resend.apiKeys.create({ name: 'Production', permission: 'full_access' })

    expect(error).toBeNull()
    expect(data).toEqual({ object: 'api_key', id: UUID, token: expect.stringMatching(/^re_\w{8}_\w{24}$/) })
    const { status } = await service.call('GET', '/api-keys', { token: data?.token ?? '' })
    expect(status).toBe(200)
  })

  it('gives full access unless it is told otherwise', async () => {
    const { body } = await service.call('POST', '/api-keys', { body: { name: 'Default', permission: null } })
    const { status } = await service.call('GET', '/api-keys', { token: (body as { token: string }).token })
    expect(status).toBe(200)
  })

  it('takes an empty name, as the official service does', async () => {
    expect((await service.call('POST', '/api-keys', { body: { name: '' } })).status).toBe(201)
  })

  it.each([
    ['no name', {}, 'Missing `name` field.'],
    ['a name that is too long', { name: 'x'.repeat(51) }, 'The `name` field must have at most 50 characters.'],
    [
      'an unknown permission',
      { name: 'x', permission: 'admin' },
      'The `permission` field must be one of: `full_access`, `sending_access`. It is "admin".',
    ],
    [
      'a domain that is no id',
      { name: 'x', permission: 'sending_access', domain_id: 'd' },
      'The `domain_id` field must be a UUID. It is "d".',
    ],
    [
      'a domain that is unknown',
      { name: 'x', permission: 'sending_access', domain_id: UNKNOWN_ID },
      'The `domain_id` field is not the id of one of your domains.',
    ],
  ])('refuses %s with a 422', async (_what, body, message) => {
    const answer = await service.call('POST', '/api-keys', { body })
    expect(answer).toMatchObject({ status: 422, body: { statusCode: 422, name: 'validation_error', message } })
  })
})

describe('POST /api-keys with `domain_id`', () => {
  const registered = async (name: string, token = service.token) =>
    ((await service.call('POST', '/domains', { body: { name }, token })).body as { id: string }).id

  it('makes a key of the domain, as the official client asks for it, and lists show which', async () => {
    const domainId = await registered('keys.example')
    const { data, error } = await resend.apiKeys.create({ name: 'Bound', permission: 'sending_access', domain_id: domainId })
    expect({ data, error }).toEqual({ data: { object: 'api_key', id: UUID, token: expect.any(String) }, error: null })
    const { data: list } = await resend.apiKeys.list()
    expect(list?.data[0]).toEqual({
      ...{ id: data?.id, name: 'Bound', created_at: TIMESTAMP, last_used_at: null },
      ...{ permission: 'sending_access', domain_id: domainId, oauth_grant_id: null, person: null },
    })
  })

  it.each([{}, { permission: 'full_access' }])('refuses a key with full access: %j', async (permission) => {
    const domainId = await registered(`full-${Object.keys(permission).length}.example`)
    expect(await service.call('POST', '/api-keys', { body: { name: 'x', domain_id: domainId, ...permission } })).toMatchObject({
      status: 422,
      body: {
        name: 'validation_error',
        message:
          'The `domain_id` field needs `permission` to be `sending_access`: a key with full access cannot be restricted to a domain.',
      },
    })
  })

  it("refuses another team's domain", async () => {
    const body = { name: 'x', permission: 'sending_access', domain_id: await registered('theirs.example', service.other.token) }
    expect(await service.call('POST', '/api-keys', { body })).toMatchObject({
      status: 422,
      body: { name: 'validation_error', message: 'The `domain_id` field is not the id of one of your domains.' },
    })
  })
})

describe('GET /api-keys', () => {
  it('lists the keys of the team only, newest first, without their tokens', async () => {
    const token = await service.createKey(service.other.teamId)
    const { data } = await new Resend(token, { baseUrl: service.url }).apiKeys.list()

    expect(data).toEqual({
      object: 'list',
      has_more: false,
      data: [
        { ...PLAIN, last_used_at: null },
        { ...PLAIN, last_used_at: null },
      ],
    })
  })

  it('shows when a key was last used, once the batch is written', async () => {
    await service.service.context.repositories.apiKeys.flush()
    const { data } = await resend.apiKeys.list()
    expect(data?.data).toContainEqual({ ...PLAIN, last_used_at: TIMESTAMP })
  })

  it('shows who made a key: a person, or a program for the person who allowed it', async () => {
    const ada = await signInPerson(service, 'ada', { roles: { [service.teamId]: 'admin' } })
    await callAs(service, ada, 'POST', '/api-keys', { name: 'By Ada', permission: 'sending_access' })
    const program = await grantedToken(service, 'api-keys:write')
    await service.call('POST', '/api-keys', { body: { name: 'By a program', permission: 'sending_access' }, token: program })

    const { data } = await resend.apiKeys.list({ limit: 2 })
    const [byProgram, byAda] = data?.data ?? []
    const { body: grants } = await service.call('GET', '/oauth/grants')
    const [grant] = (grants as { data: { id: string; allowed_by: { id: string; email: string } }[] }).data
    expect(byAda).toMatchObject({ name: 'By Ada', oauth_grant_id: null, person: { id: ada.id, email: 'ada@people.example' } })
    expect(byProgram).toMatchObject({
      name: 'By a program',
      oauth_grant_id: grant?.id,
      person: { id: grant?.allowed_by.id, email: grant?.allowed_by.email },
    })
    const { body: seen } = await service.call('GET', '/api-keys?limit=2', { token: await grantedToken(service, 'api-keys:read') })
    expect(seen).toMatchObject({ data: [{ person: null }, { person: null }] })
  })
})

describe('PATCH /api-keys/:id', () => {
  it('renames a key', async () => {
    const { data: created } = await resend.apiKeys.create({ name: 'Before' })
    const { data } = await resend.apiKeys.update(created?.id ?? '', { name: 'After' })

    expect(data).toEqual({ object: 'api_key', id: created?.id })
    const { data: list } = await resend.apiKeys.list()
    expect(list?.data.find(({ id }) => id === created?.id)?.name).toBe('After')
  })

  it("answers 404 for another team's key, and leaves it as it is", async () => {
    const { data: created } = await resend.apiKeys.create({ name: 'Mine' })
    const answer = await service.call('PATCH', `/api-keys/${created?.id}`, { token: service.other.token, body: { name: 'Theirs' } })

    expect(answer).toMatchObject({ status: 404, body: { statusCode: 404, name: 'not_found', message: 'API key not found' } })
    const { data: list } = await resend.apiKeys.list()
    expect(list?.data.find(({ id }) => id === created?.id)?.name).toBe('Mine')
  })
})

describe('DELETE /api-keys/:id', () => {
  it('ends a key at once, although it was in use a moment ago', async () => {
    const { data: created } = await resend.apiKeys.create({ name: 'Short' })
    const token = created?.token ?? ''
    expect((await service.call('GET', '/api-keys', { token })).status).toBe(200)

    const { data } = await resend.apiKeys.remove(created?.id ?? '')

    expect(data).toEqual({ object: 'api_key', id: created?.id, deleted: true })
    const refused = await service.call('GET', '/api-keys', { token })
    expect(refused).toMatchObject({
      status: 403,
      body: { statusCode: 403, name: 'invalid_api_key', message: 'This API key is not valid. It may have been deleted.' },
    })
  })

  it('answers 404 for a key that does not exist', async () => {
    const { error } = await resend.apiKeys.remove(UNKNOWN_ID)
    expect(error).toEqual({ statusCode: 404, name: 'not_found', message: 'API key not found' })
  })
})
