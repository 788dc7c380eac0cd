// A domain as its owner sets it up: registered, its records published in the DNS, and verified by the workers of the service.

import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { DNSResolver } from 'mailauth'
import { expect } from 'vitest'
import { type DkimAlgorithm, publicKeyText } from '../../../src/lib/crypto/keys.ts'
import { createId } from '../../../src/lib/ids.ts'
import type { DkimSigner } from '../../../src/mail/dkim/signature-fields.ts'
import type { RecordAnswer } from '../../../src/mail/record-types.ts'
import { createDkimKey } from '../../../src/modules/domains/dkim/dkim-keys.repository.ts'
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

// A domain whose records were seen, without the DNS. Bounces of its mail return to `send.` and its name.

export type VerifiedDomain = {
  id: string
  /** The TXT records of its keys. */
  records: Record<string, string>
  /** Another key, whose record was not seen yet. Returns its id. */
  addKey(selector: string, algorithm: DkimAlgorithm): Promise<string>
}

/** With a key of each algorithm, `ph1` and `ph2`, unless other keys are named. */
export async function createVerifiedDomain(
  { service, database, teamId }: Pick<TestService, 'service' | 'database' | 'teamId'>,
  name = 'example.com',
  keys: Record<string, DkimAlgorithm> = { ph1: 'rsa-sha256', ph2: 'ed25519-sha256' },
): Promise<VerifiedDomain> {
  const { context } = service
  const id = createId()
  await database.execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, owns_name, created_at)
     values ($1, $2, $3, $3, 'us-east-1', 'opportunistic', 'send', false, false, true, false, 'verified', true, now())`,
    [id, teamId, name],
  )
  for (const kind of ['ReturnPathMX', 'SPF'])
    await database.execute(`insert into domain_records (domain_id, kind, status) values ($1, $2, 'verified')`, [id, kind])
  const records: Record<string, string> = {}
  async function addKey(selector: string, algorithm: DkimAlgorithm): Promise<string> {
    const key = await context.makeDkimKey(algorithm, teamId)
    await database.records((inside) => createDkimKey(inside, teamId, { domainId: id, selector, createdAt: context.clock.now(), ...key }))
    const type = algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'
    records[`${selector}._domainkey.${name}`] = `v=DKIM1; k=${type}; p=${key.publicKey}`
    return key.id
  }
  for (const [selector, algorithm] of Object.entries(keys))
    await database.execute('update dkim_keys set seen_at = $2 where id = $1', [await addKey(selector, algorithm), context.clock.now()])
  return { id, records, addKey }
}

// A domain on which a team receives mail, without the DNS.

type Settings = { record?: string; receiving?: boolean; ownsName?: boolean }

export async function createReceivingDomain(
  { database }: Pick<TestService, 'database'>,
  teamId: string,
  name: string,
  { record = 'verified', receiving = true, ownsName = true }: Settings = {},
): Promise<string> {
  const id = createId()
  await database.execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, owns_name, created_at)
     values ($1, $2, $3, $3, 'us-east-1', 'opportunistic', 'send', false, false, true, $4, 'verified', $5, now())`,
    [id, teamId, name, receiving, ownsName],
  )
  await database.execute(`insert into domain_records (domain_id, kind, status) values ($1, 'Receiving', $2)`, [id, record])
  return id
}

// Signers with keys of their own, and a DNS that publishes these keys, for mailauth.

export type TestSigners = { rsa: DkimSigner; ed25519: DkimSigner; both: DkimSigner[]; records: Record<string, string> }

export function createTestSigners(domain = 'example.com'): TestSigners {
  const rsaPair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const edPair = generateKeyPairSync('ed25519')
  const signer = (selector: string, algorithm: DkimAlgorithm, privateKey: KeyObject) => ({ domain, selector, algorithm, privateKey })
  const rsa = signer('ph1', 'rsa-sha256', rsaPair.privateKey)
  const ed25519 = signer('ph2', 'ed25519-sha256', edPair.privateKey)
  return {
    rsa,
    ed25519,
    both: [rsa, ed25519],
    records: {
      [`ph1._domainkey.${domain}`]: `v=DKIM1; k=rsa; p=${publicKeyText(rsaPair.publicKey)}`,
      [`ph2._domainkey.${domain}`]: `v=DKIM1; k=ed25519; p=${publicKeyText(edPair.publicKey)}`,
    },
  }
}

/** TXT records by their names. Nothing else exists. */
export function resolverOf(records: Record<string, string>): DNSResolver {
  return async (name, type) => {
    const record = type === 'TXT' ? records[name] : undefined
    if (record === undefined) throw Object.assign(new Error(`No ${type} record at ${name}`), { code: 'ENOTFOUND' })
    return [[record]]
  }
}

export const records = (...values: string[]): RecordAnswer => ({ kind: 'records', values })
export const ABSENT: RecordAnswer = { kind: 'absent' }
export const UNANSWERED: RecordAnswer = { kind: 'unanswered', reason: 'no answer came in time' }
