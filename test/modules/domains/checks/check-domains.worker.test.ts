import { beforeEach, describe, expect, it } from 'vitest'
import { toTimestamp } from '../../../../src/lib/clock.ts'
import { publishRecords } from '../../../support/builders/domains.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { startDnsServer } from '../../../support/servers/dns-server.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const HOUR_MS = 3_600_000

const dns = shared(() => startDnsServer({}))
const clock = createMovingClock()
const service = shared(() =>
  startTestService({
    clock,
    environment: { DNS_SERVERS: dns.address, ROLES: 'api,worker', MAIL_HOSTNAME: 'mx.posthaste.example' },
  }),
)

beforeEach(async () => {
  publishNothing()
  dns.queries.length = 0
  await service.database.execute('truncate domains, domain_records cascade')
  await service.database.execute('delete from former_domains')
})

type Shown = { name: string; type: string; value: string; status: string; found: string[] }
type Domain = { id: string; status: string; records: Shown[]; recommended_records: Shown[] }

async function register(body: object = {}, token = service.token): Promise<Domain> {
  const answer = await service.call('POST', '/domains', { body: { name: 'acme.example', ...body }, token })
  expect(answer.status).toBe(201)
  return answer.body as Domain
}
const retrieve = async (id: string, token = service.token) => (await service.call('GET', `/domains/${id}`, { token })).body as Domain
const verify = (id: string, token = service.token) => service.call('POST', `/domains/${id}/verify`, { token })
const statusesOf = ({ records }: Domain) => records.map(({ status }) => status)

function publishNothing(): void {
  for (const name of Object.keys(dns.zone)) delete dns.zone[name]
}

/** Makes it a domain that received by its MX record alone before the update, and publishes that record. */
async function receivingUnproven(domain: Domain): Promise<Domain> {
  const { execute } = service.database
  const [row] = await execute<{ name: string }>('select name from domains where id = $1', [domain.id])
  dns.zone[String(row?.name)] = { MX: [[10, 'mx.posthaste.example']] }
  await execute(
    `update domains set owns_name = true, status = 'verified', receiving_unproven_until = $2::timestamptz + interval '90 days', asked_at = $2, check_due_at = $2
     where id = $1`,
    [domain.id, clock.now()],
  )
  await execute(`insert into domain_records (domain_id, kind, status) values ($1, 'Receiving', 'verified')`, [domain.id])
  return domain
}

/** Publishes all records. */
const publish = (domain: Domain) => publishRecords(dns, domain, { root: 'acme.example' })

const untilStatus = (id: string, status: string, token = service.token) =>
  until(async () => expect((await retrieve(id, token)).status).toBe(status))

async function registerVerified(body: object = {}): Promise<Domain> {
  const domain = await register(body)
  publish(domain)
  await verify(domain.id)
  await untilStatus(domain.id, 'verified')
  return domain
}

/** Its records are gone for as long as a check believes that they come back. */
async function untilMissed(id: string, token = service.token): Promise<void> {
  publishNothing()
  clock.advance(24 * HOUR_MS)
  await until(async () => expect(statusesOf(await retrieve(id, token))).toContain('temporary_failure'))
  clock.advance(73 * HOUR_MS)
  await untilStatus(id, 'failed', token)
}

const receiving = { capabilities: { sending: 'disabled', receiving: 'enabled' } }
const teamOf = () => service.service.context.repositories.receivingDomains.teamOfAcrossTeams('acme.example')

/** Until the DNS was asked at this moment of the clock. */
const untilChecked = (id: string) =>
  until(async () =>
    expect(await service.database.execute('select from domains where id = $1 and checked_at = $2', [id, clock.now()])).toHaveLength(1),
  )

const typesOf = async (id: string) =>
  (
    await service.database.execute<{ event: string }>(
      `select type || ' ' || (data->>'status') as event from notifications where subject_id = $1 order by id`,
      [id],
    )
  ).map(({ event }) => event)

describe('a domain', () => {
  it('is pending when it is asked for, and verified when its records are seen', async () => {
    const domain = await register()
    expect((await verify(domain.id)).body).toEqual({ object: 'domain', id: domain.id })
    await untilChecked(domain.id)
    expect(statusesOf(await retrieve(domain.id))).toEqual(['pending', 'pending', 'pending'])

    publish(domain)
    clock.advance(11_000)
    await untilStatus(domain.id, 'verified')

    const { records, recommended_records: recommended } = await retrieve(domain.id)
    expect([...records, ...recommended].map(({ status, found }) => ({ status, found }))).toEqual(
      Array.from({ length: 5 }, () => ({ status: 'verified', found: [] })),
    )
    expect(await typesOf(domain.id)).toEqual(['domain.created not_started', 'domain.updated pending', 'domain.updated verified'])
  })

  it('says when the DNS was asked last, and when it will be next', async () => {
    const domain = await register()
    expect(domain).toMatchObject({ checked_at: null, next_check_at: null })
    await verify(domain.id)
    await untilChecked(domain.id)
    const checked = (await retrieve(domain.id)) as Domain & { checked_at: string; next_check_at: string }
    expect(checked.checked_at).toBe(toTimestamp(clock.now()))
    expect(checked.next_check_at > checked.checked_at).toBe(true)
  })

  it('that is asked for again within ten seconds is looked for as before', async () => {
    const { id } = await register()
    const askedAt = async () => (await service.database.execute('select asked_at as "askedAt" from domains where id = $1', [id]))[0]
    await verify(id)
    const asked = { askedAt: clock.now() }
    clock.advance(9_999)
    expect((await verify(id)).body).toEqual({ object: 'domain', id })
    expect(await askedAt()).toEqual(asked)
    clock.advance(1)
    await verify(id)
    expect(await askedAt()).toEqual({ askedAt: clock.now() })
  })

  it('shows what was found instead', async () => {
    const domain = await register()
    publish(domain)
    dns.zone['send.acme.example'] = { TXT: ['v=spf1 include:other.example -all', 'a note'], MX: [[10, 'mx.other.example']] }
    await verify(domain.id)
    await until(async () =>
      expect((await retrieve(domain.id)).records).toMatchObject([
        { status: 'pending', found: [expect.stringContaining('mx.other.example')] },
        { status: 'pending', found: ['v=spf1 include:other.example -all'] },
        { status: 'verified', found: [] },
      ]),
    )
  })

  it('fails after 72 hours, and is looked for again when someone asks', async () => {
    const domain = await register()
    await verify(domain.id)
    await untilStatus(domain.id, 'pending')
    clock.advance(72 * HOUR_MS + 1)
    await untilStatus(domain.id, 'failed')
    publish(domain)
    await verify(domain.id)
    await untilStatus(domain.id, 'verified')
  })

  it('stays verified while a record is missed for less than 72 hours, and while the resolver does not answer', async () => {
    const domain = await registerVerified()

    dns.zone['send.acme.example'] = { fault: 'SERVFAIL' }
    clock.advance(24 * HOUR_MS)
    await untilChecked(domain.id)
    expect(statusesOf(await retrieve(domain.id))).toEqual(['verified', 'verified', 'verified'])

    delete dns.zone['send.acme.example']
    clock.advance(24 * HOUR_MS)
    await until(async () => expect(statusesOf(await retrieve(domain.id))).toEqual(['temporary_failure', 'temporary_failure', 'verified']))
    expect((await retrieve(domain.id)).status).toBe('verified')

    publish(domain)
    clock.advance(HOUR_MS)
    await until(async () => expect(statusesOf(await retrieve(domain.id))).toEqual(['verified', 'verified', 'verified']))

    await untilMissed(domain.id)
  })

  it('belongs to the first team that verifies it', async () => {
    const theirs = await register({}, service.other.token)
    const ours = await registerVerified()
    expect(await verify(theirs.id, service.other.token)).toMatchObject({
      status: 403,
      body: { name: 'validation_error', message: 'Another team has this domain. If it is yours, claim it with POST /domains/claim.' },
    })

    await service.call('DELETE', `/domains/${ours.id}`)
    // What the first team published may still stand, so the name is free only after a while.
    clock.advance(90 * 24 * HOUR_MS - 1)
    expect((await verify(theirs.id, service.other.token)).status).toBe(403)
    clock.advance(1)
    publish(theirs)
    expect((await verify(theirs.id, service.other.token)).status).toBe(200)
    await untilStatus(theirs.id, 'verified', service.other.token)
  })

  it('that a team deleted goes back to that team at once', async () => {
    const first = await registerVerified()
    await service.call('DELETE', `/domains/${first.id}`)
    await registerVerified()
  })

  it("does not receive another team's mail by the MX record that it left", async () => {
    const theirs = await register(receiving, service.other.token)
    // The owner published it for its own team, which is not verified yet, or no longer here.
    dns.zone['acme.example'] = { MX: [[10, 'mx.posthaste.example']] }
    await verify(theirs.id, service.other.token)
    await untilChecked(theirs.id)
    const { status, records } = await retrieve(theirs.id, service.other.token)
    const shown = records.map((each) => `${each.type} ${each.status}`)
    expect([status, ...shown]).toEqual(['pending', 'TXT pending', 'MX verified'])
    expect(await teamOf()).toBeNull()
  })

  describe('that received by its MX record alone before the update', () => {
    it('still receives, says until when, and is like others once its DKIM record is seen', async () => {
      const domain = await receivingUnproven(await register(receiving))
      expect(await retrieve(domain.id)).toMatchObject({ status: 'verified', receiving_unproven_until: expect.any(String) })
      clock.advance(100 * 24 * HOUR_MS)
      await untilChecked(domain.id)
      expect([(await retrieve(domain.id)).status, await teamOf()]).toEqual(['verified', service.teamId])

      publish(domain)
      clock.advance(25 * HOUR_MS)
      await until(async () => expect(await retrieve(domain.id)).not.toHaveProperty('receiving_unproven_until'))
      expect([(await retrieve(domain.id)).status, await teamOf()]).toEqual(['verified', service.teamId])
    })

    it('is lost after that time to a team that proves the name, and not before', async () => {
      const theirs = await receivingUnproven(await register(receiving, service.other.token))
      const ours = await register(receiving)
      publish(ours)
      expect((await verify(ours.id)).status).toBe(403)

      clock.advance(91 * 24 * HOUR_MS)
      // A check that began earlier would write what it saw then.
      await untilChecked(theirs.id)
      expect((await verify(ours.id)).status).toBe(200)
      await untilStatus(ours.id, 'verified')
      expect([(await retrieve(theirs.id, service.other.token)).status, await teamOf()]).toEqual(['failed', service.teamId])
      expect((await typesOf(theirs.id)).at(-1)).toBe('domain.updated failed')
    })

    it('receives again when its MX record is back within that time, and not after it', async () => {
      const { id } = await receivingUnproven(await register(receiving))
      const publishMx = () => {
        dns.zone['acme.example'] = { MX: [[10, 'mx.posthaste.example']] }
      }
      await untilMissed(id)
      expect(await teamOf()).toBeNull()
      publishMx()
      await verify(id)
      await untilStatus(id, 'verified')
      expect([await retrieve(id), await teamOf()]).toEqual([
        expect.objectContaining({ receiving_unproven_until: expect.any(String) }),
        service.teamId,
      ])

      await untilMissed(id)
      expect(await teamOf()).toBeNull()
      clock.advance(90 * 24 * HOUR_MS)
      publishMx()
      await verify(id)
      await untilChecked(id)
      expect([(await retrieve(id)).status, await teamOf()]).toEqual(['pending', null])
      expect(await retrieve(id)).not.toHaveProperty('receiving_unproven_until')
    })

    it('does not come back to a name that another team has proved meanwhile', async () => {
      const theirs = await receivingUnproven(await register(receiving, service.other.token))
      await untilMissed(theirs.id, service.other.token)
      await registerVerified(receiving)
      expect((await verify(theirs.id, service.other.token)).status).toBe(403)
      expect([(await retrieve(theirs.id, service.other.token)).status, await teamOf()]).toEqual(['failed', service.teamId])
    })

    it('has to prove it when receiving is switched on again', async () => {
      const { id } = await receivingUnproven(await register({ capabilities: { receiving: 'enabled' } }))
      const change = (state: string) => service.call('PATCH', `/domains/${id}`, { body: { capabilities: { receiving: state } } })
      await change('disabled')
      await change('enabled')
      expect(await retrieve(id)).not.toHaveProperty('receiving_unproven_until')
      expect(await teamOf()).toBeNull()
    })
  })

  it('is not taken by the MX record that is there for the bounces of another team', async () => {
    await registerVerified()

    const { token } = service.other
    const both = await register({ name: 'send.acme.example', capabilities: { receiving: 'enabled' } }, token)
    expect(await verify(both.id, token)).toMatchObject({ status: 200 })
    await untilChecked(both.id)
    expect(await retrieve(both.id, token)).toMatchObject({
      status: 'pending',
      records: expect.arrayContaining([expect.objectContaining({ record: 'Receiving', status: 'verified' })]),
    })

    await service.call('PATCH', `/domains/${both.id}`, { body: { capabilities: { sending: 'disabled' } }, token })
    clock.advance(11_000)
    expect(await verify(both.id, token)).toMatchObject({ status: 200 })
    await untilChecked(both.id)
    expect((await retrieve(both.id, token)).status).toBe('pending')

    // The owner of the host may well have it receive here.
    publish(await retrieve(both.id, token))
    clock.advance(11_000)
    await untilStatus(both.id, 'verified', token)
  })

  it('is lost at its next check once a team has verified the domain whose bounces it receives', async () => {
    const { token } = service.other
    const theirs = await receivingUnproven(await register({ name: 'send.acme.example', ...receiving }, token))
    await registerVerified()
    clock.advance(24 * HOUR_MS)
    await untilStatus(theirs.id, 'failed', token)
  })

  it('is verified for one of two teams that publish both at the same moment', async () => {
    const ours = await register(receiving)
    const { id } = await register(receiving, service.other.token)
    await service.database.execute(`update dkim_keys set selector = 'other' where domain_id = $1 and algorithm = 'rsa-sha256'`, [id])
    const theirs = await retrieve(id, service.other.token)
    publish(ours)
    publish(theirs)
    await Promise.all([verify(ours.id), verify(theirs.id, service.other.token)])
    await until(async () =>
      expect([(await retrieve(ours.id)).status, (await retrieve(theirs.id, service.other.token)).status].toSorted()).toEqual([
        'failed',
        'verified',
      ]),
    )
  })

  it('is partially verified while the record of another capability is looked for', async () => {
    const domain = await registerVerified()
    clock.advance(1_000)
    await service.call('PATCH', `/domains/${domain.id}`, { body: { capabilities: { receiving: 'enabled' }, tracking_subdomain: 'links' } })
    await untilStatus(domain.id, 'partially_verified')
    // A check that began before must not see what is published next.
    await untilChecked(domain.id)
    publish(await retrieve(domain.id))
    clock.advance(HOUR_MS)
    await untilStatus(domain.id, 'verified')
    await until(async () =>
      expect((await retrieve(domain.id)).records.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'verified')),
    )
  })

  it('is looked for anew when a capability is enabled again', async () => {
    const domain = await registerVerified({ capabilities: { receiving: 'enabled' } })
    const change = (receiving: string) => service.call('PATCH', `/domains/${domain.id}`, { body: { capabilities: { receiving } } })
    await change('disabled')
    delete dns.zone['acme.example']
    await change('enabled')
    await untilChecked(domain.id)
    expect(await retrieve(domain.id)).toMatchObject({
      status: 'partially_verified',
      records: expect.arrayContaining([expect.objectContaining({ record: 'Receiving', status: 'pending' })]),
    })
  })

  it('is told of the CAA record without which its tracking host gets no certificate, until that is published', async () => {
    dns.zone['acme.example'] = { CAA: [[0, 'issue', 'other.example']] }
    const domain = await registerVerified({ tracking_subdomain: 'links' })
    await untilChecked(domain.id)
    const shown = async () => (await retrieve(domain.id)).records.filter(({ type }) => type === 'CAA')
    expect(await shown()).toEqual([
      {
        record: 'TrackingCAA',
        name: '@',
        type: 'CAA',
        value: '0 issue "letsencrypt.org"',
        ttl: 'Auto',
        status: 'pending',
        found: ['0 issue "other.example"'],
      },
    ])
    dns.zone['acme.example']?.CAA?.push([0, 'issue', 'letsencrypt.org'])
    clock.advance(11_000)
    await untilChecked(domain.id)
    expect(await shown()).toEqual([])
  })
})
