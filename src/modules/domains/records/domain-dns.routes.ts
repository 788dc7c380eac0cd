// What people need when they publish the records of a domain.
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { notFound } from '../../../lib/failure.ts'
import type { DomainWithRecords } from '../domain-rows.repository.ts'
import type { DomainsContext } from '../domains.context.ts'
import { DOMAINS, DomainParams } from '../domains.schema.ts'
import { dnsHostOf } from './dns-hosts.ts'
import { DomainDnsHost, DomainZoneFile } from './domain-dns.schema.ts'
import { domainZoneLines } from './zone-lines.ts'

type Context = PlatformContext & DomainsContext

const operation = declareOperations(DOMAINS)

export const domainDnsRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories, gateways } = context

  async function find(teamId: string, id: string): Promise<DomainWithRecords> {
    const domain = await repositories.domains.find(teamId, id)
    if (!domain) throw notFound(DOMAINS.noun)
    return domain
  }

  app.get(
    '/domains/:domain_id/zone-file',
    operation({
      id: 'domains.zone-file.retrieve',
      summary: 'Retrieve the records of a domain as a zone file',
      description: 'Returns the DNS records to publish for a domain in the form of a zone file, which most DNS hosts import.',
      access: 'full',
      audit: 'never',
      params: DomainParams,
      reply: { 200: DomainZoneFile },
      example: {
        reply: {
          object: 'zone_file',
          id: DOMAINS.example.id,
          filename: 'example.com.zone',
          text: 'send.example.com. 3600 IN MX 10 mail.example.net.\nsend.example.com. 3600 IN TXT "v=spf1 a:mail.example.net ~all"\n',
        },
      },
    }),
    async ({ teamId, params }) => {
      const { id, name, records } = await find(teamId, params.domain_id)
      const text = domainZoneLines(records)
        .map((line) => `${line}\n`)
        .join('')
      return { object: 'zone_file' as const, id, filename: `${name}.zone`, text }
    },
  )

  app.get(
    '/domains/:domain_id/dns-host',
    operation({
      id: 'domains.dns-host.retrieve',
      summary: 'Retrieve who hosts the DNS of a domain',
      description:
        'Looks up the name servers of a domain now, and returns who hosts them and where that host says how records are entered.',
      access: 'full',
      audit: 'never',
      params: DomainParams,
      reply: { 200: DomainDnsHost },
      example: {
        reply: {
          object: 'dns_host',
          id: DOMAINS.example.id,
          zone: 'example.com',
          name_servers: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
          name: 'Cloudflare',
          guide_url: 'https://developers.cloudflare.com/dns/manage-dns-records/how-to/create-dns-records/',
        },
      },
    }),
    async ({ teamId, params }) => {
      const { id, name, root } = await find(teamId, params.domain_id)
      // A subdomain can be a zone of its own.
      const [own, ofRoot] = await Promise.all([nameServersOf(teamId, name), name === root ? [] : nameServersOf(teamId, root)])
      const isZone = own.length > 0 || name === root
      const nameServers = isZone ? own : ofRoot
      const host = dnsHostOf(nameServers)
      return {
        ...{ object: 'dns_host' as const, id, zone: isZone ? name : root, name_servers: nameServers },
        ...{ name: host?.name ?? null, guide_url: host?.guideUrl ?? null },
      }
    },
  )

  async function nameServersOf(teamId: string, name: string): Promise<string[]> {
    const answer = await gateways.domainDns.ask(name, 'NS', teamId)
    return answer.kind === 'records' ? answer.values : []
  }
}
