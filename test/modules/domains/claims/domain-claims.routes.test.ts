import { Resend } from 'resend'
import { beforeEach, describe, expect, it } from 'vitest'
import { CLAIMS_MAX } from '../../../../src/modules/domains/claims/domain-claims.schema.ts'
import { sweepClaims } from '../../../../src/server/sweeps.ts'
import { failure, invalid, missing, outcome, TIMESTAMP, UUID } from '../../../support/builders/answers.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { holdName } from '../../../support/records/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const DAY_MS = 86_400_000
const NAME = 'acme.example'

const clock = createMovingClock()
const service = shared(() => startTestService({ clock, environment: { MAIL_HOSTNAME: 'mx.posthaste.example' } }))

beforeEach(async () => {
  await service.database.execute('truncate domains, domain_records, domain_claims cascade')
  await holdName(service.database, NAME)
})

type Claim = { id: string; domain_id: string; status: string; record: { value: string }; created_at: string; expires_at: string }

const claim = (body: object = {}, token = service.token) => service.call('POST', '/domains/claim', { body: { name: NAME, ...body }, token })
const claimed = async (body?: object, token?: string) => (await claim(body, token)).body as Claim
const retrieve = (domainId: string, token = service.token) => service.call('GET', `/domains/${domainId}/claim`, { token })
const verify = (domainId: string, token = service.token) => service.call('POST', `/domains/${domainId}/claim/verify`, { token })
const register = async (body: object) => ((await service.call('POST', '/domains', { body })).body as { id: string }).id
const rowOf = async ({ id }: Claim) =>
  (await service.database.execute('select asked_at as "askedAt", check_due_at as "checkDueAt" from domain_claims where id = $1', [id]))[0]

describe('POST /domains/claim', () => {
  it('registers the domain, and tells which record proves that it is ours', async () => {
    const settings = {
      region: 'eu-west-1',
      custom_return_path: 'bounces',
      open_tracking: true,
      click_tracking: true,
      tracking_subdomain: 'links',
    }
    const answer = await claim({ name: 'ACME.example.', ...settings })
    expect(outcome(answer)).toEqual({
      status: 201,
      body: {
        object: 'domain_claim',
        id: UUID,
        name: NAME,
        status: 'pending',
        domain_id: UUID,
        region: 'eu-west-1',
        record: { type: 'TXT', name: NAME, value: expect.stringMatching(/^posthaste-domain-verification=[0-9a-f]{32}$/), ttl: 'Auto' },
        blocked_reason: null,
        failure_reason: null,
        created_at: TIMESTAMP,
        expires_at: TIMESTAMP,
      },
    })
    const { domain_id: domainId, created_at: from, expires_at: to } = answer.body as Claim
    expect(Date.parse(to) - Date.parse(from)).toBe(7 * DAY_MS)
    expect((await retrieve(domainId)).body).toEqual(answer.body)
    expect((await service.call('GET', `/domains/${domainId}`)).body).toMatchObject({
      ...{ name: NAME, status: 'not_started', region: 'eu-west-1', open_tracking: true, click_tracking: true, tracking_subdomain: 'links' },
      records: [{ name: 'bounces' }, { name: 'bounces' }, { record: 'DKIM' }, { record: 'Tracking' }],
    })
  })

  it('uses the domain that the team has, and returns an open claim unchanged', async () => {
    const domainId = await register({ name: NAME, custom_return_path: 'bounces' })
    const first = await claim()
    expect(first).toMatchObject({ status: 201, body: { domain_id: domainId } })
    expect(outcome(await claim({ custom_return_path: 'bounces', region: 'us-east-1' }))).toEqual({ status: 200, body: first.body })
    expect(await service.database.execute('select from domain_claims')).toHaveLength(1)
  })

  it('returns the same claim to two requests at once', async () => {
    const answers = await Promise.all([claim(), claim()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 201])
    expect(answers[0]?.body).toEqual(answers[1]?.body)
  })

  it.each([
    [{ custom_return_path: 'other' }, 'custom_return_path'],
    [{ region: 'eu-west-1' }, 'region'],
    [{ open_tracking: true }, 'open_tracking'],
    [{ click_tracking: true }, 'click_tracking'],
    [{ tracking_subdomain: 'links' }, 'tracking_subdomain'],
  ])('refuses %j for a domain of the team that has another setting', async (settings, field) => {
    await claim()
    expect(outcome(await claim(settings))).toEqual(
      invalid(
        `The \`${field}\` field differs from that of your domain \`${NAME}\`. Leave it out, or delete the domain before you claim it.`,
      ),
    )
  })

  it.each([
    [{ name: undefined }, 'Missing `name` field.'],
    [{ name: '*.acme.example' }, 'The `name` field must name one domain, such as `example.com`: a wildcard is not accepted.'],
    [{ name: 'mx.posthaste.example' }, 'The `name` field must be a domain of your own: this is a name of this server.'],
    [{ tracking_subdomain: 'send' }, 'The `tracking_subdomain` field must differ from `custom_return_path`.'],
    [{ region: 'mars' }, expect.stringContaining('`region`')],
  ])('refuses %j, as POST /domains does', async (body, message) => {
    expect(outcome(await claim(body))).toEqual(invalid(message))
    expect(await service.database.execute('select from domain_claims')).toEqual([])
  })

  it('ignores the fields that only POST /domains has', async () => {
    const answer = await claim({ tls: 'enforced', capabilities: { receiving: 'enabled' } })
    expect(answer.headers.get('x-ignored-fields')).toBe('tls, capabilities')
    const { domain_id: domainId } = answer.body as Claim
    expect((await service.call('GET', `/domains/${domainId}`)).body).toMatchObject({
      tls: 'opportunistic',
      capabilities: { sending: 'enabled', receiving: 'disabled' },
    })
  })

  it('is refused for a name that no other team has, and for one that the team has verified', async () => {
    expect(outcome(await claim({ name: 'free.example' }))).toEqual(
      failure(
        403,
        'validation_error',
        'No other team has verified the domain `free.example`. Register it with POST /domains, or verify the one that you have.',
      ),
    )
    await register({ name: 'free.example' })
    expect((await claim({ name: 'free.example' })).status).toBe(403)
    await holdName(service.database, 'own.example', { teamId: service.teamId })
    expect(outcome(await claim({ name: 'own.example' }))).toEqual(
      failure(403, 'validation_error', 'Your team has already verified the domain `own.example`. There is nothing to claim.'),
    )
  })

  it('is refused to a team that has as many open claims, or domains, as it may have', async () => {
    const open = await claimed()
    await service.database.execute(
      `insert into domain_claims (id, team_id, domain_id, name, token, status, created_at, expires_at)
       select gen_random_uuid(), team_id, gen_random_uuid(), n || '.example', '', 'pending', created_at, expires_at
       from domain_claims, generate_series(2, $1::int) n`,
      [CLAIMS_MAX],
    )
    await holdName(service.database, 'one-more.example')
    expect(outcome(await claim({ name: 'one-more.example' }))).toEqual(
      invalid('A team can have at most 100 open claims. Verify some of them, or delete their domains, first.'),
    )
    expect((await claim()).body).toEqual(open)

    await service.database.execute(`update domain_claims set status = 'superseded'`)
    await service.database.execute(
      `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, created_at)
       select gen_random_uuid(), team_id, n || '.example', root, region, tls, return_path, false, false, true, false, created_at
       from domains, generate_series(2, 10000) n where id = $1`,
      [open.domain_id],
    )
    expect(outcome(await claim({ name: 'one-more.example' }))).toEqual(invalid('A team can have at most 10,000 domains. Delete one first.'))
  })
})

describe('GET /domains/:domain_id/claim', () => {
  it('answers 404 for an unknown domain, that of another team, and one without a claim, each in its words', async () => {
    const { domain_id: domainId } = await claimed()
    const unclaimed = await register({ name: 'plain.example' })
    for (const call of [retrieve, verify]) {
      expect(outcome(await call(UNKNOWN_ID))).toEqual(missing('Domain'))
      expect(outcome(await call(domainId, service.other.token))).toEqual(missing('Domain'))
      expect(outcome(await call(unclaimed))).toEqual(missing('Domain claim'))
    }
  })

  it('shows a claim as expired after seven days; a new one takes its place', async () => {
    const before = await claimed()
    clock.advance(7 * DAY_MS - 1)
    expect((await retrieve(before.domain_id)).body).toEqual(before)
    clock.advance(1)
    expect((await retrieve(before.domain_id)).body).toEqual({ ...before, status: 'expired' })
    expect(outcome(await verify(before.domain_id))).toEqual(
      failure(403, 'validation_error', 'This claim has expired. Claim the domain again with POST /domains/claim.'),
    )
    const again = await claim()
    expect(again).toMatchObject({ status: 201, body: { domain_id: before.domain_id, status: 'pending' } })
    expect((again.body as Claim).record.value).not.toBe(before.record.value)
    expect((await retrieve(before.domain_id)).body).toEqual(again.body)
  })

  it('shows a claim as canceled for 30 days after its domain was deleted', async () => {
    const before = await claimed()
    await service.call('DELETE', `/domains/${before.domain_id}`)
    expect((await retrieve(before.domain_id)).body).toEqual({ ...before, status: 'canceled', domain_id: null, region: null })
    expect(outcome(await verify(before.domain_id))).toEqual(missing('Domain'))

    clock.advance(30 * DAY_MS)
    await sweepClaims(service.service.context)
    expect((await retrieve(before.domain_id)).status).toBe(200)
    clock.advance(1)
    await sweepClaims(service.service.context)
    expect(outcome(await retrieve(before.domain_id))).toEqual(missing('Domain'))
  })

  it('knows nothing of a claim that had ended when its domain was deleted', async () => {
    const { domain_id: domainId } = await claimed()
    clock.advance(7 * DAY_MS)
    await service.call('DELETE', `/domains/${domainId}`)
    expect(outcome(await retrieve(domainId))).toEqual(missing('Domain'))
  })
})

describe('POST /domains/:domain_id/claim/verify', () => {
  it('answers the claim at once, and asks the DNS at most every ten seconds', async () => {
    const before = await claimed()
    const asked = clock.now()
    expect(outcome(await verify(before.domain_id))).toEqual({ status: 200, body: before })
    clock.advance(9_999)
    await verify(before.domain_id)
    expect(await rowOf(before)).toEqual({ askedAt: asked, checkDueAt: asked })
    clock.advance(1)
    await verify(before.domain_id)
    expect(await rowOf(before)).toEqual({ askedAt: clock.now(), checkDueAt: clock.now() })
  })
})

describe('the official client', () => {
  it('claims a domain, reads the claim and asks for its verification', async () => {
    const resend = new Resend(service.token, { baseUrl: service.url })
    const created = await resend.domains.claims.create({ name: NAME, region: 'sa-east-1', customReturnPath: 'bounce', openTracking: true })
    const id = created.data?.domain_id ?? ''
    expect(created.data).toEqual((await retrieve(id)).body)
    expect((await service.call('GET', `/domains/${id}`)).body).toMatchObject({
      ...{ region: 'sa-east-1', open_tracking: true },
      records: [{ name: 'bounce' }, { name: 'bounce' }, {}],
    })
    expect((await resend.domains.claims.create({ name: NAME })).data).toEqual(created.data)
    expect((await resend.domains.claims.get(id)).data).toEqual(created.data)
    expect((await resend.domains.claims.verify(id)).data).toEqual(created.data)
    expect((await resend.domains.claims.get(UNKNOWN_ID)).error).toEqual({ statusCode: 404, name: 'not_found', message: 'Domain not found' })
  })
})
