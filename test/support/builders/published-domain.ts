// A domain as its owner sets it up: registered, its records published in the DNS, and verified by the workers of the service.
import { expect } from 'vitest'
import { until } from '../clocks/until.ts'
import type { DnsRecords, DnsServer } from '../servers/dns-server.ts'
import type { TestService } from '../servers/service.ts'

type ShownRecord = { record: string; name: string; type: string; value: string; status: string }
type ShownDomain = { id: string; status: string; records: ShownRecord[]; recommended_records: ShownRecord[] }

/** `root` is the registered domain that the name is, or is under. Both are A-labels. Returns the id. */
export async function publishDomain(
  service: Pick<TestService, 'call'>,
  dns: Pick<DnsServer, 'zone'>,
  { name, root = name }: { name: string; root?: string },
): Promise<string> {
  const created = await service.call('POST', '/domains', { body: { name } })
  const domain = created.body as ShownDomain
  publishRecords(dns, domain, { root })
  await service.call('POST', `/domains/${domain.id}/verify`)
  await until(async () => expect(await retrieveDomain(service, domain.id)).toMatchObject({ status: 'verified' }))
  return domain.id
}

export const retrieveDomain = async ({ call }: Pick<TestService, 'call'>, id: string): Promise<ShownDomain> =>
  (await call('GET', `/domains/${id}`)).body as ShownDomain

/** Publishes those that `choose` takes. */
export function publishRecords<Shown extends Pick<ShownRecord, 'name' | 'type' | 'value'>>(
  { zone }: Pick<DnsServer, 'zone'>,
  { records, recommended_records: recommended }: { records: Shown[]; recommended_records: Shown[] },
  { root, choose = () => true }: { root: string; choose?: (record: Shown) => boolean },
): void {
  for (const { name: label, type, value } of [...records, ...recommended].filter(choose)) {
    const host = label === '@' ? root : `${label}.${root}`
    const entry: DnsRecords = type === 'MX' ? { MX: [[10, value]] } : type === 'CNAME' ? { CNAME: value } : { TXT: [value] }
    zone[host] = { ...zone[host], ...entry }
  }
}
