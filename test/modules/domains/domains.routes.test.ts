import { Resend } from 'resend'
import { beforeEach, describe, expect, it } from 'vitest'
import { failure, invalid, missing, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() =>
  startTestService({ environment: { MAIL_HOSTNAME: 'mx.posthaste.example', SENDING_IPS: '192.0.2.25, 2001:db8::25' } }),
)

beforeEach(() => service.database.execute('truncate domains, domain_records cascade'))

const post = (body: object, token = service.token) => service.call('POST', '/domains', { body, token })
const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
const retrieve = async (id: string) => (await service.call('GET', `/domains/${id}`)).body
const patch = (id: string, body: object) => service.call('PATCH', `/domains/${id}`, { body })
const notifications = () =>
  service.database.execute<{ type: string; data: { name: string; status: string } }>(
    'select type, data from notifications where subject_id in (select id from domains) or type = $1 order by id',
    ['domain.deleted'],
  )

const record = (more: object) => ({ ttl: 'Auto', status: 'not_started', found: [], ...more })
const DKIM = { record: 'DKIM', type: 'TXT' }

describe('POST /domains', () => {
  it('registers a domain and tells what to publish', async () => {
    const answer = await post({ name: 'Mail.Example.co.uk.' })
    expect(outcome(answer)).toEqual({
      status: 201,
      body: {
        object: 'domain',
        id: UUID,
        name: 'mail.example.co.uk',
        status: 'not_started',
        created_at: TIMESTAMP,
        region: 'us-east-1',
        open_tracking: false,
        click_tracking: false,
        tracked: { opens: false, clicks: false },
        capabilities: { sending: 'enabled', receiving: 'disabled' },
        tracking_subdomain: null,
        tls: 'opportunistic',
        checked_at: null,
        next_check_at: null,
        records: [
          record({ record: 'SPF', name: 'send.mail', type: 'MX', value: 'mx.posthaste.example', priority: 10 }),
          record({ record: 'SPF', name: 'send.mail', type: 'TXT', value: 'v=spf1 ip4:192.0.2.25 ip6:2001:db8::25 ~all' }),
          record({ ...DKIM, name: 'ph1._domainkey.mail', value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{300,}=*$/) }),
        ],
        recommended_records: [
          record({ ...DKIM, name: 'ph2._domainkey.mail', value: expect.stringMatching(/^v=DKIM1; k=ed25519; p=[A-Za-z0-9+/]{43}=$/) }),
          record({ record: 'DMARC', name: '_dmarc', type: 'TXT', value: 'v=DMARC1; p=none;' }),
        ],
      },
    })
    expect(await retrieve(idOf(answer))).toEqual(answer.body)
    expect(await notifications()).toMatchObject([{ type: 'domain.created', data: { name: 'mail.example.co.uk', status: 'not_started' } }])
  })

  it('takes every setting, and shows the records of tracking and receiving', async () => {
    const settings = {
      name: 'bücher.example',
      region: 'eu-west-1',
      custom_return_path: 'Bounces',
      open_tracking: true,
      click_tracking: true,
      tracking_subdomain: 'links',
      tls: 'enforced',
      capabilities: { sending: 'disabled', receiving: 'enabled' },
    }
    const { body } = await post(settings)
    expect(body).toMatchObject({
      ...{ name: 'xn--bcher-kva.example', region: 'eu-west-1', open_tracking: true, click_tracking: true, tracking_subdomain: 'links' },
      ...{ tls: 'enforced', capabilities: { sending: 'disabled', receiving: 'enabled' } },
      records: [
        record({ record: 'DKIM', name: 'ph1._domainkey', type: 'TXT', value: expect.stringMatching(/^v=DKIM1; k=rsa; p=/) }),
        record({ record: 'Tracking', name: 'links', type: 'CNAME', value: 'localhost' }),
        record({ record: 'Receiving', name: '@', type: 'MX', value: 'mx.posthaste.example', priority: 10 }),
      ],
      recommended_records: [],
    })
  })

  it.each([
    [{}, 'Missing `name` field.'],
    [{ name: '' }, 'The `name` field must name a domain, such as `example.com`.'],
    [{ name: '*.example.com' }, 'The `name` field must name one domain, such as `example.com`: a wildcard is not accepted.'],
    [{ name: 'co.uk' }, 'The `name` field must be a registered domain, such as `example.com`, not a public suffix such as `co.uk`.'],
    [{ name: 'mx.posthaste.example' }, 'The `name` field must be a domain of your own: this is a name of this server.'],
    [{ name: 'a.example', capabilities: { sending: 'disabled' } }, 'The `capabilities` field must leave sending or receiving enabled.'],
    [{ name: 'a.example', tracking_subdomain: 'send' }, 'The `tracking_subdomain` field must differ from `custom_return_path`.'],
    [
      { name: 'a.example', custom_return_path: 'a.b' },
      'The `custom_return_path` field must be one label of a host name, such as `links`: letters, digits and hyphens, with no hyphen at either end.',
    ],
    [{ name: 'a.example', region: 'mars' }, expect.stringContaining('`region`')],
    [{ name: 'a.example', tls: 'never' }, expect.stringContaining('`tls`')],
  ])('refuses %j', async (body, message) => {
    expect(outcome(await post(body))).toEqual(invalid(message))
    expect(await service.database.execute('select from domains')).toEqual([])
  })

  it('is refused for a name that the team has, and not for one that only another team has', async () => {
    await post({ name: 'shared.example' }, service.other.token)
    expect((await post({ name: 'shared.example' })).status).toBe(201)
    expect(outcome(await post({ name: 'SHARED.example' }))).toEqual(
      failure(403, 'validation_error', 'The domain `shared.example` is already registered. Use the one that you have.'),
    )
  })
})

it('a team has 10,000 domains at most', async () => {
  await service.database.execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, created_at)
     select gen_random_uuid(), $1, n || '.example', n || '.example', 'us-east-1', 'opportunistic', 'send', false, false, true, false, now()
     from generate_series(1, 9999) n`,
    [service.teamId],
  )
  expect((await post({ name: 'last.example' })).status).toBe(201)
  expect(outcome(await post({ name: 'more.example' }))).toEqual(invalid('A team can have at most 10,000 domains. Delete one first.'))
  expect((await post({ name: 'more.example' }, service.other.token)).status).toBe(201)
})

describe('a host of a domain that is another domain of the team', () => {
  const IN_USE = invalid(
    'The host of `custom_return_path` or `tracking_subdomain` and another of your domains would have the same name. Choose another label.',
  )

  it.each([
    [{ name: 'send.a.example' }, { name: 'a.example' }],
    [{ name: 'links.a.example' }, { name: 'a.example', tracking_subdomain: 'links' }],
    [{ name: 'a.example' }, { name: 'send.a.example' }],
    [{ name: 'a.example', tracking_subdomain: 'links' }, { name: 'links.a.example' }],
  ])('is refused: %j, then %j', async (first, second) => {
    await post(first, service.other.token)
    expect((await post(first)).status).toBe(201)
    expect(outcome(await post(second))).toEqual(IN_USE)
    expect((await post({ name: 'mail.a.example' })).status).toBe(201)
  })

  it('is refused as a new tracking host', async () => {
    const id = idOf(await post({ name: 'a.example', tracking_subdomain: 'links' }))
    await post({ name: 'news.a.example' })
    expect(outcome(await patch(id, { tracking_subdomain: 'news' }))).toEqual(IN_USE)
    expect(outcome(await patch(id, { tracking_subdomain: 'links' }))).toEqual({ status: 200, body: { object: 'domain', id } })
    expect(await retrieve(id)).toMatchObject({ tracking_subdomain: 'links' })
  })
})

describe('GET /domains', () => {
  it('lists the domains of the team, newest first, without their records', async () => {
    await post({ name: 'theirs.example' }, service.other.token)
    await post({ name: 'first.example' })
    await post({ name: 'second.example' })
    const { body } = await service.call('GET', '/domains')
    expect(body).toMatchObject({ object: 'list', has_more: false, data: [{ name: 'second.example' }, { name: 'first.example' }] })
    expect(Object.keys((body as { data: object[] }).data[0] ?? {}).sort()).toEqual(
      ['id', 'name', 'status', 'created_at', 'region', 'open_tracking', 'click_tracking', 'tracked', 'capabilities'].sort(),
    )
  })
})

describe('PATCH /domains/:domain_id', () => {
  it('changes what is named and merges capabilities', async () => {
    const id = idOf(await post({ name: 'a.example' }))
    expect(outcome(await patch(id, { tls: 'enforced', capabilities: { receiving: 'enabled' } }))).toEqual({
      status: 200,
      body: { object: 'domain', id },
    })
    await patch(id, { open_tracking: true, tracking_subdomain: 'Links' })
    await patch(id, {})
    expect(await retrieve(id)).toMatchObject({
      ...{ tls: 'enforced', capabilities: { sending: 'enabled', receiving: 'enabled' }, open_tracking: true, click_tracking: false },
      tracking_subdomain: 'links',
    })
  })

  it.each([
    [{ capabilities: { sending: 'disabled' } }, 'The `capabilities` field must leave sending or receiving enabled.'],
    [{ tracking_subdomain: 'send' }, 'The `tracking_subdomain` field must differ from `custom_return_path`.'],
    [{ tracking_subdomain: null }, expect.stringContaining('`tracking_subdomain`')],
  ])('refuses %j, and changes nothing', async (body, message) => {
    const id = idOf(await post({ name: 'a.example' }))
    const before = await retrieve(id)
    expect(outcome(await patch(id, body))).toEqual(invalid(message))
    expect(await retrieve(id)).toEqual(before)
  })
})

describe('DELETE /domains/:domain_id', () => {
  it('deletes the domain with its keys and records', async () => {
    const id = idOf(await post({ name: 'a.example' }))
    expect(outcome(await service.call('DELETE', `/domains/${id}`))).toEqual({ status: 200, body: { object: 'domain', id, deleted: true } })
    expect(outcome(await service.call('GET', `/domains/${id}`))).toEqual(missing('Domain'))
    expect(await service.database.execute('select from dkim_keys union all select from domain_records')).toEqual([])
    expect((await notifications()).at(-1)).toMatchObject({ type: 'domain.deleted', data: { name: 'a.example' } })
  })

  it.each(['GET', 'PATCH', 'DELETE'] as const)('answers 404 for %s of an unknown domain', async (method) => {
    const body = method === 'PATCH' ? { tls: 'enforced' } : undefined
    expect(outcome(await service.call(method, `/domains/${UNKNOWN_ID}`, { body }))).toEqual(missing('Domain'))
  })
})

describe('the official client', () => {
  it('registers, lists, reads, changes, verifies and deletes a domain', async () => {
    const resend = new Resend(service.token, { baseUrl: service.url })
    const created = await resend.domains.create({ name: 'acme.example', region: 'eu-west-1', customReturnPath: 'bounce', tls: 'enforced' })
    const id = created.data?.id ?? ''
    expect(created.data).toEqual(await retrieve(id))
    expect(created.data).toMatchObject({
      region: 'eu-west-1',
      records: [{ name: 'bounce', type: 'MX' }, { name: 'bounce' }, { record: 'DKIM' }],
    })
    expect((await resend.domains.list()).data).toEqual((await service.call('GET', '/domains')).body)
    expect((await resend.domains.update({ id, clickTracking: true, capabilities: { receiving: 'enabled' } })).data).toEqual({
      object: 'domain',
      id,
    })
    expect((await resend.domains.get(id)).data).toEqual(await retrieve(id))
    expect(await retrieve(id)).toMatchObject({ click_tracking: true, capabilities: { sending: 'enabled', receiving: 'enabled' } })
    expect((await resend.domains.verify(id)).data).toEqual({ object: 'domain', id })
    expect((await resend.domains.remove(id)).data).toEqual({ object: 'domain', id, deleted: true })
    expect((await resend.domains.get(id)).error).toEqual({ statusCode: 404, name: 'not_found', message: 'Domain not found' })
  })
})

it('the first key of a domain has the selector of DKIM_SELECTOR, in lower case', async () => {
  const named = await startTestService({ environment: { DKIM_SELECTOR: 'Resend' } })
  try {
    const { body } = await named.call('POST', '/domains', { body: { name: 'a.example' } })
    expect(body).toMatchObject({
      records: [{}, {}, { name: 'resend._domainkey' }],
      recommended_records: [{ name: 'ph2._domainkey' }, {}],
    })
  } finally {
    await named.close()
  }
})
