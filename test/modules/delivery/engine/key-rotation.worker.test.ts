import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DKIM_ALGORITHMS } from '../../../../src/lib/crypto/keys.ts'
import { sweepDkimKeys } from '../../../../src/server/sweeps.ts'
import { publishDomain, publishRecords, resolverOf, retrieveDomain } from '../../../support/builders/domains.ts'
import { sendEmail, untilEvent } from '../../../support/builders/engine.ts'
import { createJumpingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { startDnsServer } from '../../../support/servers/dns-server.ts'
import { startRelayService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Longer than opened keys are remembered. */
const KEYS_REMEMBERED_MS = 11_000

const dns = shared(() => startDnsServer({}))
const clock = createJumpingClock()
const service = shared(() => startRelayService({ clock, environment: { DNS_SERVERS: dns.address, MAIL_HOSTNAME: 'mx.posthaste.example' } }))
beforeAll(() => {
  service.startWorker()
})

beforeEach(async () => {
  for (const name of Object.keys(dns.zone)) delete dns.zone[name]
  await service.database.execute('truncate domains, domain_records cascade')
})

async function rotate(id: string, { teamId = service.teamId, isAgain = false } = {}) {
  const { repositories, makeDkimKey } = service.service.context
  const made = await Promise.all(DKIM_ALGORITHMS.map((algorithm) => makeDkimKey(algorithm, teamId)))
  return repositories.keyRotation.start(teamId, id, { made, isAgain })
}

/** The records of keys: those that are needed, and those that are not. */
async function keyRecords(id: string) {
  const { status, records, recommended_records: recommended } = await retrieveDomain(service, id)
  const shown = (list: typeof records) =>
    list.filter(({ record }) => record === 'DKIM').map((record) => `${record.name.split('.')[0]} ${record.status}`)
  return { status, needed: shown(records), recommended: shown(recommended) }
}

/** Until the DNS was asked at this moment of the clock. */
const untilChecked = (id: string) =>
  until(async () =>
    expect(await service.database.execute('select from domains where id = $1 and checked_at = $2', [id, clock.now()])).toHaveLength(1),
  )

async function checkAfter(id: string, ms: number): Promise<void> {
  clock.advance(ms)
  await untilChecked(id)
}

/** Two checks later: one may have asked the DNS before the last change of it. */
async function shownAfter(id: string, ms: number) {
  await checkAfter(id, ms)
  await checkAfter(id, ms)
  return keyRecords(id)
}

/** Publishes the records of a selector of `acme.example`. */
const publish = async (id: string, selector: string) =>
  publishRecords(dns, await retrieveDomain(service, id), { root: 'acme.example', choose: ({ name }) => name.startsWith(`${selector}.`) })

/** Sends a message and returns it as it arrived. */
async function deliver(): Promise<Buffer> {
  clock.advance(KEYS_REMEMBERED_MS)
  const before = service.sink.messages.length
  await untilEvent(service, await sendEmail(service, { from: 'hello@acme.example' }), 'delivered')
  return Buffer.from(service.sink.messages[before]?.raw ?? '', 'latin1')
}

/** What a receiver says that finds in the DNS what is published now. */
async function verdictsOf(raw: Buffer): Promise<string[]> {
  const published = Object.entries(dns.zone).flatMap(([name, { TXT }]) => (TXT ? [[name, TXT.join('')]] : []))
  const { results } = await dkimVerify(raw, { resolver: resolverOf(Object.fromEntries(published)) })
  return results.map(({ status, selector }) => `${selector} ${status.result}`)
}

const storedSelectors = async () =>
  (
    await service.database.execute<{ selector: string }>(
      `select selector from dkim_keys union all select selector from domain_records where selector <> '' order by selector`,
    )
  ).map(({ selector }) => selector)

describe('rotating the keys of a domain', () => {
  it('signs with the old keys until the new ones are seen, and keeps the old ones public for 7 days', async () => {
    const id = await publishDomain(service, dns, { name: 'acme.example' })
    const early = await deliver()
    expect(await verdictsOf(early)).toEqual(['ph1 pass', 'ph2 pass'])

    expect(await rotate(id)).toMatchObject({ outcome: 'started' })
    expect(await keyRecords(id)).toEqual({
      status: 'verified',
      needed: ['ph1 verified'],
      recommended: ['ph2 verified', 'ph3 pending', 'ph4 pending'],
    })
    await untilChecked(id)
    expect(await verdictsOf(await deliver())).toEqual(['ph1 pass', 'ph2 pass'])

    await publish(id, 'ph3')
    expect(await shownAfter(id, HOUR_MS)).toEqual({
      status: 'verified',
      needed: ['ph3 verified'],
      recommended: ['ph2 verified', 'ph4 pending', 'ph1 verified'],
    })
    expect(await verdictsOf(await deliver())).toEqual(['ph3 pass', 'ph2 pass'])

    await publish(id, 'ph4')
    expect(await shownAfter(id, DAY_MS)).toEqual({
      status: 'verified',
      needed: ['ph3 verified'],
      recommended: ['ph4 verified', 'ph1 verified', 'ph2 verified'],
    })
    expect(await verdictsOf(await deliver())).toEqual(['ph3 pass', 'ph4 pass'])
    expect(await verdictsOf(early)).toEqual(['ph1 pass', 'ph2 pass'])
    const sizes = 'select selector, octet_length(private_key) > 0 as "hasPrivateKey" from dkim_keys order by selector'
    expect(await service.database.execute(sizes)).toEqual([
      { selector: 'ph1', hasPrivateKey: false },
      { selector: 'ph2', hasPrivateKey: false },
      { selector: 'ph3', hasPrivateKey: true },
      { selector: 'ph4', hasPrivateKey: true },
    ])

    clock.advance(4 * DAY_MS)
    await sweepDkimKeys(service.service.context)
    expect((await keyRecords(id)).recommended).toEqual(['ph4 verified', 'ph1 verified', 'ph2 verified'])

    clock.advance(3 * DAY_MS + MINUTE_MS)
    await sweepDkimKeys(service.service.context)
    expect(await keyRecords(id)).toEqual({ status: 'verified', needed: ['ph3 verified'], recommended: ['ph4 verified'] })
    expect(await storedSelectors()).toEqual(['ph3', 'ph3', 'ph4', 'ph4'])
    await checkAfter(id, DAY_MS)
    dns.queries.length = 0
    await checkAfter(id, DAY_MS)
    const asked = dns.queries.filter((query) => query.includes('_domainkey')).toSorted()
    expect(asked).toEqual(['TXT ph3._domainkey.acme.example', 'TXT ph4._domainkey.acme.example'])
    expect(await rotate(id)).toMatchObject({ outcome: 'started' })
  })

  it('removes what was replaced, and nothing of another domain whose keys have the same names', async () => {
    const id = await publishDomain(service, dns, { name: 'acme.example' })
    const beside = await publishDomain(service, dns, { name: 'beside.example' })
    await service.database.execute(`update dkim_keys set retired_at = $2 where domain_id = $1 and selector = 'ph1'`, [id, clock.now()])
    clock.advance(8 * DAY_MS)
    await sweepDkimKeys(service.service.context)
    const left = 'select domain_id as id, selector from domain_records where selector <> $1 order by domain_id = $2, selector'
    expect(await service.database.execute(left, ['', beside])).toEqual([
      { id, selector: 'ph2' },
      { id: beside, selector: 'ph1' },
      { id: beside, selector: 'ph2' },
    ])
  })

  it('shows the same records when it is asked for again, and makes no further keys', async () => {
    const id = await publishDomain(service, dns, { name: 'acme.example' })
    const first = await rotate(id)
    const records = (await retrieveDomain(service, id)).recommended_records
    expect(first).toMatchObject({ outcome: 'started' })
    expect(await rotate(id)).toMatchObject({ outcome: 'running' })
    expect((await retrieveDomain(service, id)).recommended_records).toEqual(records)

    // One of two is done; the other is still waited for.
    await publish(id, 'ph3')
    const half = ['ph2 verified', 'ph4 pending', 'ph1 verified']
    expect((await shownAfter(id, HOUR_MS)).recommended).toEqual(half)
    expect(await rotate(id)).toMatchObject({ outcome: 'running' })
    expect((await keyRecords(id)).recommended).toEqual(half)

    await publish(id, 'ph4')
    await shownAfter(id, DAY_MS)
    expect(await rotate(id)).toBe('replaced')
    expect(await storedSelectors()).not.toContain('ph5')
    expect(await rotate(id, { isAgain: true })).toMatchObject({ outcome: 'started' })
    expect((await keyRecords(id)).recommended).toEqual(['ph4 verified', 'ph5 pending', 'ph6 pending', 'ph1 verified', 'ph2 verified'])
  })

  it('gives up new keys after 72 hours, still signs with the old ones, and takes a record that comes later', async () => {
    const id = await publishDomain(service, dns, { name: 'acme.example' })
    await rotate(id)
    await untilChecked(id)
    await checkAfter(id, 72 * HOUR_MS)
    const given = { status: 'verified', needed: ['ph1 verified'], recommended: ['ph2 verified', 'ph3 failed', 'ph4 failed'] }
    expect(await keyRecords(id)).toEqual(given)
    expect(await verdictsOf(await deliver())).toEqual(['ph1 pass', 'ph2 pass'])

    await publish(id, 'ph4')
    expect((await shownAfter(id, DAY_MS)).recommended).toEqual(['ph4 verified', 'ph3 failed', 'ph2 verified'])

    expect(await rotate(id)).toMatchObject({ outcome: 'started' })
    expect(await keyRecords(id)).toEqual({
      status: 'verified',
      needed: ['ph1 verified'],
      recommended: ['ph4 verified', 'ph5 pending', 'ph6 pending', 'ph2 verified'],
    })
    expect(await storedSelectors()).not.toContain('ph3')
  })

  it('replaces a key that never signed at once', async () => {
    const id = await publishDomain(service, dns, { name: 'acme.example' })
    await service.database.execute(`update dkim_keys set seen_at = null where selector = 'ph2'`)
    await service.database.execute(`update domain_records set status = 'failed' where selector = 'ph2'`)
    expect(await rotate(id)).toMatchObject({ outcome: 'started' })
    expect(await keyRecords(id)).toEqual({ status: 'verified', needed: ['ph1 verified'], recommended: ['ph4 pending', 'ph3 pending'] })
  })

  it('ends the failure of a domain whose old record is gone', async () => {
    const id = await publishDomain(service, dns, { name: 'acme.example' })
    await rotate(id)
    await untilChecked(id)
    delete dns.zone['ph1._domainkey.acme.example']
    await checkAfter(id, DAY_MS)
    await checkAfter(id, 73 * HOUR_MS)
    expect(await keyRecords(id)).toMatchObject({ status: 'failed', needed: ['ph1 failed'] })
    await publish(id, 'ph3')
    await service.call('POST', `/domains/${id}/verify`)
    await until(async () => expect(await keyRecords(id)).toMatchObject({ status: 'verified', needed: ['ph3 verified'] }))
  })

  it('is refused for a domain whose keys do not sign, and for one of another team', async () => {
    const { id } = (await service.call('POST', '/domains', { body: { name: 'new.example' } })).body as { id: string }
    expect(await rotate(id)).toBe('unused')
    const verified = await publishDomain(service, dns, { name: 'acme.example' })
    expect(await rotate(verified, { teamId: service.other.teamId })).toBeNull()
    await service.call('PATCH', `/domains/${verified}`, { body: { capabilities: { sending: 'disabled', receiving: 'enabled' } } })
    expect(await rotate(verified)).toBe('unused')
    // Receiving keeps the record of one key.
    expect(await storedSelectors()).toEqual(['ph1', 'ph1', 'ph1', 'ph2', 'ph2'])
  })
})
