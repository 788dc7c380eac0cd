// What a proxy is told that asks for which hosts it may get a certificate, as Caddy does.
import { describe, expect, it, vi } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import type { RecordVerdict } from '../../../src/mail/record-types.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const clock = createMovingClock()
const service = shared(() =>
  startTestService({ clock, environment: { TRACKING_HOST: 'links.posthaste.example', TRUST_PROXY: '127.0.0.1' } }),
)

const ask = async (domain: string) => (await service.call('GET', `/t/ask?domain=${encodeURIComponent(domain)}`, { token: null })).status
/** Someone who asks through the proxy. */
const askFrom = async (address: string, domain: string) =>
  (await service.call('GET', `/t/ask?domain=${domain}`, { token: null, headers: { 'x-forwarded-for': address } })).status

/** A domain that asks for tracking through `links.`, and is being verified. */
async function create(): Promise<{ id: string; name: string }> {
  const { repositories } = service.service.context
  const id = createId()
  const name = `${id}.example.com`
  await service.database.execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, tracking_subdomain, open_tracking, click_tracking, sending, receiving, created_at)
     values ($1, $2, $3, $3, 'us-east-1', 'opportunistic', 'send', 'links', true, true, true, false, now())`,
    [id, service.teamId, name],
  )
  await repositories.domainChecks.ask(service.teamId, id)
  return { id, name }
}

/** What one check finds of all records. */
async function check(id: string, verdict: RecordVerdict): Promise<void> {
  const { domains, domainChecks } = service.service.context.repositories
  const records = (await domains.find(service.teamId, id))?.records ?? []
  await domainChecks.record(
    service.teamId,
    id,
    records.map(({ kind, host, value }) => ({ kind, host, value, found: [], verdict })),
  )
}

describe('a certificate may be issued', () => {
  it('for the tracking host of a domain from the moment it is verified', async () => {
    const { id, name } = await create()
    await check(id, 'absent')
    expect(await ask(`links.${name}`)).toBe(404)
    await check(id, 'right')
    const answer = await service.call('GET', `/t/ask?domain=links.${name}`, { token: null })
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }])
    expect([await ask(`LINKS.${name}`), await ask(name), await ask(`send.${name}`), await ask(`a.links.${name}`)]).toEqual([
      200, 404, 404, 404,
    ])
  })

  it('for its former host after it has another one, and for both after the domain is deleted, because links in mail lead there', async () => {
    const { id, name } = await create()
    await check(id, 'right')
    await service.call('PATCH', `/domains/${id}`, { body: { tracking_subdomain: 'click' } })
    expect([await ask(`links.${name}`), await ask(`click.${name}`)]).toEqual([200, 404])
    await check(id, 'right')
    expect((await service.call('DELETE', `/domains/${id}`)).status).toBe(200)
    expect([await ask(`links.${name}`), await ask(`click.${name}`)]).toEqual([200, 200])
  })

  it.each([
    ['links.posthaste.example', 200],
    ['posthaste.example', 404],
    ['example.org', 404],
    ['localhost', 404],
    ['127.0.0.1', 404],
    ["'; drop table domains", 404],
    ['x'.repeat(8_000), 404],
    ['', 404],
  ])('or not: %j', async (domain, status) => {
    expect(await ask(domain)).toBe(status)
  })

  it('or not, if no host is named', async () => {
    const { status, body } = await service.call('GET', '/t/ask', { token: null })
    expect([status, body]).toEqual([404, { statusCode: 404, name: 'not_found', message: 'Tracking host not found' }])
  })
})

it('a flood of questions is answered with few statements, and what is too much with a 429', async () => {
  const { trackingHosts } = service.service.context.repositories
  const findAmong = trackingHosts.verifiedAmongAcrossTeams
  const refused = Promise.withResolvers<void>()
  const asked = vi.spyOn(trackingHosts, 'verifiedAmongAcrossTeams').mockImplementation(async (hosts) => {
    await refused.promise
    return findAmong(hosts)
  })
  const answers = await Promise.all(
    Array.from({ length: 300 }, async (_one, number) => {
      const answer = await service.call('GET', `/t/ask?domain=host${number}.example.org`, { token: null })
      if (answer.status === 429) refused.resolve()
      return answer
    }),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]))
  const [tooMany] = answers.filter(({ status }) => status === 429)
  expect([tooMany?.headers.get('retry-after'), tooMany?.body]).toEqual([
    '1',
    { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many tracking hosts were requested at once. Please try again.' },
  ])
  expect(asked.mock.calls.length).toBeLessThan(30)
  asked.mockRestore()
})

it('strangers who ask leave the proxy its places, and have few each', async () => {
  const { trackingHosts } = service.service.context.repositories
  const findAmong = trackingHosts.verifiedAmongAcrossTeams
  const enough = Promise.withResolvers<void>()
  const asked = vi.spyOn(trackingHosts, 'verifiedAmongAcrossTeams').mockImplementation(async (hosts) => {
    await enough.promise
    return findAmong(hosts)
  })
  // The next statement is for all who come until this one is answered.
  const first = askFrom('192.0.2.2', 'first.example.org')
  await until(() => expect(asked).toHaveBeenCalled())
  let refused = 0
  const stranger = await Promise.all(
    Array.from({ length: 20 }, async (_one, number) => {
      const status = await askFrom('192.0.2.1', `a${number}.example.org`)
      if (status === 429) refused += 1
      if (refused === 15) enough.resolve()
      return status
    }),
  )
  expect(await first).toBe(404)
  asked.mockRestore()
  expect(stranger.filter((status) => status === 404)).toHaveLength(5)
  const [, ofProxy] = await Promise.all([
    Promise.all(Array.from({ length: 300 }, (_one, number) => askFrom(`192.0.2.${number % 250}`, `b${number}.example.org`))),
    Promise.all(Array.from({ length: 90 }, (_one, number) => ask(`c${number}.example.org`))),
  ])
  expect(new Set(ofProxy)).toEqual(new Set([404]))
})

it('does not take what was found for a host that the domain no longer names', async () => {
  const { id } = await create()
  const { domains, domainChecks } = service.service.context.repositories
  const before = await domains.find(service.teamId, id)
  await service.call('PATCH', `/domains/${id}`, { body: { tracking_subdomain: 'new' } })
  const findings = before?.records.map((record) => ({ ...record, verdict: 'right' as const, found: [] })) ?? []
  await domainChecks.record(service.teamId, id, findings)
  const { records } = (await service.call('GET', `/domains/${id}`)).body as { records: { name: string; status: string }[] }
  expect(records.map(({ name, status }) => `${name} ${status}`)).toEqual(['send verified', 'send verified', 'new pending'])
})
