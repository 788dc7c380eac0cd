import { expect, it } from 'vitest'
import { publishRecords } from '../../../support/builders/domains.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { startDnsServer } from '../../../support/servers/dns-server.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

/** Some minutes of checks: each takes several seconds, and there are places for fifty. */
const SILENT_DOMAINS = 1_000

const dns = shared(() => startDnsServer({}))
const clock = createMovingClock()
const service = shared(() => startTestService({ clock, environment: { DNS_SERVERS: dns.address, ROLES: 'api,worker' } }))

it('domains of a team whose DNS never answers do not keep those of other teams from being checked', async () => {
  const answer = await service.call('POST', '/domains', { body: { name: 'acme.example' } })
  const domain = answer.body as Parameters<typeof publishRecords>[1] & { id: string }
  publishRecords(dns, domain, { root: 'acme.example' })
  const silent = Array.from({ length: SILENT_DOMAINS }, (_, index) => `silent${index}.example`)
  for (const name of silent) dns.zone[name] = { fault: 'silence' }
  await service.database.execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving,
       status, created_at, asked_at, check_due_at)
     select gen_random_uuid(), $1, name, name, 'us-east-1', 'opportunistic', 'send', false, false, false, true,
       'pending', $2, $2, $2::timestamptz - interval '1 minute'
     from unnest($3::text[]) name`,
    [service.other.teamId, clock.now(), silent],
  )
  // They have taken all the places that they get.
  await until(async () => expect(dns.queries.filter((query) => query.includes('silent')).length).toBeGreaterThanOrEqual(40))
  await service.call('POST', `/domains/${domain.id}/verify`)
  await until(async () => expect((await service.call('GET', `/domains/${domain.id}`)).body).toMatchObject({ status: 'verified' }))
})
