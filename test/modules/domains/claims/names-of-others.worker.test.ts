// Names that a team registers though they are this server's or another team's, with every record that all teams share: only a DKIM record is proof.
import { beforeEach, describe, expect, it } from 'vitest'
import { createDestinations } from '../../../../src/modules/inbound/server/destinations.ts'
import { publishRecords } from '../../../support/builders/domains.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { startDnsServer } from '../../../support/servers/dns-server.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const DAY_MS = 24 * 3_600_000
const NAME = 'acme.example'

const dns = shared(() => startDnsServer({}))
const clock = createMovingClock()
const service = shared(() =>
  startTestService({
    clock,
    environment: {
      DNS_SERVERS: dns.address,
      ROLES: 'api,worker',
      MAIL_HOSTNAME: 'mx.posthaste.example',
      INBOUND_DOMAIN: 'in.posthaste.example',
      PUBLIC_URL: 'https://app.posthaste.example',
      TRACKING_HOST: 'links.posthaste.example',
    },
  }),
)

beforeEach(async () => {
  for (const name of Object.keys(dns.zone)) delete dns.zone[name]
  await service.database.execute('truncate domains, domain_records cascade')
  await service.database.execute('truncate former_domains')
})

type Record = { record: string; name: string; type: string; value: string; status: string }
type Domain = { id: string; status: string; records: Record[]; recommended_records: Record[] }

const other = () => service.other.token
const ALL = { tracking_subdomain: 'links', open_tracking: true, capabilities: { receiving: 'enabled' } }

async function register(name: string, token = service.token): Promise<Domain> {
  const answer = await service.call('POST', '/domains', { body: { name, ...ALL }, token })
  expect(answer.status).toBe(201)
  return answer.body as Domain
}
const verify = async (id: string, token = service.token) => (await service.call('POST', `/domains/${id}/verify`, { token })).status
const remove = (id: string, token = service.token) => service.call('DELETE', `/domains/${id}`, { token })
const statusOf = async (id: string, token = service.token) =>
  ((await service.call('GET', `/domains/${id}`, { token })).body as Domain).status
const untilStatus = (id: string, status: string, token = service.token) => until(async () => expect(await statusOf(id, token)).toBe(status))
const untilChecked = (id: string) =>
  until(async () =>
    expect(await service.database.execute('select from domains where id = $1 and checked_at = $2', [id, clock.now()])).toHaveLength(1),
  )
const publish = (domain: Domain, name = NAME) => publishRecords(dns, domain, { root: name.split('.').slice(-2).join('.') })

async function verified(name: string, token = service.token): Promise<Domain> {
  const domain = await register(name, token)
  publish(domain, name)
  expect(await verify(domain.id, token)).toBe(200)
  await untilStatus(domain.id, 'verified', token)
  return domain
}

/** All records but those that hold a key. */
function publishShared(domain: Domain, name: string): void {
  publish(domain, name)
  for (const host of Object.keys(dns.zone)) if (host.includes('_domainkey')) delete dns.zone[host]
}

const rightsOf = async (teamId: string, name: string) => {
  const { repositories } = service.service.context
  return {
    receives: await repositories.receivingDomains.teamOfAcrossTeams(name),
    sends: [...(await repositories.domains.sendersAmong(teamId, [name]))],
    ownsName: await service.database.execute('select from domains where name = $1 and team_id = $2 and owns_name', [name, teamId]),
  }
}
const NONE = { receives: null, sends: [], ownsName: [] }

describe('a name of this server', () => {
  it.each(['mx.posthaste.example', 'MX.Posthaste.Example.', 'mx。posthaste。example'])('is refused: MAIL_HOSTNAME as %s', async (name) =>
    expect((await service.call('POST', '/domains', { body: { name } })).status).toBe(422),
  )

  it.each([
    ['INBOUND_DOMAIN', 'in.posthaste.example'],
    ['under INBOUND_DOMAIN', 'x.in.posthaste.example'],
    ['above all of them', 'posthaste.example'],
    ['the host of PUBLIC_URL', 'app.posthaste.example'],
    ['under the host of PUBLIC_URL', 'x.app.posthaste.example'],
    ['TRACKING_HOST', 'links.posthaste.example'],
    ['under MAIL_HOSTNAME', 'x.mx.posthaste.example'],
  ])('gives a team nothing by the records that all teams share: %s', async (_, name) => {
    const domain = await register(name)
    publishShared(domain, name)
    await verify(domain.id)
    await untilChecked(domain.id)
    expect(['pending', 'partially_failed', 'failed']).toContain(await statusOf(domain.id))
    expect(await rightsOf(service.teamId, name)).toEqual(NONE)
  })

  it('under INBOUND_DOMAIN that is the address of another team gives its mail to that team, also if someone proves it', async () => {
    const name = `${service.other.teamId}.in.posthaste.example`
    await verified(name)
    const destinationOf = createDestinations(service.service.context)
    expect(await destinationOf(`any@${name}`)).toMatchObject({ purpose: 'receiving', teamId: service.other.teamId })
  })

  it('under INBOUND_DOMAIN that is no team receives like any other domain once it is proven', async () => {
    await verified('news.in.posthaste.example')
    const destinationOf = createDestinations(service.service.context)
    expect(await destinationOf('any@news.in.posthaste.example')).toMatchObject({ purpose: 'receiving', teamId: service.teamId })
  })
})

describe('the tracking host of another team', () => {
  it('gives nothing by the alias that is there for links', async () => {
    await verified('tracked.example')
    const name = 'links.tracked.example'
    const theirs = await register(name, other())
    // What the alias leads to may take mail.
    dns.zone['links.posthaste.example'] = { MX: [[10, 'mx.posthaste.example']] }
    await verify(theirs.id, other())
    await untilChecked(theirs.id)
    expect(await statusOf(theirs.id, other())).toBe('pending')
    expect(await rightsOf(service.other.teamId, name)).toEqual(NONE)
  })
})

describe('a name that was deleted', () => {
  it('is not given to a team that had asked for it before, and proves it within 90 days', async () => {
    const theirs = await register(NAME, other())
    expect(await verify(theirs.id, other())).toBe(200)
    await untilChecked(theirs.id)
    const ours = await verified(NAME)
    await remove(ours.id)
    publish(theirs)
    clock.advance(3_600_000)
    await untilStatus(theirs.id, 'failed', other())
    expect(await rightsOf(service.other.teamId, NAME)).toEqual(NONE)
  })

  it('is that of the team which had it last, and not of one that had it before', async () => {
    const ours = await verified(NAME)
    await remove(ours.id)
    clock.advance(91 * DAY_MS)
    const theirs = await verified(NAME, other())
    await remove(theirs.id, other())
    const again = await register(NAME)
    publish(again)
    expect(await verify(again.id)).toBe(403)
    expect((await service.call('POST', '/domains/claim', { body: { name: NAME } })).status).toBe(201)
    await verified(NAME, other())
  })

  it('has to be proven again by the team that had it: what it published for the deleted domain is no proof', async () => {
    const first = await verified(NAME)
    await remove(first.id)
    const second = await register(NAME)
    await verify(second.id)
    await untilChecked(second.id)
    expect(await statusOf(second.id)).toBe('pending')
    expect(await rightsOf(service.teamId, NAME)).toEqual(NONE)
  })
})
