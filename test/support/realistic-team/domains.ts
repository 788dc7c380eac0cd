// Three domains: one that sends, one whose records are not published yet, and one whose records are wrong.
import { startDomainChecks } from '../../../src/modules/domains/checks/domain-checks.worker.ts'
import { publishRecords, retrieveDomain } from '../builders/domains.ts'
import { until } from '../clocks/until.ts'
import type { DnsServer } from '../servers/dns-server.ts'
import { moveTo } from './past.ts'
import { act, ago, type Team } from './team.ts'
import { PROVIDERS, SHOP } from './words.ts'

const PENDING = 'post.larkspur.example'
const FAILED = 'larkspur-outlet.example'

/** Where the mail of everyone goes: to the mail server of the test, whose port the service is told. */
export function zoneOfEveryone(): DnsServer['zone'] {
  const zone: DnsServer['zone'] = {}
  for (const { domain, mx } of [...PROVIDERS, { domain: 'slow-post.example', mx: 'mx.slow-post.example' }]) {
    zone[domain] = { MX: [[10, mx]] }
    zone[mx] = { A: ['127.0.0.1'] }
  }
  return zone
}

/** Leaves the clock of the process where it moved it. */
export async function fillDomains(team: Team, dns: Pick<DnsServer, 'zone'>): Promise<void> {
  const { service, ids } = team
  const create = (name: string, days: number, more: object) =>
    act(team, ['POST', '/domains'], { time: ago(team, { days }), by: 'Tomasz Wiśniewski', body: { name, ...more } })
  const capabilities = { sending: 'enabled', receiving: 'enabled' }
  ids.domain = await create(SHOP.domain, 76.9, { open_tracking: true, click_tracking: true, tracking_subdomain: 'links', capabilities })
  ids['domain failed'] = await create(FAILED, 60, {})
  const [good, wrong] = [await retrieveDomain(service, ids.domain), await retrieveDomain(service, ids['domain failed'])]
  publishRecords(dns, good, { root: SHOP.domain })
  publishRecords(dns, wrong, { root: FAILED, choose: ({ type }) => type === 'MX' })
  dns.zone[`send.${FAILED}`] = { ...dns.zone[`send.${FAILED}`], TXT: ['v=spf1 include:_spf.old-provider.example -all'] }

  const reaches = async (id: string, days: number, status: string) => {
    moveTo(ago(team, { days }))
    // Asking again would begin anew.
    if (status !== 'failed') await service.call('POST', `/domains/${id}/verify`)
    const checks = startDomainChecks(service.service.context, { lookEveryMs: 20 })
    await until(async () => {
      const shown = await retrieveDomain(service, id)
      if (shown.status !== status) throw new Error(`${id} is ${shown.status} instead of ${status}`)
    }).finally(() => checks.stop())
  }
  await reaches(ids.domain, 76.8, 'verified')
  await reaches(ids['domain failed'], 59.9, 'pending')
  await reaches(ids['domain failed'], 56, 'failed')
  ids['domain pending'] = await create(PENDING, 0.2, {})
  await reaches(ids['domain pending'], 0.19, 'pending')
}
