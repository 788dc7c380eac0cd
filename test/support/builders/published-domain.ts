// A domain as its owner sets it up: registered, its records published in the DNS, and verified by the workers of the service.
import { expect } from 'vitest'
import { until } from '../clocks/until.ts'
import type { DnsRecords, DnsServer } from '../servers/dns-server.ts'
import type { TestService } from '../servers/service.ts'

type Shown = { name: string; type: string; value: string }
type Domain = { id: string; records: Shown[]; recommended_records: Shown[] }

/** `root` is the registered domain that the name is, or is under. Both are A-labels. */
export async function publishDomain(
  { call }: Pick<TestService, 'call'>,
  { zone }: Pick<DnsServer, 'zone'>,
  { name, root = name }: { name: string; root?: string },
): Promise<void> {
  const created = await call('POST', '/domains', { body: { name } })
  const { id, records, recommended_records: recommended } = created.body as Domain
  for (const { name: label, type, value } of [...records, ...recommended]) {
    const host = label === '@' ? root : `${label}.${root}`
    const entry: DnsRecords = type === 'MX' ? { MX: [[10, value]] } : { TXT: [value] }
    zone[host] = { ...zone[host], ...entry }
  }
  await call('POST', `/domains/${id}/verify`)
  await until(async () => expect((await call('GET', `/domains/${id}`)).body).toMatchObject({ status: 'verified' }))
}
